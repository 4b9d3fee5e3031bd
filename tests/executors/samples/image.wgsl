@group(0) @binding(0) var img: texture_storage_2d<r32uint, read_write>;
@compute @workgroup_size(4, 2) fn main(@builtin(global_invocation_id) id: vec3u) {
  textureStore(img, id.xy, textureLoad(img, id.xy) + vec4u(id.x + 10u * id.y, 0u, 0u, 0u));
}
