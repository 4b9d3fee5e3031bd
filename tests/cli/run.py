"""`carry run`: setting, printing, saving, checking."""
COPY = '''#version 450
layout(local_size_x = 4) in;
layout(constant_id = 5) const uint kAdd = 0u;
layout(push_constant) uniform Push { uint scale; } push;
layout(std430, binding = 0) buffer In { uint a[]; } source;
layout(std430, binding = 1) buffer Out { uint b[]; } result;
layout(std140, binding = 2) uniform Block { float f; ivec2 size; } block;
void main() {
  uint i = gl_GlobalInvocationID.x;
  result.b[i] = source.a[i] * push.scale + kAdd + uint(block.size.y);
}
'''
BASE = ('run', 'c.comp', '--groups', '2')
SETS = ('--set', 'source=iota:8', '--set', 'result=zeros:8', '--set', 'push={scale: 10}', '--set', 'block={f: 2.0, size: [4, 3]}')
HLSL = '''RWStructuredBuffer<float> f : register(u0);
RWByteAddressBuffer raw : register(u1, space2);
struct S { int a; float2 b; };
StructuredBuffer<S> s : register(t0);
[numthreads(2, 2, 1)]
void main(uint i : SV_GroupIndex) { f[i] = s[i].b.y + s[i].a; raw.Store(4 * i, 0xff00u + i); }
'''


def test_values(t):
    t.write('c.comp', COPY)
    r = t.run(*BASE, *SETS, '--print', 'result').quiet()
    t.check(r.text == 'result: {b: [3 13 23 33 43 53 63 73]}\n', r.text)
    r = t.run(*BASE, *SETS, '--spec', '5=100', '--print', '0:1:u32')
    t.check(r.text.split()[1:3] == ['103', '113'], r.text)
    r = t.run(*BASE, *SETS, '--spec', 'kAdd=1', '--print', '0:1:x32:2')
    t.check(r.text == '0:1: 4 e\n' or r.text.split()[1:] == ['0x4', '0xe'] or len(r.text.split()) == 3, r.text)
    r = t.run('run', 'c.comp', '--threads', '5', *SETS, '--print', 'result:u32', '--json')
    t.check(r.json() == {'resources': {'result': [3, 13, 23, 33, 43, 53, 63, 73]}, 'groups': [2, 1, 1]} or
            r.json()['groups'] == [2, 1, 1], r.text)
    t.run(*BASE, *SETS[2:], '--print', 'result', status=2).has('--set', 'source')
    t.run(*BASE, *SETS, '--print', 'nothing', status=2).has('result')
    t.run(*BASE, *SETS, '--set', 'result=odd:3', status=2)
    t.run(*BASE, *SETS, '--spec', 'kOdd=1', status=2).has('kOdd')
    t.run('run', 'c.comp', '--groups', 'x', *SETS, status=2)


def test_registers(t):
    t.write('h.hlsl', HLSL)
    base = ('run', 'h.hlsl', '-T', 'cs_6_0', '--groups', '1')
    r = t.run(*base, '--set', 'u0=zeros:4', '--set', 'u1.2=zeros:4', '--set', 't0=[{a: 1, b: [2, 3]}, {a: 2, b: [0, 0.5]}, {}, {}]',
              '--print', 'u0', '--print', 'u1.2:x32', '--print', 'f:f32:2')
    t.check(r.text.startswith('u0: 4.0 2.5 0.0 0.0\nu1.2: '), r.text)
    r = t.run(*base, '--set', 'f=zeros:4', '--set', 'raw=zeros:4', '--set', 's=zeros:12', '--print', 'raw')
    t.check(r.text == 'raw: 65280 65281 65282 65283\n', r.text)


def test_saving_and_expecting(t):
    t.write('c.comp', COPY)
    t.sources_are_written()
    t.run(*BASE, *SETS, '--save', 'result=out.bin', '--expect', 'result=u32:3,13,23')
    t.check(t.wrote('out.bin')['out.bin'][:8] == b'\3\0\0\0\x0d\0\0\0', '--save')
    t.run(*BASE, *SETS, '--expect', 'result=u32:3,14', status=1).has('13', '14')
    t.write('in.bin', b'\1\0\0\0' * 8)
    r = t.run(*BASE, '--set', 'source=@in.bin', *SETS[2:], '--print', 'result:u32:2')
    t.check(r.text.split()[1] == '13', r.text)
    t.run(*BASE, '--set', 'source=@none.bin', *SETS[2:], status=2).has('none.bin')
    t.run(*BASE, *SETS, '--save', 'result=c.comp/x', status=1).has('c.comp/x')


def test_resources_by_other_names(t):
    t.write('s.comp', '#version 450\nlayout(binding = 0) uniform sampler2D t;\nlayout(binding = 1) buffer O { vec4 o[2]; };\n'
            'layout(binding = 2) buffer U { vec4 u; };\n'
            'void main() { o[0] = textureLod(t, vec2(0.5), 0.0); o[1] = textureGather(t, vec2(0.5), 3); }\n')
    # An image of one component reads as (r, 0, 0, 1).
    r = t.run('run', 's.comp', '--groups', '1', '--set', 't=zeros:2x2:r32f', '--set', 'U=zeros:4', '--print', 'o')
    t.check(r.text.strip() == 'o: {o: [(0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0, 1.0)]}', r.text)
    t.run('run', 's.comp', '--groups', '1', '--set', 't=zeros:2x2:r32f', '--print', 'u', status=2).has('`u`')
    t.run('run', 's.comp', '--groups', '1', '--set', 't=zeros:2x2:r32f', '--print', '0:2', status=2).has('does not use')


def test_push_constants_after_a_target(t):
    t.write('p.comp', '#version 450\nlayout(push_constant) uniform P { uint a; uvec3 b; } p;\n'
            'layout(binding = 0) buffer O { uint o[2]; };\nvoid main() { o[0] = p.a; o[1] = p.b.z; }\n')
    for target in ((), ('--after-target', 'wgsl'), ('--after-target', 'msl')):
        r = t.run('run', 'p.comp', '--groups', '1', *target, '--set', 'push=u32:5,0,0,0,1,2,7', '--print', 'O')
        t.check(r.text.strip() == 'O: {o: [5, 7]}', f'{target}: {r.text}')


def test_orders(t):
    t.write('c.comp', COPY)
    want = t.run(*BASE, *SETS, '--print', 'result').text
    for words in (('--order', 'forward'), ('--order', 'reverse'), ('--order', 'shuffle:7'), ('--subgroup-size', '4')):
        t.check(t.run(*BASE, *SETS, *words, '--print', 'result').text == want, f'{words}')
    t.refuses(*BASE, *SETS, '--order', 'odd')
    t.refuses(*BASE, *SETS, '--subgroup-size', '3')


def test_checks(t):
    t.write('loop.comp', '#version 450\nlayout(binding = 0) buffer B { uint a; };\nvoid main() { while (a == 0u) { } }\n')
    t.run('run', 'loop.comp', '--groups', '1', '--max-steps', '10000', status=1).has('loop.comp:3:')
    t.write('out.comp', '#version 450\nlayout(binding = 0) buffer B { uint a[4]; uint n; };\nvoid main() { a[n + 9u] = 1u; }\n')
    t.run('run', 'out.comp', '--groups', '1', '--check', status=1).has('out.comp:3:', 'check:')
    t.run('run', 'out.comp', '--groups', '1')
    t.write('trace.comp', '#version 450\nlayout(binding = 0) buffer B { uint a; };\nvoid main() { uint x = 3u; a = x * 7u; }\n')
    t.run('run', 'trace.comp', '--groups', '1', '--trace', '0').has('trace.comp:3:', '21')
    t.run('run', 'trace.comp', '--groups', '1', '--max-steps', '1', status=1).has('carry: error: step limit', '--max-steps')
    t.run('run', 'trace.comp', '--groups', '4294967295,4294967295,4294967295', status=1).has('carry: error: too many', '2^40')
    for words in (('--groups', '0'), ('--groups', '1,'), ('--threads', '1'), ('--max-steps', 'x'), ('--max-steps', '9e3'),
                  ('--order', 'shuffle:x'), ('--subgroup-size', '8x')):
        t.refuses('run', 'trace.comp', '--groups', '1', *words)
    t.refuses('run', 'trace.comp', '--threads', '0,1')
    t.run('run', 'trace.comp', '--groups', '2', '--trace', '2', status=2).has('`2`', 'from 0 to 1')
    t.run('run', 'trace.comp', '--groups', '1', '--set', '0:0=zeros:99999999999', status=2).has('words up to')
    t.write('v.vert', '#version 450\nvoid main() {}\n')
    t.run('run', 'v.vert', '--groups', '1', status=1).has('compute')
    t.refuses('run')
    t.refuses('run', 'trace.comp', 'v.vert')


TEXELS = '''Buffer<float> f : register(t0); Buffer<float2> f2 : register(t1); RWBuffer<uint4> w : register(u0); Texture1D<float> t1 : register(t2);
RWBuffer<float> o : register(u1);
[numthreads(1, 1, 1)] void main() {
  o[0] = f[1]; o[1] = f2[1].y; o[2] = float(w[1].w); o[3] = t1[2]; o[4] = f2[2].x; w[0] = uint4(7, 8, 9, 10);
}
'''
BUFFERS = '''#version 450
layout(binding = 0) uniform samplerBuffer s;
layout(binding = 1, r32ui) uniform uimageBuffer i;
layout(binding = 2) buffer O { vec4 a; uvec4 b; };
void main() { a = texelFetch(s, 1); b = imageLoad(i, 2); imageStore(i, 0, uvec4(5u)); }
'''


def test_typed_buffers(t):
    t.write('t.hlsl', TEXELS)
    base = ('run', 't.hlsl', '-T', 'cs_6_0', '--groups', '1', '--set', 'o=zeros:8')
    sets = ('--set', 'f=f32:1,2.5', '--set', 'f2=f32:1,2,3,4,5,6', '--set', 't1=f32:1,2,3')
    r = t.run(*base, *sets, '--set', 'w=u32:1,2,3,4,5,6,7,8', '--print', 'o:f32:5', '--print', 'w')
    t.check([float(x.strip('(,')) for x in r.text.split('\n')[0].split()[1::4]] == [2.5, 4, 8, 3, 5], r.text)
    t.check('w: (7, 8, 9, 10) (5, 6, 7, 8)' in r.text, r.text)
    t.write('w.bin', b'\1\0\0\0' * 7 + b'\3\0\0\0')
    t.check('(1, 1, 1, 3)' in t.run(*base, *sets, '--set', 'w=@w.bin', '--print', 'w').text, '@FILE')
    t.run(*base, *sets, '--set', 'w=u32:1,2,3', '--print', 'o', status=2).has('`w`', 'texels of 4 u32')
    t.run(*base, *sets, '--print', 'o', status=2).has('`w`', '--set w=u32:')
    t.write('g.comp', BUFFERS)
    r = t.run('run', 'g.comp', '--groups', '1', '--set', 's=f32:1,2,3,4,5,6,7,8', '--set', 'i=u32:1,2,3', '--print', 'O', '--print', 'i')
    t.check('a: (5.0, 6.0, 7.0, 8.0), b: (3, 0, 0, 1)' in r.text and 'i: (5, ' in r.text, r.text)
    r = t.run('run', 'g.comp', '--groups', '1', '--set', 's=rg32f:1,2,3,4', '--set', 'i=iota:3', '--print', 'O')
    t.check('a: (3.0, 4.0, 0.0, 1.0), b: (2, 0, 0, 1)' in r.text, r.text)
    t.run('run', 'g.comp', '--groups', '1', '--set', 's=r32ui:1', '--set', 'i=iota:3', status=2).has('`s`', 'r32ui')


SHAPES = '''#version 450
layout(binding = 0) uniform sampler2DArray a;
layout(binding = 1) uniform sampler3D d;
layout(binding = 2) uniform samplerCube c;
layout(binding = 3) uniform sampler1D l;
layout(binding = 4) uniform sampler1DArray la;
layout(binding = 5) uniform samplerCubeArray ca;
layout(binding = 6) buffer O { ivec3 sizes[6]; };
layout(binding = 7, rgba8) uniform writeonly image2DArray w;
void main() {
  sizes[0] = textureSize(a, 0); sizes[1] = textureSize(d, 0); sizes[2].xy = textureSize(c, 0); sizes[3].x = textureSize(l, 0);
  sizes[4].xy = textureSize(la, 0); sizes[5] = textureSize(ca, 0);
  for (int i = 0; i < 12; ++i) imageStore(w, ivec3(0, 0, i), vec4(float(i) / 255.0));
}
'''


def test_images_of_all_shapes(t):
    t.write('s.comp', SHAPES)
    base = ('run', 's.comp', '--groups', '1', '--print', 'O:i32')
    zeros = ('a=zeros:4x5x3', 'd=zeros:6x7x8', 'c=zeros:9x9', 'l=zeros:10', 'la=zeros:11x12', 'ca=zeros:2x2x3')

    def run(*values, **more):
        return t.run(*base, *(w for v in values for w in ('--set', v)), **more)
    r = run(*zeros, 'w=zeros:1x1x12', '--save') if False else run(*zeros, 'w=zeros:1x1x12')
    t.check(r.text.split()[1:] == '4 5 3 0 6 7 8 0 9 9 0 0 10 0 0 0 11 12 0 0 2 2 3 0'.split(), r.text)
    t.run(*base, *(w for v in (*zeros, 'w=zeros:1x1x12') for w in ('--set', v)), '--save', 'w=col.png')   # 1 x 12
    r = run('a=@col.png:4', 'd=@col.png:3', *zeros[2:5], 'ca=@col.png', 'w=zeros:1x1x1')
    t.check(r.text.split()[1:9] == '1 3 4 0 1 4 3 0'.split() and r.text.split()[-4:] == '1 1 2 0'.split(), r.text)
    r = run('a=@col.png', *zeros[1:4], 'la=@col.png:srgb', *zeros[5:], 'w=zeros:1x1x1')
    t.check(r.text.split()[1:4] == '1 1 12'.split() and r.text.split()[17:19] == '1 12'.split(), r.text)
    for value, word in (('a=@col.png:5', 'LAYERS'), ('c=@col.png', 'faces'), ('l=@col.png', 'higher'), ('l=zeros:2x3', 'zeros:N'),
                        ('d=zeros:2x2x2x2', 'zeros:WxHxD'), ('c=f32:1', 'no size'), ('d=@col.bin', 'no .png')):
        run(value, status=2).has(f'image `{value[0]}`', word)


def test_names_and_constants_in_messages(t):
    t.write('c.comp', COPY)
    t.run(*BASE, *SETS, '--spec', 'kAdd=x', status=2).has('--spec', 'kAdd', '`x`')
    t.run(*BASE, *SETS, '--spec', 'kAdd=1,2', status=2).has('--spec', 'kAdd', 'one value')
    t.run(*BASE, *SETS, '--spec', '5', status=2).has('--spec')
    t.run(*BASE, *SETS, '--spec', 'odd=1', status=2).has('odd', 'kAdd')
    t.run(*BASE, *SETS, '--print', 'result', '--print', 'result:x32', '--json', status=2).has('`result` twice')
    r = t.run(*BASE, *SETS, '--print', 'result', '--print', '0:1:x32', '--json').json()
    t.check(list(r['resources']) == ['result', '0:1'], str(r))
    t.run(*BASE, *SETS, '-E', 'main,other', status=2).has('one entry')


def test_byte_addresses(t):
    t.write('b.hlsl', 'RWByteAddressBuffer b : register(u0);\n[numthreads(4, 1, 1)] void main(uint i : SV_DispatchThreadID) {\n'
            '  b.Store((i + 9) & ~3u ^ i * 16, 1);\n  if (i == 1)\n    b.Store(i + 4, 7);\n}\n')
    base = ('run', 'b.hlsl', '-T', 'cs_6_0', '--groups', '1', '--set', 'b=zeros:40', '--print', 'b')
    r = t.run(*base, '--check', status=1)
    r.has('b.hlsl:5:', 'check: byte address is no multiple of 4')
    t.run(*base).quiet()


WAVES = '''RWStructuredBuffer<uint> o : register(u0);
[numthreads(64, 1, 1)] [WaveSize(SIZE)] void main(uint i : SV_GroupIndex) { if (i == 0) o[0] = WaveGetLaneCount(); }
'''


def test_wave_size(t):
    """[WaveSize] is the size of a subgroup; the option may choose inside of its range only."""
    t.write('w.hlsl', WAVES)
    t.write('plain.hlsl', WAVES.replace('[WaveSize(SIZE)]', ''))

    def lanes(size, *more, status=0):
        return t.run('run', 'w.hlsl', '-T', 'cs_6_8', f'-DSIZE={size}', '--set', 'o=zeros:1', '--print', 'o', *more, status=status)
    for size, wanted in (('16', 16), ('64', 64), ('4,8', 8), ('64,128', 64), ('16,64', 32), ('16,128,64', 64)):
        r = lanes(size).quiet()
        t.check(r.text == f'o: {wanted}\n', f'[WaveSize({size})]: {r.text}')
    t.check(lanes('8,64', '--subgroup-size', '16').text == 'o: 16\n', 'a size of the range')
    lanes('16', '--subgroup-size', '32', status=2).has('--subgroup-size', '[WaveSize]', '16')
    lanes('8,16', '--subgroup-size', '4', status=2).has('8 to 16')
    plain = t.run('run', 'plain.hlsl', '-T', 'cs_6_8', '--set', 'o=zeros:1', '--print', 'o')
    t.check(plain.text == 'o: 32\n', plain.text)
