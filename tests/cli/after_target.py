"""`carry run --after-target`: what passes make of a program computes the same."""

TEXTURES = '''#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D images[4];
layout(std430, binding = 1) buffer Out { vec4 o[2]; };
vec4 inner(int i) { return texelFetch(images[i], ivec2(0), 0); }
vec4 outer(int i) { return inner(i) + texelFetch(images[0], ivec2(1, 0), 0); }
void main() {
  o[0] = outer(0);
  o[1] = inner(0);
}
'''


def test_arrays_of_textures_in_functions(t):
    t.write('a.comp', TEXTURES)
    sets = ['--set', '0:0=rgba8:2x1:0000000000ff00ff', '--set', '0:1=zeros:32', '--expect', '0:1=f32:0,1,0,1,0,0,0,0']
    for more in ([], ['--after-target', 'vulkan1.2'], ['--after-target', 'msl2.4'], ['--after-target', 'msl3.2']):
        t.run('run', 'a.comp', '-O0', *more, *sets)
