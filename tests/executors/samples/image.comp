#version 450
layout(local_size_x = 4, local_size_y = 2) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D img;
void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy); imageStore(img, p, imageLoad(img, p) + uvec4(p.x + 10 * p.y)); }
