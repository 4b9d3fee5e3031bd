#!/usr/bin/env python3
"""Writes cmake/hot_sections.ld: the input sections that a compilation touches, so that the linker lays them side by side and
a cold start faults in few pages. Runs build/release/carry under valgrind (lackey) on the demo's programs and links once more
for the map. Run it after large changes; sections that no longer exist are skipped by the linker, nothing else depends on it."""
import bisect
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / 'build' / 'release'
OUT = ROOT / 'cmake' / 'hot_sections.ld'
# Valgrind runs older machines' variants of string functions and shows no vdso; these run too.
UNSEEN = ['dl-object.o', 'dl-lookup.o', 'dl-lookup-direct.o', 'dl-minimal-malloc.o', 'dl-support.o', 'dl-vdso-setup.o']
KINDS = ('.text', '.rodata', '.data.rel.ro')


def link_map(folder):
    command = subprocess.run(['ninja', '-C', BUILD, '-t', 'commands', '-s', 'carry'], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.strip().splitlines()[-1]
    command = re.sub(r' -o carry ', f' -o {folder}/carry -Wl,-Map={folder}/map -Wl,--build-id=none ', command)
    subprocess.run(command, shell=True, cwd=BUILD, check=True)
    text = (folder / 'map').read_text(errors='replace')
    text = text[text.index('Linker script and memory map'):]
    found = []
    for m in re.finditer(r'^ (\.\S+)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)\s+(\S+)$', text, re.M):
        name, at, size, source = m[1], int(m[2], 16), int(m[3], 16), m[4]
        if at and size and any(name == k or name.startswith(k + '.') for k in KINDS):
            found.append((at, size, name, source))
    return sorted(found)


def touched(folder):
    """Addresses of instructions and data, by 8 bytes."""
    seen = set()
    targets = ['--target', 'spirv', '--target', 'msl', '--target', 'wgsl', '-Fo', f'{folder}/out']
    for source in ('histogram.hlsl', 'wide_arithmetic.comp'):
        run = subprocess.Popen(['valgrind', '--tool=lackey', '--trace-mem=yes', '--log-fd=1', f'{folder}/carry',
                                ROOT / 'demo' / source, *targets], stdout=subprocess.PIPE, text=True)
        for line in run.stdout:
            if line[:2] in ('I ', ' L', ' S', ' M'):
                seen.add(int(line[3:].split(',')[0], 16) >> 3)
        if run.wait():
            sys.exit('hot_sections: carry fails')
    return seen


def pattern(name, source):
    """What names this input section in a linker script."""
    if name.count('.') > (3 if name.startswith('.data.rel.ro') else 1) and not source.startswith('/usr'):
        return f'*({name})'
    member = re.search(r'lib([^/]*\.a)\(([^)]*)\)$', source)
    return f'*lib{member[1]}:{member[2]}({name})' if member else None


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sections = link_map(folder)
        addresses = touched(folder)
    starts = [s[0] for s in sections]
    hot = {}
    for a in addresses:
        i = bisect.bisect_right(starts, (a << 3) + 7) - 1
        if i >= 0 and (a << 3) < sections[i][0] + sections[i][1]:
            hot[i] = True
    text = '/* What a compilation touches, side by side. Made by tests/bench/hot_sections.py. */\nSECTIONS\n{\n'
    inserts = ''
    for kind in KINDS:
        mine = [sections[i] for i in sorted(hot) if re.fullmatch(re.escape(kind) + r'(\.(?!rel\.ro).*)?', sections[i][2])]
        if kind == '.rodata':
            mine = [s for s in mine if '.str' not in s[2] and '.cst' not in s[2]]
        print(f'{kind}: {len(mine)} sections, {sum(s[1] for s in mine)} bytes')
        patterns = dict.fromkeys(p for p in (pattern(s[2], s[3]) for s in mine) if p)
        if kind == '.text':
            newer = re.findall(r'(\*libc\.a:\w+-)avx2?[-\w]*\.o', '\n'.join(patterns))
            patterns.update(dict.fromkeys(f'{n}{v}*.o(.text.*)' for n in newer for v in ('evex', 'avx512')))
            patterns.update(dict.fromkeys(f'*libc.a:{n}(.text)' for n in UNSEEN))
        bound = f'carry_hot{kind.replace(".", "_")}'  # what tools/carry/heap.cpp asks the system for at once
        lines = [f'{bound}_begin = .;', *patterns, f'{bound}_end = .;']
        text += f'  {kind}.hot : {{\n' + ''.join(f'    {line}\n' for line in lines) + '  }\n}\n'
        text += f'INSERT BEFORE {kind};\n\nSECTIONS\n{{\n'
    OUT.write_text(text.rsplit('\nSECTIONS', 1)[0])


if __name__ == '__main__':
    main()
