"""The C interface: the header is C, and the host in src/api/example.c gives what the program gives."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMP = '#version 450\nlayout(binding = 0) buffer B { uint a; };\nvoid main() { a += 2u; }\n'


def test_example(t):
    build = pathlib.Path(t.program).parent
    source, library = ROOT / 'src/api/example.c', build / 'libcarry_core.a'
    flags = ['-std=c99', '-Wall', '-Wextra', '-Werror', '-pedantic', f'-I{ROOT}/src/api']
    r = subprocess.run(['cc', *flags, '-fsyntax-only', source], capture_output=True, text=True)
    t.check(r.returncode == 0, r.stderr)
    cache = build / 'CMakeCache.txt'
    if not library.exists() or not cache.exists() or 'CARRY_SANITIZE:BOOL=ON' in cache.read_text():
        return      # a sanitized library needs its own driver to link
    program = t.folder / 'example'
    r = subprocess.run(['cc', *flags, source, library, '-o', program, '-lstdc++', '-lm', '-lpthread'], capture_output=True, text=True)
    t.check(r.returncode == 0, r.stderr[:2000])
    t.write('a.comp', COMP)
    t.write('b.comp', COMP.replace('2u', 'odd'))
    got = subprocess.run([program, 'a.comp'], cwd=t.folder, capture_output=True)
    t.check(got.returncode == 0 and got.stdout == t.run('a.comp', '-o', '-', '--target', 'wgsl').out, 'output differs from the program')
    bad = subprocess.run([program, 'b.comp'], cwd=t.folder, capture_output=True, text=True)
    t.check(bad.returncode == 1 and 'b.comp:3:' in bad.stderr, bad.stderr)
