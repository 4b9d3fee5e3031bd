#version 450
layout(set = 0, binding = 0) uniform texture2D tex;
layout(set = 0, binding = 1) uniform sampler smp;
layout(set = 0, binding = 2) uniform Block { vec4 scale; };
layout(location = 0) in vec2 v;
layout(location = 0) out vec4 color;
void main() { if (v.x + v.y > 1.5) discard; color = texture(sampler2D(tex, smp), v) * scale.w; }
