@group(0) @binding(0) var tex: texture_2d<f32>;
@group(0) @binding(1) var smp: sampler;
struct Block { scale: vec4f }
@group(0) @binding(2) var<uniform> block: Block;
struct V { @builtin(position) pos: vec4f, @location(0) uv: vec2f }
@vertex fn vs(@location(0) p: vec3f, @location(1) uv: vec2f) -> V { return V(vec4f(p * block.scale.xyz, 1.0), uv); }
@fragment fn fs(v: V) -> @location(0) vec4f { if (v.uv.x + v.uv.y > 1.5) { discard; } return textureSample(tex, smp, v.uv) * block.scale.w; }
