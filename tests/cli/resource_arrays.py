"""`carry run` with arrays of resources: every element has its own value."""

GLSL = '''#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer S { uint b; uint d[2]; } s[2];
layout(std430, binding = 5) buffer O { uint o[]; };
layout(binding = 6) uniform sampler2D tex[2];
layout(binding = 7, r32ui) uniform uimage2D im[2];
void main() {
  o[0] = s[0].b; o[1] = s[1].b;
  s[1].d[0] = 77; o[2] = s[1].d[0]; o[3] = s[0].d[0];
  o[4] = uint(texelFetch(tex[1], ivec2(0), 0).x * 255); o[5] = uint(textureSize(tex[1], 0).x);
  imageStore(im[1], ivec2(2, 0), uvec4(9)); o[6] = imageLoad(im[1], ivec2(2, 0)).x; o[7] = uint(imageSize(im[0]).x);
}
'''
HLSL = '''StructuredBuffer<uint> t[3] : register(t2);
Texture2D<float4> many[] : register(t0, space1);
SamplerState modes[2];
RWStructuredBuffer<uint> o : register(u0, space2);
[numthreads(1, 1, 1)]
void main() {
  o[0] = t[1][0]; o[1] = t[2][1]; o[2] = asuint(many[2].Load(int3(0, 0, 0)).x);
  o[3] = asuint(many[1].SampleLevel(modes[1], float2(0.4, 0.5), 0).x); o[4] = asuint(many[1].SampleLevel(modes[0], float2(0.5, 0.5), 0).x);
}
'''


def test_elements(t):
    t.write('a.comp', GLSL)
    t.sources_are_written()
    base = ['run', 'a.comp', '--groups', '1', '--set', 'o=zeros:8']
    sets = ['--set', 's[1]={b: 5}', '--set', 'tex=rgba8:1x1:10000000', '--set', 'tex[1]=rgba8:2x1:ff00000000000000',
            '--set', 'im=zeros:4x1', '--set', '0:7[1]=zeros:3x1']
    for target in ([], ['--after-target', 'vulkan1.2'], ['--after-target', 'msl3.2']):
        r = t.run(*base, *sets, *target, '--print', 'O:u32', '--print', 's[1]', '--print', '0:0[0]', '--print', 'im[1]').quiet()
        t.check(r.text == 'O: 0 5 77 0 255 2 9 4\ns[1]: {b: 5, d: [77, 0]}\n0:0[0]: {b: 0, d: [0, 0]}\n'
                'im[1]: (0, 0, 0, 0) (0, 0, 0, 0) (9, 0, 0, 1)\n', r.text)
    t.run(*base, *sets, '--expect', 's[1]=u32:5,77,0', '--save', 's[1]=one.bin').quiet()
    t.check(t.wrote('one.bin')['one.bin'] == b'\5\0\0\0M\0\0\0\0\0\0\0', '--save of an element')
    t.run(*base, *sets, '--print', 's', status=2).has('array of 2', '`s[0]`')
    t.run(*base, *sets, '--print', 's[2]', status=2).has('`s` has 2 elements')
    t.run(*base, *sets, '--print', 'o[0]', status=2).has('is no array')
    t.run(*base, '--set', 'tex[1]=zeros:1x1', '--set', 'im=zeros:1x1', status=2).has('--set tex[0]=')


def test_registers_and_arrays_without_a_size(t):
    t.write('a.hlsl', HLSL)
    base = ['run', 'a.hlsl', '-T', 'cs_6_6', '--groups', '1', '--set', 'o=zeros:5', '--sampler', 'modes=linear',
            '--sampler', 'modes[1]=nearest', '--set', 't=u32:1,2', '--set', 't4=u32:3,4', '--set', 't[1]=u32:5,6']
    r = t.run(*base, '--set', 'many=rgba8:2x1:00000000ff000000', '--set', 't2.1=rgba8:1x1:ff000000', '--print', 'u0.2:x32')
    t.check(r.text == 'u0.2: 0x00000005 0x00000004 0x3f800000 0x00000000 0x3f000000\n', r.text)
    t.run(*base, '--set', 'many[2]=zeros:1x1', status=2).has('`many[0]` is not set')
    for option, value, text in (('--set', 't[3]=u32:1', '`t` has 3 elements'), ('--set', '0:2[9]=u32:1', '9'), ('--sampler', 'modes[2]=linear', 'has 2'),
                                ('--sampler', 'o=linear', 'no sampler'), ('--print', 'modes[1]', 'a sampler')):
        t.run(*base, '--set', 'many=zeros:1x1', '--set', 'many[2]=zeros:1x1', option, value, status=2).has(text)
