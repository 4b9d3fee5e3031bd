#version 450
layout(location = 0) in vec3 p;
layout(location = 1) in vec2 uv;
layout(location = 0) out vec2 v;
layout(set = 0, binding = 2) uniform Block { vec4 scale; };
void main() { gl_Position = vec4(p * scale.xyz, 1.0); v = uv; }
