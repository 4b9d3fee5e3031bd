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
    t.run(*BASE, *SETS, '--save', 'result=c.comp/x', status=2).has('c.comp/x')


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
