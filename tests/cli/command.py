"""Files, options, exit statuses, streams."""
COMP = '''#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Words { uint w[]; };
void main() { w[0] = 7u; }
'''
FRAG = '#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1.0); }\n'
VERT = '#version 450\nvoid main() { gl_Position = vec4(1.0); }\n'
DOUBLES = COMP.replace('w[0] = 7u;', 'double d = double(w[1]); w[0] = uint(d * 2.0);')
WRONG = COMP.replace('7u', 'nothing')


def sources(t):
    t.write('a.comp', COMP)
    t.write('t.vert', VERT)
    t.write('t.frag', FRAG)
    t.write('doubles.comp', DOUBLES)
    t.write('wrong.comp', WRONG)
    t.write('warns.comp', COMP.replace('#version 450', '#version 450\n#ifdef A\n#endif stray'))
    t.sources_are_written()


def test_options_before_and_after(t):
    sources(t)
    t.run('-o', 'x.spv', 'a.comp').quiet()
    before = t.wrote('x.spv')
    t.run('a.comp', '-o', 'x.spv').quiet()
    t.check(before == t.wrote('x.spv'), 'the place of -o changes the output')


def test_double_dash_ends_options(t):
    t.write('-a.comp', COMP)
    t.sources_are_written()
    t.run('-o', 'x.spv', '--', '-a.comp')
    t.wrote('x.spv')


def test_response_files(t):
    sources(t)
    t.write('args', '-o\nx y.spv\n')
    t.write('quoted', "-DN='1 + 1' \"a.comp\" -o \"x \\\"y.spv\"")
    t.write('outer', '@inner a.comp')
    t.write('inner', '-o z.spv')
    t.write('loop', '@loop')
    t.sources_are_written()
    t.run('@quoted')
    t.wrote('x "y.spv')
    t.run('@outer')
    t.wrote('z.spv')
    t.refuses('@missing').has('missing')
    t.refuses('@loop').has('too deeply')


def test_exit_status(t):
    sources(t)
    t.run('warns.comp', '-o', 'x.spv').has('warning[CY1101]')
    t.wrote('x.spv')
    t.run('wrong.comp', '-o', 'x.spv', status=1).has('error[CY')
    t.wrote()
    t.refuses('a.comp', '--no-such-option')
    t.refuses()
    t.refuses('a.comp', '--target', 'wgls').has('wgls')


def test_messages_go_to_standard_error(t):
    sources(t)
    for form in ('text', 'msvc', 'json', 'sarif'):
        r = t.run('wrong.comp', '--diagnostics', form, '-o', '-', status=1)
        t.check(not r.out and r.err, f'{form}: messages are not on standard error alone')
    r = t.run('warns.comp', '-o', '-', '--target', 'wgsl').has('warning')
    t.check(r.out.startswith(b'@group') or b'fn main' in r.out, 'standard output is not the module')


def test_other_targets_are_written(t):
    sources(t)
    t.run('doubles.comp', '--target', 'spirv,wgsl', '-o', 'out/x', status=1).has('wgsl: ', 'CY5201')
    t.wrote('out/x.spv')


def test_files_are_whole_or_not_there(t):
    sources(t)
    t.write('x.spv', 'old')
    t.sources_are_written()
    t.run('wrong.comp', '-o', 'x.spv', status=1)
    t.check((t.folder / 'x.spv').read_text() == 'old', 'an error replaced the last good file')
    t.wrote()
    t.write('file', '')
    t.sources_are_written()
    t.run('a.comp', '-o', 'file/x.spv', status=1).has('cannot write', 'file/x.spv')
    t.wrote()


def test_missing_folders_are_made(t):
    sources(t)
    t.run('a.comp', '-o', 'p/q/r.spv')
    t.wrote('p/q/r.spv')


def test_one_name_for_two_results(t):
    sources(t)
    t.refuses('a.comp', '--target', 'vulkan1.0,vulkan1.2').has('two results', 'a.comp.spv')
    t.refuses('a.comp', 't.frag', '-o', 'one.spv').has('folder')
    t.refuses('a.comp', '-o', 'x.spv', '--depfile', 'x.spv').has('two results')
    t.refuses('a.comp', '-o', 'x.spv', '--reflect', './x.spv').has('two results')
    t.refuses('a.comp', '-o', '-', '--reflect', '-').has('standard output')
    t.refuses('a.comp', '-o', './a.comp').has('replace')
    t.refuses('a.comp', '--target', 'spirv', '-o', 'x.spv', '-o', 'y.spv').has('2 outputs')


def test_same_bytes_each_time(t):
    sources(t)
    t.run('a.comp', '--target', 'spirv,msl,wgsl', '-o', 'x')
    one = t.wrote('x.spv', 'x.metal', 'x.wgsl')
    t.run('--target', 'wgsl,spirv,msl', '-o', 'x', 'a.comp', '-j', '4')
    t.check(one == t.wrote('x.spv', 'x.metal', 'x.wgsl'), 'bytes differ between two runs')


def test_unknown_options_name_the_nearest(t):
    sources(t)
    t.refuses('a.comp', '--tagret', 'msl').has('--target')
    for option, word in (('--entry-point', '-E'), ('-fentry-point', '-E'), ('-profile', '-T'), ('--msl', '--target msl'),
                         ('--amb', 'assigned'), ('--format', '--target'), ('--dump-resources', '--reflect')):
        t.refuses('a.comp', option, 'x').has(word)


def test_options_want_their_values(t):
    sources(t)
    for option in ('-o', '--target', '-E', '-T', '--stage', '--lang', '-std', '-D', '-I', '--binding-map'):
        t.refuses('a.comp', option).has('needs a value')
    for options in (('-T', 'xx_6_0'), ('-D', '1X=3'), ('-D', 'A B=3'), ('-U', 'A=1'), ('-T', 'cs_9_9'), ('-T', 'cs_6_11'), ('-T', 'cs_5_2'), ('--stage', 'fragmant'), ('--lang', 'wgsl'), ('-HV', '2030'), ('-std', '999'),
                    ('--layout', 'odd'), ('--bindings', 'odd'), ('-ferror-limit', 'x'), ('-j', '0'), ('-j', 'x'),
                    ('--diagnostics', 'xml'), ('--glsl-mod', 'odd'), ('--auto-map', 'odd'), ('--strict=all',),
                    ('-fvk-t-shift', 'x', '0'), ('-fvk-bind-register', 'q0', '0', '0', '0'), ('--print-ir=no_pass',)):
        t.refuses('a.comp', *options)


def test_examples_of_the_manual(t):
    t.write('Histogram.hlsl', '[numthreads(1,1,1)] void main() {}\n')
    t.write('triangle.vert', VERT)
    t.write('triangle.frag', FRAG)
    t.write('toy.frag', FRAG)
    t.sources_are_written()
    t.run('--target', 'spirv', '--target', 'msl', '--target', 'wgsl', 'Histogram.hlsl', '--stage', 'comp', '-Fo', 'out/histogram')
    t.wrote('out/histogram.spv', 'out/histogram.metal', 'out/histogram.wgsl')
    t.run('triangle.vert', 'triangle.frag')
    t.wrote('triangle.vert.spv', 'triangle.frag.spv')
    t.run('toy.frag', '-o', 'toy.wgsl')
    t.check(b'@fragment' in t.wrote('toy.wgsl')['toy.wgsl'], 'the ending does not pick the target')


def test_every_listed_target(t):
    sources(t)
    text = t.run('--list-targets').text
    t.check('wgsl: +subgroups' in text and 'wgsl cannot say:' in text and '  buffer references' in text, text)
    names = text.partition('\n\n')[0].split('\n')
    t.check({'vulkan1.0', 'vulkan1.4', 'spirv1.6', 'msl2.1', 'msl3.2', 'wgsl'} <= set(names), f'targets are {names}')
    for name in names + ['msl2.4-ios', 'wgsl+subgroups+f16', 'wgsl+atomic-vec2u-min-max', 'vulkan1.2+atomic-float', 'spirv', 'msl']:
        r = t.run('a.comp', '--target', name, '-o', '-')
        t.check(len(r.out) > 80, f'{name}: no output')
        t.check(t.run('a.comp', f'--target-env={name}', '-o', '-').out == r.out, f'--target-env={name} differs')


def test_names_of_outputs(t):
    sources(t)
    t.write('h.hlsl', '[numthreads(1,1,1)] void main() {}\n')
    t.write('x.comp.glsl', COMP)
    t.sources_are_written()
    t.run('h.hlsl', '-T', 'cs_6_0')
    t.wrote('h.spv')
    t.run('x.comp.glsl')
    t.wrote('x.comp.spv')
    t.run('a.comp', '--target', 'spirv,wgsl', '-o', 'stem.wgsl')
    t.wrote('stem.spv', 'stem.wgsl')
    t.run('a.comp', 't.frag', '-o', 'out/')
    t.wrote('out/a.comp.spv', 'out/t.frag.spv')
    t.run('a.comp', '--asm')
    t.check(b'OpCapability Shader' in t.wrote('a.comp.spvasm')['a.comp.spvasm'], 'no text')
    t.run('a.comp', '-o', 'x.spvasm')
    t.check(b'OpCapability Shader' in t.wrote('x.spvasm')['x.spvasm'], 'the ending .spvasm is text')


def test_outputs_by_their_endings(t):
    sources(t)
    t.run('a.comp', '--target', 'wgsl,msl', '-o', 'm.metal', '-o', 'm.wgsl')
    t.check('metal_stdlib' in (t.folder / 'm.metal').read_text() and '@compute' in (t.folder / 'm.wgsl').read_text(), 'outputs changed places')
    t.refuses('a.comp', '--target', 'wgsl,msl', '-o', 'm.metal', '-o', 'm.spv').has('m.spv')


def test_standard_input_and_output(t):
    t.run('-', '--lang', 'glsl', '--stage', 'comp', '-o', '-', stdin=COMP).quiet()
    t.run('-', '-o', '-', stdin=COMP, status=2).has('CY6003', '--lang')
    t.run('-', '--lang', 'glsl', '-o', '-', stdin=COMP, status=2).has('CY6006', '--stage')
    t.run('-', '--lang', 'glsl', '-o', '-', stdin=COMP.replace('\n', '\n#pragma shader_stage(compute)\n', 1)).quiet()
    t.run('-', '--lang', 'glsl', '--stage', 'comp', '-o', '-', stdin=WRONG, status=1).has('<stdin>:4:')
    t.run('-', '--name', 'odd/n.comp', '-o', '-', stdin=WRONG, status=1).has('odd/n.comp:4:')
    t.write('inc/part.h', 'uint seven() { return 7u; }\n')
    text = '#version 450\n#extension GL_GOOGLE_include_directive : require\n#include "part.h"\n' + COMP.split('\n', 1)[1]
    t.run('-', '--name', 'inc/n.comp', '-o', '-', stdin=text).quiet()
    r = t.run('-', '--lang', 'glsl', '--stage', 'comp', '-o', '-', '--target', 'msl', stdin=COMP.replace('\n', '\r'))
    t.check(b'kernel' in r.out, 'lone carriage returns do not end lines')
    t.refuses('-', '-', '--lang', 'glsl')


def test_several_files_keep_their_order(t):
    sources(t)
    for n in range(12):
        t.write(f'w{n:02}.comp', WRONG)
    names = [f'w{n:02}.comp' for n in range(12)]
    r = t.run(*names, '-o', 'out/', '-j', '4', status=1)
    places = [r.err.index(n + ':4:') for n in names]
    t.check(places == sorted(places), 'messages are not in the order of the files')
    r = t.run('a.comp', 't.frag', 't.vert', '--preprocess', '-j', '3')
    places = [r.text.index(x) for x in ('w[0]', 'vec4 c', 'gl_Position')]
    t.check(places == sorted(places), 'texts are not in the order of the files')


def test_other_commands(t):
    t.run('--version').says('carry ')
    t.check({'name', 'version', 'targets', 'languages'} <= set(t.run('--version', '--json').json()), 'keys of --version --json')
    t.run('help').says('--target', 'carry run')
    t.run('--help').says('--target')
    t.run('help', 'run').says('--groups').says('--set')
    t.run('help', 'explain').says('carry explain')
    t.refuses('help', 'nothing')
    t.run('explain', 'CY3012').says('no-matching-overload')
    t.run('explain', 'literal-changes-sign').says('-Wno-literal-changes-sign')
    t.run('explain', '-Wliteral-changes-sign').says('-Wno-literal-changes-sign')
    t.run('explain', 'CY9999', status=1).has('no message')
    t.refuses('explain')


def test_completion(t):
    import shutil
    import subprocess
    for shell in ('bash', 'zsh', 'fish'):
        text = t.run('completion', shell).text
        t.check('target' in text and 'watch' not in text, text[:300])
        if shutil.which(shell):
            r = subprocess.run([shell, '-n', '/dev/stdin'], input=text, capture_output=True, text=True)
            t.check(r.returncode == 0, f'{shell}: {r.stderr}')
    words = subprocess.run(['bash', '-c', 'source /dev/stdin; COMP_WORDS=(carry --print-p); COMP_CWORD=1; _carry; echo ${COMPREPLY[@]}'],
                           input=t.run('completion', 'bash').text, capture_output=True, text=True).stdout
    t.check(words == '--print-plan\n', words)
    t.refuses('completion')
    t.refuses('completion', 'cmd')


def test_not_supported_yet(t):
    sources(t)
    for words in (('doc', 'uaddCarry'), ('lsp',), ('test',), ('build',)):
        t.refuses(*words).has('not supported yet')
    for options in (('--watch',), ('--flip-y',), ('--depth-zero-to-one',), ('--robust',), ('--texture-atomics=buffer',),
                    ('--portability',), ('-Rpass=atomics',), ('-faggregate-atomics',), ('--emit-header', 'x.h'), ('-Fc', 'x')):
        t.refuses('a.comp', *options).has('not supported yet')


def test_what_is_missing_is_said_by_nobody(t):
    sources(t)
    t.write('plain.glsl', COMP)
    t.write('a.txt', COMP)
    t.write('f.hlsl', 'float4 main() : SV_Target { return 1; }')
    t.sources_are_written()
    t.run('plain.glsl', status=2).has('plain.glsl:4:', 'CY6006', '--stage')
    t.run('f.hlsl', status=2).has('CY6006', '--stage')
    t.run('a.comp', 'a.txt', '-o', 'out/', status=2).has('CY6003', 'a.txt')
    t.wrote()
    t.run('reflect', 'plain.glsl', status=2)


def test_options_of_other_commands(t):
    sources(t)
    for options in (('-o', 'x'), ('--asm',), ('--reflect', 'x'), ('--depfile', 'x'), ('--print-ir',), ('-j', '2'), ('--target', 'wgsl'),
                    ('--preprocess',), ('--split-entries',), ('--time',)):
        t.refuses('run', 'a.comp', '--groups', '1', '--set', 'Words=zeros:1', *options).has(options[0], 'carry run')
    for options in (('--set', 'Words=zeros:1'), ('--groups', '1'), ('--threads=4',), ('--print', 'Words'), ('--json',), ('--check',),
                    ('--spec', 'a=1'), ('--after-target', 'wgsl')):
        t.refuses('a.comp', '-o', 'x.spv', *options).has(options[0].split('=')[0], 'carry run')
        t.refuses('reflect', 'a.comp', *options)
    t.refuses('reflect', 'a.comp', '--asm')
    t.refuses('a.comp', '--name', 'b.comp').has('--name')
    t.refuses('a.comp', '-E', 'main,main').has('twice')
    t.refuses('a.comp', '-E', 'main', '--all-entries').has('give one')
    t.refuses('explain', 'CY3012', '-o', 'x').has('carry explain')
    t.refuses('completion', 'bash', '-O2').has('carry completion')
    t.wrote()


def test_error_limit(t):
    t.write('many.comp', COMP.replace('w[0] = 7u;', 'a1;\n b1;\n c1;\n'))
    for limit, shown in ((1, 1), (2, 2), (0, 3), (20, 3)):
        r = t.run('many.comp', f'-ferror-limit={limit}', status=1)
        t.check(r.err.count('error[CY30') == shown or r.err.count('is not declared') == shown, f'{limit}: {r.err}')
        t.check(('there may be more' in r.err) == (shown < 3), f'{limit}: {r.err}')


def test_later_targets_and_names(t):
    import os
    import subprocess
    sources(t)
    for target in ('glsl', 'essl', 'hlsl', 'glsl450', 'essl300'):
        t.refuses('a.comp', '--target', target).has('not supported yet', target)
    os.symlink(t.program, t.folder / 'carry-dxc')
    r = subprocess.run([t.folder / 'carry-dxc', '-T', 'cs_6_0', 'a.hlsl'], capture_output=True, text=True)
    t.check(r.returncode == 2 and 'not supported yet' in r.stderr, r.stderr)
