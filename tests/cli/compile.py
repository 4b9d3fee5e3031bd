"""What to compile, and how: entries, stages, languages, macros, warnings, bindings, layouts."""
import json

COMP = '''#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Words { uint w[]; };
void main() { w[0] = uint(N); }
'''
TWO = '''RWStructuredBuffer<uint> o : register(u0);
RWStructuredBuffer<uint> p : register(u1);
[shader("compute")] [numthreads(2, 1, 1)] void first() { o[0] = 1; }
[shader("compute")] [numthreads(3, 1, 1)] void second() { p[0] = 2; }
void helper() {}
'''


def reflect(t, *arguments):
    return t.run('reflect', *arguments).json()


def entries(r):
    return [e['name'] for e in r['entries']]


def test_entries(t):
    t.write('two.hlsl', TWO)
    t.check(entries(reflect(t, 'two.hlsl')) == ['first', 'second'], 'not all that the source marks')
    t.check(entries(reflect(t, 'two.hlsl', '--all-entries')) == ['first', 'second'], '--all-entries')
    t.check(entries(reflect(t, 'two.hlsl', '-E', 'second')) == ['second'], '-E')
    t.check(sorted(entries(reflect(t, 'two.hlsl', '-Esecond,first'))) == ['first', 'second'], '-E with two')
    t.check(sorted(entries(reflect(t, 'two.hlsl', '-E', 'second', '--entry', 'first'))) == ['first', 'second'], '-E repeated')
    t.run('two.hlsl', '-E', 'third', '-o', '-', status=1).has('third', 'helper')
    t.write('one.comp', '#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n')
    t.run('one.comp', '-E', 'other', '-o', '-', status=1).has('other', 'main')
    t.run('one.comp', '-E', 'main', '-o', '-').quiet()
    asm = t.run('two.hlsl', '--asm', '-o', '-').text
    t.check('"first"' in asm and '"second"' in asm, 'SPIR-V does not keep the names')


def test_split_entries(t):
    t.write('two.hlsl', TWO)
    t.sources_are_written()
    t.run('two.hlsl', '--split-entries', '--target', 'spirv,wgsl', '-o', 'out/x.spv', '--reflect', 'r.json').quiet()
    r = json.loads((t.folder / 'r.json').read_text())
    got = t.wrote('out/x.first.spv', 'out/x.second.spv', 'out/x.first.wgsl', 'out/x.second.wgsl', 'r.json')
    t.check(b'second' not in got['out/x.first.wgsl'] and b'first' in got['out/x.first.wgsl'], 'entries are not apart')
    t.check(got['out/x.first.wgsl'].count(b'@group') == 1, 'resources of the other entry')
    t.check(len(r['targets']) == 4 and all(len(x['entries']) == 1 for x in r['targets']), 'reflection is not by output')
    t.run('two.hlsl', '--split-entries')
    t.wrote('two.first.spv', 'two.second.spv')
    t.run('two.hlsl', '--split-entries', '-o', 'out/', '-MD')
    deps = t.wrote('out/two.first.spv', 'out/two.second.spv', 'out/two.d')['out/two.d']
    t.check(deps.startswith(b'out/two.first.spv out/two.second.spv: two.hlsl'), f'dependencies {deps}')
    t.refuses('two.hlsl', '--split-entries', '-o', '-')


def test_stages(t):
    vert = '#version 450\nvoid main() { gl_Position = vec4(0.0); }\n'
    frag = '#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1.0); }\n'
    t.write('x.vert', vert)
    t.write('y.frag.glsl', frag)
    t.write('z.glsl', vert)
    t.write('p.glsl', '#version 450\n#pragma shader_stage(fragment)\n' + frag.split('\n', 1)[1])
    t.write('both.hlsl', 'float4 V() : SV_Position { return 0; }\nfloat4 P() : SV_Target { return 1; }\n')
    t.write('q.frag.hlsl', 'float4 main() : SV_Target { return 1; }\n')

    def stage(*arguments):
        return [(e['name'], e['stage']) for e in reflect(t, *arguments)['entries']]

    t.check(stage('x.vert') == [('main', 'vertex')], 'x.vert')
    t.check(stage('y.frag.glsl') == [('main', 'fragment')], 'y.frag.glsl')
    t.check(stage('p.glsl') == [('main', 'fragment')], '#pragma shader_stage')
    t.check(stage('q.frag.hlsl') == [('main', 'fragment')], 'q.frag.hlsl')
    for words in (('--stage', 'vert'), ('--stage=vertex',), ('-fshader-stage=vert',)):
        t.check(stage('z.glsl', *words) == [('main', 'vertex')], f'{words}')
    wanted = [('V', 'vertex'), ('P', 'fragment')]
    t.check(sorted(stage('both.hlsl', '-E', 'V,P', '--stage', 'vert,frag')) == sorted(wanted), '-E V,P')
    t.check(sorted(stage('both.hlsl', '--stage', 'frag,vert', '-E', 'P,V')) == sorted(wanted), '--stage before -E')
    t.check(stage('both.hlsl', '-T', 'ps_6_0', '-E', 'P') == [('P', 'fragment')], '-T ps_6_0')
    t.check(stage('both.hlsl', '-Tvs_6_6', '-EV') == [('V', 'vertex')], '-Tvs_6_6')
    t.refuses('both.hlsl', '-E', 'V,P', '--stage', 'vert,frag,comp').has('--stage')


def test_languages(t):
    t.write('x.txt', COMP)
    t.write('old.frag', 'void main() { gl_FragColor = vec4(1.0); }\n')
    t.run('x.txt', '-o', '-', status=2).has('--lang')
    t.run('x.txt', '--lang', 'glsl', '--stage', 'comp', '-DN=1', '-o', '-').quiet()
    t.run('x.txt', '-x', 'glsl', '--stage', 'comp', '-DN=1', '-o', '-').quiet()
    t.run('x.txt', '--lang', 'hlsl', '--stage', 'comp', '-o', '-', status=1).has('error[CY')
    body = COMP.split('\n', 1)[1]
    t.write('v.comp', body)
    t.run('v.comp', '-DN=__VERSION__', '-std=450core', '-o', '-').quiet()
    t.write('h.hlsl', '#if __HLSL_VERSION != 2018\n#error other\n#endif\n[numthreads(1,1,1)] void main() {}\n')
    t.run('h.hlsl', '-T', 'cs_6_0', '-HV', '2018', '-o', '-').quiet()
    t.run('h.hlsl', '-T', 'cs_6_0', '-o', '-', status=1).has('other')
    t.write('w.comp', COMP)
    t.run('w.comp', 'h.hlsl', '-DN=1', '-T', 'cs_6_0', '-HV', '2018', '-o', 'both/').quiet()
    t.write('h.txt', '[numthreads(1,1,1)] void main() {}\n')
    t.run('h.txt', '-T', 'cs_6_0', '-o', '-').quiet()


def test_macros(t):
    t.write('n.comp', COMP)
    t.run('n.comp', '-o', '-', status=1).has('`N`')
    for words in (('-DN=5',), ('-D', 'N=5'), ('-D', 'M=5', '-DN=M'), ('-DN=7', '-UN', '-DN=5')):
        t.check('w[0] = uint(5)' in t.run('n.comp', *words, '--preprocess').text.replace(' ;', ';'), f'{words}')
    t.check('uint(1)' in t.run('n.comp', '-DN', '--preprocess').text, '-DN is not 1')
    t.run('n.comp', '-DN=5', '-U', 'N', '-o', '-', status=1).has('`N`')


def test_includes(t):
    head = '#version 450\n#extension GL_GOOGLE_include_directive : require\n'
    t.write('s/x.comp', head + '#include "n.h"\n' + COMP.split('\n', 1)[1])
    t.write('s/n.h', '#define N 1\n')
    t.write('one/n.h', '#define N 2\n')
    t.write('two/n.h', '#define N 3\n')
    t.write('two/forced.h', '#define N 4\n')
    t.write('plain.comp', COMP)

    def number(*arguments):
        text = t.run(*arguments, '--preprocess').text
        return text[text.index('uint(') + 5]

    t.check(number('s/x.comp', '-I', 'one') == '1', "the including file's folder is not first")
    (t.folder / 's/n.h').unlink()
    t.check(number('s/x.comp', '-I', 'one', '-Itwo') == '2', '-I is not in order')
    t.check(number('s/x.comp', '-Itwo', '-I', 'one') == '3', '-I is not in order')
    t.check(number('plain.comp', '--include', 'two/forced.h') == '4', '--include')
    t.check(number('plain.comp', '-I', 'two', '--include', 'forced.h') == '4', '--include along -I')
    t.run('s/x.comp', '-o', '-', status=1).has('CY1120', 'n.h')


def test_optimisation_changes_no_result(t):
    t.write('n.comp', COMP)
    for level in ('-O0', '-O1', '-O2', '-O3', '-O', '-Os', '-Od', '-g'):
        t.run('n.comp', '-DN=9', level, '-o', '-').quiet()
        r = t.run('run', 'n.comp', '-DN=9', level, '--groups', '1', '--set', 'Words=zeros:1', '--print', 'Words')
        t.check(r.text == 'Words: {w: [9]}\n', f'{level}: {r.text}')


def test_warnings(t):
    t.write('w.comp', '#version 450\n#ifdef A\n#endif stray\nvoid main() {}\n')
    t.run('w.comp', '-o', '-').has('warning[CY1101]', '[-Wextra-tokens]')
    t.run('w.comp', '-Wno-extra-tokens', '-o', '-').quiet()
    for words in (('-w',), ('-no-warnings',)):
        t.run('w.comp', *words, '-o', '-').quiet()
    for words in (('-Werror',), ('-WX',), ('-Werror=extra-tokens',)):
        t.run('w.comp', *words, '-o', '-', status=1).has('error[CY1101]')
    t.run('w.comp', '-Wno-such-warning', '-Wall', '-o', '-').has('CY1101')
    many = '\n'.join(f'#error number {n}' for n in range(40))
    t.write('m.comp', '#version 450\n' + '\n'.join(f'int a{n} = nothing{n};' for n in range(40)) + '\nvoid main() {}\n')
    t.check(many and t.run('m.comp', '-o', '-', status=1).err.count('error[') in (20, 21), 'the limit is not 20')
    t.check(t.run('m.comp', '-ferror-limit=3', '-o', '-', status=1).err.count('error[') in (3, 4), '-ferror-limit=3')
    t.check(t.run('m.comp', '-ferror-limit=0', '-o', '-', status=1).err.count('error[') == 40, '-ferror-limit=0')


def places(r):
    return {x['name']: (x.get('set'), x.get('binding')) for x in r['resources']}


CLASSES = '''Texture2D<float4> tex : register(t0);
SamplerState smp : register(s0);
cbuffer Block : register(b0) { float4 scale; };
RWStructuredBuffer<float4> o : register(u0);
RWStructuredBuffer<float4> far : register(u3, space2);
RWStructuredBuffer<float4> loose;
[numthreads(1,1,1)] void main() { o[0] = tex.SampleLevel(smp, float2(0, 0), 0) * scale; far[0] = 1; loose[0] = 2; }
'''


def test_bindings(t):
    t.write('c.hlsl', CLASSES)
    base = ('c.hlsl', '-T', 'cs_6_0')
    auto = places(reflect(t, *base))
    t.check(auto == {'tex': (0, 0), 'smp': (0, 128), 'Block': (0, 256), 'o': (0, 384), 'far': (2, 3), 'loose': (0, 385)},
            f'auto: {auto}')
    separated = places(reflect(t, *base, '--bindings', 'separated'))
    t.check(separated['far'] == (2, 387) and separated['tex'] == (0, 0), f'separated: {separated}')
    r = t.run('reflect', *base, '--bindings=dxc').has('warning', 'binding')
    t.check(places(r.json())['smp'] == (0, 0), 'dxc separates')
    shifted = places(reflect(t, *base, '-fvk-t-shift', '10', '0', '-fvk-s-shift', '20', 'all', '-fvk-b-shift', '30', '0',
                             '-fvk-u-shift', '40', '2'))
    t.check((shifted['tex'], shifted['smp'], shifted['Block'], shifted['o'], shifted['far']) ==
            ((0, 10), (0, 20), (0, 30), (0, 0), (2, 43)), f'shifted: {shifted}')
    for option in ('-fvk-bind-register', '-vkbr'):
        bound = places(reflect(t, *base, option, 't0', '0', '7', '1', option, 'u3', '2', '8', '3'))
        t.check(bound['tex'] == (1, 7) and bound['far'] == (3, 8), f'{option}: {bound}')
    t.write('map.toml', 'tex = { set = 2, binding = 9 }\nloose = { group = 1, binding = 4 }\n')
    mapped = places(reflect(t, *base, '--binding-map', 'map.toml'))
    t.check(mapped['tex'] == (2, 9) and mapped['loose'] == (1, 4), f'map: {mapped}')
    t.write('bad.toml', 'tex = 3\n')
    t.refuses(*base, '--binding-map', 'bad.toml').has('tex')
    t.refuses(*base, '--binding-map', 'none.toml').has('none.toml')


def test_missing_bindings(t):
    t.write('m.comp', '#version 450\nlayout(binding = 0) buffer A { uint a; };\nbuffer B { uint b; };\nvoid main() { a = b; }\n')
    t.check(places(reflect(t, 'm.comp'))['B'] == (0, 1), 'not the lowest free number')
    t.run('m.comp', '--auto-map=off', '-o', '-', status=1).has('`B`')


def test_layouts(t):
    t.write('l.hlsl', 'struct S { float a[3]; float3 b; float c; };\nConstantBuffer<S> s : register(b0);\n'
            'RWStructuredBuffer<S> o : register(u0);\n[numthreads(1,1,1)] void main() { o[0].c = s.c; }\n')

    def sizes(*options):
        r = reflect(t, 'l.hlsl', '-T', 'cs_6_0', *options)
        by_name = {x['name']: x['layout'] for x in r['resources']}
        uniform = r['structs'][by_name['s']['struct']]
        return [m['offset'] for m in uniform['members']] + [by_name['o'].get('stride')]

    wanted = {'dxc': [0, 48, 60, 28], 'd3d': [0, 36, 48, 28], 'std': [0, 48, 60, 32], 'scalar': [0, 12, 24, 28]}
    for name, want in wanted.items():
        got = sizes('--layout', name)
        t.check(got[0] == 0 and (name == 'd3d' or got[:3] == want[:3]), f'{name}: {got}, want {want}')
    for option, name in (('-fvk-use-dx-layout', 'd3d'), ('-fvk-use-gl-layout', 'std'), ('-fvk-use-scalar-layout', 'scalar')):
        t.check(sizes(option) == sizes('--layout', name), f'{option} is not {name}')
    t.check(sizes() == sizes('--layout', 'dxc'), 'the default is not dxc')


def test_majorness(t):
    t.write('m.hlsl', 'cbuffer B : register(b0) { float2x3 m; };\nRWStructuredBuffer<float> o;\n'
            '[numthreads(1,1,1)] void main() { o[0] = m[1][2]; }\n')
    for options, want in (((), 'column'), (('-Zpr',), 'row'), (('-Zpc',), 'column')):
        r = reflect(t, 'm.hlsl', '-T', 'cs_6_0', *options)
        m = next(s for s in r['structs'] if s['members'][0]['name'] == 'm')['members'][0]
        t.check((m['rows'], m['columns'], m['majorness']) == (2, 3, want), f'{options}: {m}')


def test_dxc_line(t):
    t.write('x.hlsl', 'RWStructuredBuffer<half> o : register(u0);\n[numthreads(1,1,1)] void CS() { o[0] = (half)1; }\n')
    t.sources_are_written()
    t.run('-nologo', '-spirv', '-Tcs_6_2', '-ECS', '-enable-16bit-types', '-fspv-target-env=vulkan1.1', '-fvk-use-dx-layout',
          '-Zi', '-O3', '-Zpr', '-Qstrip_debug', '-all-resources-bound', '-Wno-conversion', '-Fo', 'x.spv', 'x.hlsl').quiet()
    t.wrote('x.spv')


def test_dependencies(t):
    head = '#version 450\n#extension GL_GOOGLE_include_directive : require\n'
    t.write('a b.comp', head + '#include "n$.h"\n#include "inc/m.h"\n' + COMP.split('\n', 1)[1])
    t.write('n$.h', '#define N 1\n')
    t.write('inc/m.h', '\n')
    t.sources_are_written()
    t.run('a b.comp', '-o', 'x.spv', '--depfile', 'x.d')
    text = t.wrote('x.spv', 'x.d')['x.d'].decode()
    t.check(text == 'x.spv: a\\ b.comp \\\n  n$$.h \\\n  inc/m.h\n', text)
    t.run('a b.comp', '-o', 'x.spv', '-MD')
    t.check(t.wrote('x.spv', 'x.spv.d')['x.spv.d'].decode() == text, '-MD')
    t.run('a b.comp', '-o', 'x.spv', '-MD', '-MF', 'y.d', '-MT', 'all')
    t.check(t.wrote('x.spv', 'y.d')['y.d'].decode() == text.replace('x.spv', 'all', 1), '-MF -MT')
    t.run('a b.comp', '-o', 'x', '--target', 'spirv,wgsl', '-MD')
    text = t.wrote('x.spv', 'x.wgsl', 'x.spv.d')['x.spv.d'].decode()
    t.check(text.startswith('x.spv x.wgsl: a\\ b.comp'), text)
    t.write('b.comp', COMP)
    t.refuses('b.comp', 'a b.comp', '-o', 'out/', '--depfile', 'x.d')


def test_forms_of_messages(t):
    t.write('e.comp', '#version 450\nvoid main() {\n\tint x = nöthing;\n}\n'.replace('ö', 'o'))
    t.run('e.comp', '-o', '-', status=1).has('e.comp:3:10: error[CY', '\tint x = nothing;', '^~~~~~~')
    t.run('e.comp', '-o', '-', '--diagnostics', 'msvc', status=1).has('e.comp(3,10): error CY')
    t.run('e.comp', '-o', '-', '-fdiagnostics-format=msvc', status=1).has('e.comp(3,10): error CY')
    m = json.loads(t.run('e.comp', '-o', '-', '--diagnostics=json', status=1).err)
    t.check((m['file'], m['line'], m['col'], m['severity']) == ('e.comp', 3, 10, 'error'), str(m))
    t.check({'end', 'code', 'name', 'text', 'notes', 'fixes', 'target'} <= set(m), str(m))
    log = json.loads(t.run('e.comp', '-o', '-', '--diagnostics=sarif', status=1).err)
    result = log['runs'][0]['results'][0]
    region = result['locations'][0]['physicalLocation']['region']
    t.check(log['version'] == '2.1.0' and result['level'] == 'error', str(log))
    t.check((region['startLine'], region['startColumn'], region['endColumn']) == (3, 10, 17), str(region))
    t.write('ok.comp', '#version 450\nvoid main() {}\n')
    log = json.loads(t.run('ok.comp', '-o', '-', '--diagnostics=sarif').err)
    t.check(log['runs'][0]['results'] == [], 'a log without results')
    t.write('d.comp', '#version 450\nlayout(binding = 0) buffer B { double d; };\nvoid main() { d = 1.0LF; }\n')
    r = t.run('d.comp', '-o', 'd.wgsl', '--diagnostics=json', status=1)
    t.check(json.loads(r.err)['target'] == 'wgsl', 'the target is not named')
    t.run('d.comp', '-o', 'd.wgsl', status=1).has(']: wgsl: ')
    for form in ('json', 'sarif'):
        r = t.run('missing.comp', '--diagnostics', form, status=1)
        t.check('CY6001' in json.dumps(json.loads(r.err)), f'{form}: {r.err}')


def test_printing_options(t):
    t.write('n.comp', COMP)
    t.sources_are_written()
    base = ('n.comp', '-DN=3')
    t.run(*base, '--preprocess').says('uint(3)')
    t.run(*base, '-P').says('uint(3)')
    t.run(*base, '--print-ir').says('entry main', 'store')
    t.run(*base, '--print-ir=loc').says('@4:')
    t.run(*base, '--print-ir=dead_code').says('entry main')
    r = t.run(*base, '--target', 'wgsl,msl', '--print-ir=materialise_layouts').says('// wgsl\n', '// msl')
    t.check(' @4:' not in r.text, 'places without `,loc`')
    t.run(*base, '--target', 'wgsl', '--print-ir=materialise_layouts,loc').says(' @4:')
    t.run(*base, '--target', 'spirv', '--print-ir=hoist_continue', status=1).has('CY6004', 'hoist_continue')
    t.refuses(*base, '--print-ir=hoist_continu').has('hoist_continue')
    t.run(*base, '--target', 'spirv,wgsl', '--print-plan').says('all targets\n', '\nwgsl\n', 'materialise_layouts')
    t.wrote()
    t.run(*base, '--print-plan', '-o', 'plan.txt').quiet()
    t.check(b'all targets' in t.wrote('plan.txt')['plan.txt'], '--print-plan -o')
    t.run(*base, '--time', '-o', 'x.wgsl').says('n.comp', 'preprocess', 'wgsl: write', ' ms', ' bytes')
    t.wrote('x.wgsl')
    t.refuses(*base, '--print-plan', '--print-ir')
    t.refuses(*base, '--time', '-o', '-')


def test_reflection_of_a_failed_target(t):
    t.write('d.comp', '#version 450\nlayout(binding = 0) buffer B { double d; };\nvoid main() { d = 1.0LF; }\n')
    t.sources_are_written()
    t.run('d.comp', '--target', 'spirv,wgsl', '-o', 'x', '--reflect', 'r.json', status=1)
    r = json.loads(t.wrote('x.spv', 'r.json')['r.json'])
    t.check([(x['name'], x['ok']) for x in r['targets']] == [('spirv', True), ('wgsl', False)], str(r['targets']))
    t.write('n.comp', COMP)
    t.run('n.comp', 'd.comp', '-DN=1', '-o', 'out/', '--reflect', 'refl/')
    t.wrote('n.comp', 'out/n.comp.spv', 'out/d.comp.spv', 'refl/n.comp.json', 'refl/d.comp.json')
    t.refuses('d.comp', 'd.comp', '-o', 'out/', '--reflect', 'r.json')


def test_options_of_dxc(t):
    t.write('x.hlsl', '[numthreads(1, 1, 1)] void main() {}\n')
    base = ('x.hlsl', '-T', 'cs_6_0', '-o', '-')
    for words in (('-Cc',), ('-Gis',), ('-Zss',), ('-fspv-debug=vulkan',), ('-Oconfig=-O',), ('-validator-version', '1.7'),
                  ('-auto-binding-space', '1'), ('-fspv-extension=SPV_KHR_ray_query',), ('-res-may-alias',)):
        t.run(*base, *words).quiet()
    for words in (('-fspv-entrypoint-name', 'x'), ('-fvk-bind-globals', '1', '0'), ('-exports', 'a'), ('-denorm', 'ftz')):
        t.refuses(*base, *words).has('not supported yet')
    for words in (('-metal',), ('-Frs', 'x'), ('-fcgl',), ('-rootsig-define', 'R')):
        t.refuses(*base, *words).has('not followed here: ')


def test_debug_information(t):
    t.write('src/n.comp', COMP)
    plain = t.run('src/n.comp', '-DN=1', '--asm', '-o', '-').text
    t.check('OpLine' not in plain and 'OpSource' not in plain, 'places without -g')
    text = t.run('src/n.comp', '-DN=1', '-g', '--asm', '-o', '-').text
    t.check('OpSource GLSL 450' in text and 'OpString "src/n.comp"' in text and ' 4 ' in text[text.index('OpLine'):], text)
    text = t.run('src/n.comp', '-DN=1', '-g', '-ffile-prefix-map=src/=lib/', '--asm', '-o', '-').text
    t.check('OpString "lib/n.comp"' in text and 'src/' not in text, text)
    t.refuses('src/n.comp', '-ffile-prefix-map=src')
