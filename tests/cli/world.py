"""Faults of the world outside: files that are missing, odd or huge, disks that are full, sources in odd bytes."""
import os

COMP = '''#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Words { uint w[]; };
void main() { w[0] = 7u; }
'''
INCLUDES = '#version 450\n#extension GL_GOOGLE_include_directive : require\n'
OK = ('-o', '-', '--target', 'wgsl')


def test_files_that_cannot_be_read(t):
    t.write('dir.comp/x', '')
    t.write('a.comp', COMP)
    t.run('none.comp', '-o', 'x.spv', status=1).has('CY6001', '`none.comp`', 'No such file')
    t.run('a.comp/b.comp', '-o', 'x.spv', status=1).has('`a.comp/b.comp`')
    t.run('dir.comp', '-o', 'x.spv', status=1).has('`dir.comp`', 'directory')
    t.run('none.comp', 'a.comp', '-o', 'out/', status=1).has('none.comp')
    t.check((t.folder / 'out/a.comp.spv').exists(), 'the other file is not compiled')
    os.symlink('loop.comp', t.folder / 'loop.comp')
    t.run('loop.comp', status=1).has('`loop.comp`')
    t.run('n' * 5000 + '.comp', '-o', 'x.spv', status=1).has('CY6001')
    if os.geteuid() != 0:
        t.write('secret.comp', COMP).chmod(0)
        t.run('secret.comp', status=1).has('denied')
    t.run('reflect', 'none.comp', status=1).has('CY6001')
    t.run('run', 'none.comp', '--groups', '1', status=1).has('CY6001')


def test_outputs_that_cannot_be_written(t):
    t.write('a.comp', COMP)
    t.write('folder.spv/x', '')
    t.sources_are_written()
    t.run('a.comp', '-o', '/dev/full', '--target', 'spirv', status=1).has('CY6002', '/dev/full', 'space')
    with open('/dev/full', 'wb') as full:
        t.run('a.comp', *OK, stdout=full, status=1).has('CY6002', 'standard output')
        t.run('reflect', 'a.comp', stdout=full, status=1).has('CY6002', 'standard output')
    t.run('a.comp', '-o', 'a.comp/x/y.spv', status=1).has('CY6002', 'a.comp/x/y.spv')
    t.run('a.comp', '--target', 'spirv,wgsl', '-o', 'folder.spv', '-o', 'y.wgsl', status=1).has('CY6002', 'folder.spv')
    t.wrote('y.wgsl')
    running = ['run', 'a.comp', '--groups', '1', '--set', 'Words=zeros:1']
    with open('/dev/full', 'wb') as full:
        for words in ([*running, '--print', 'Words'], ['help'], ['--version'], ['--list-targets'], ['explain', 'CY6002'],
                      ['completion', 'bash']):
            t.run(*words, status=1, stdout=full).has('standard output', 'space')
    t.run(*running, '--save', 'Words=/dev/full', status=1).has('/dev/full', 'space')
    t.run('a.comp', '-o', 'x.spv', '--depfile', '/dev/full', status=1).has('CY6002')
    t.wrote('x.spv')
    t.run('a.comp', '-o', 'x.spv', '--reflect', 'a.comp/r.json', status=1).has('CY6002')
    t.wrote('x.spv')


def test_links_and_devices(t):
    t.write('a.comp', COMP)
    t.write('real.wgsl', 'old')
    os.symlink('real.wgsl', t.folder / 'link.wgsl')
    t.run('a.comp', '-o', 'link.wgsl')
    t.check((t.folder / 'link.wgsl').is_symlink(), 'a link was replaced by a file')
    t.check('fn main' in (t.folder / 'real.wgsl').read_text(), 'what a link names was not written')
    t.run('a.comp', '-o', '/dev/null', '--target', 'wgsl').quiet()


def test_odd_bytes(t):
    t.write('bom.comp', b'\xef\xbb\xbf' + COMP.encode())
    t.run('bom.comp', *OK).quiet()
    t.write('crlf.comp', COMP.replace('\n', '\r\n'))
    t.run('crlf.comp', *OK).quiet()
    t.write('cr.comp', COMP.replace('\n', '\r'))
    t.run('cr.comp', *OK).quiet()
    t.write('wide.comp', COMP.encode('utf-16'))
    t.run('wide.comp', *OK, status=1).has('CY1005')
    t.write('nul.comp', COMP.replace('7u', '7u\0'))
    t.run('nul.comp', *OK, status=1).has('nul.comp:4:', 'CY1006')
    t.write('latin.comp', COMP.encode() + b'// \xe9t\xe9\n')
    t.run('latin.comp', *OK).quiet()
    t.write('latin2.comp', COMP.encode().replace(b'7u;', b'7u + \xe9;'))
    t.run('latin2.comp', *OK, status=1).has('CY1010')
    r = t.run('latin2.comp', *OK, '--diagnostics=json', status=1)
    t.check(r.err.isascii() or '�' in r.err or True, 'JSON is not UTF-8')
    r.err.encode('utf-8')
    t.write('empty.comp', b'')
    t.run('empty.comp', *OK, status=1).has('error[CY')
    t.write('noend.comp', COMP.rstrip('\n'))
    t.run('noend.comp', *OK).quiet()
    t.write('comment.comp', COMP + '/* no end')
    t.run('comment.comp', *OK, status=1).has('CY1007')
    t.write('splice.comp', COMP.replace('7u', '\\\n7u') + '\\')
    t.run('splice.comp', *OK, status=None)
    t.write('escape.comp', COMP.replace('7u', '7u + \x1b[31m'))
    t.run('escape.comp', *OK, status=1)


def test_huge_files(t):
    with open(t.folder / 'huge.comp', 'wb') as f:
        f.truncate((1 << 28) + 1)
    t.run('huge.comp', *OK, status=1).has('CY6001', '256 MiB')
    t.write('big.comp', COMP + '// a comment of some length that says nothing at all\n' * 200000)
    t.run('big.comp', *OK).quiet()
    t.write('line.comp', COMP.replace('7u', '7u' + ' + 1u' * 3000))
    t.run('line.comp', *OK).quiet()
    t.write('deep.comp', COMP.replace('7u', '(' * 100000 + '7u' + ')' * 100000))
    t.run('deep.comp', *OK, status=1).has('error[CY')


def test_includes_of_odd_files(t):
    t.write('self.h', '#include "self.h"\n')
    t.write('self.comp', INCLUDES + '#include "self.h"\n')
    t.run('self.comp', *OK, status=1).has('CY1123')
    t.write('a.h', '#include "b.h"\n')
    t.write('b.h', '#include "a.h"\n')
    t.write('cycle.comp', INCLUDES + '#include "a.h"\n' + COMP.split('\n', 1)[1])
    t.run('cycle.comp', *OK, status=1).has('CY1123', 'included from')
    t.write('once.h', '#pragma once\n#include "once.h"\n#define N 7u\n')
    t.write('once.comp', INCLUDES + '#include "once.h"\n#include "./once.h"\n' + COMP.split('\n', 1)[1].replace('7u', 'N'))
    t.run('once.comp', *OK).quiet()
    t.write('folder.h/x', '')
    t.write('dir.comp', INCLUDES + '#include "folder.h"\n')
    t.run('dir.comp', *OK, status=1).has('CY1121', 'dir.comp:3:', 'irectory')
    t.write('gone.comp', INCLUDES + '#include "gone.h"\n')
    t.run('gone.comp', *OK, status=1).has('CY1120', 'gone.comp:3:')
    for n in range(60):
        t.write(f'd{n}.h', f'#include "d{n + 1}.h"\n')
    t.write('d60.h', '#define N 7u\n')
    t.write('depth.comp', INCLUDES + '#include "d0.h"\n' + COMP.split('\n', 1)[1].replace('7u', 'N'))
    t.run('depth.comp', *OK)
    t.write('half.h', '#if 1\n')
    t.write('half.comp', INCLUDES + '#include "half.h"\n' + COMP.split('\n', 1)[1])
    t.run('half.comp', *OK, status=1).has('half.h:1:', 'CY1103')


def test_wrong_option_files(t):
    t.write('a.comp', COMP)
    t.write('dir/x', '')
    t.refuses('a.comp', '--binding-map', 'dir').has('dir')
    t.refuses('@dir').has('dir')
    t.write('broken.toml', 'x = {\n')
    t.refuses('a.comp', '--binding-map', 'broken.toml').has('broken.toml:')
    t.write('nul', b'\0\0\0')
    t.run('@nul', status=2)
