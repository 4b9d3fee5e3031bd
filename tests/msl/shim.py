#!/usr/bin/env python3
"""Checks and runs MSL without a Metal compiler: compiled as C++ against include/, on the CPU (test-only).

  shim.py check FILE...                              lint, then clang's C++ for OpenCL mode with real address spaces
  shim.py run FILE ENTRY groups=X,Y,Z size=X,Y,Z buf=INDEX:FILE ...      see mslrt.cpp; writes FILE.out

Results are kept by content hash in .tools/cache/msl.
"""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import msl

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE / 'include'
CACHE = HERE.parent.parent / '.tools' / 'cache' / 'msl'
QUIET = ['-w', '-Wno-unknown-attributes']
CHECK = ['clang-19', '-x', 'clcpp', '-cl-std=clc++2021', '-cl-no-stdinc', '-cl-single-precision-constant',
         '-DMSL_CHECK=1', '-target', 'x86_64-linux-gnu', '-fsyntax-only', f'-I{INCLUDE}'] + QUIET
BUILD = ['clang++-19', '-std=c++17', '-Xclang', '-cl-single-precision-constant', '-Xclang',
         '-ffloat16-excess-precision=none', '-ffp-contract=off', '-fno-strict-aliasing', '-fPIC', '-O0',
         f'-I{INCLUDE}'] + QUIET


def _shim_hash():
    h = hashlib.sha256()
    for f in sorted([*HERE.glob('*.py'), *HERE.glob('*.cpp'), *INCLUDE.rglob('*')]):
        if f.is_file():
            h.update(f.read_bytes())
    return h.hexdigest()[:16]


class Shim:
    """One per process; safe to use from several threads."""

    def __init__(self, cache=CACHE):
        self.version = _shim_hash()
        self.cache = pathlib.Path(cache) / self.version
        self._prepare()

    def _prepare(self):
        """Precompiled headers and the host program, made once for a version of the shim."""
        if (self.cache / 'ready').exists():
            return
        self.cache.mkdir(parents=True, exist_ok=True)
        head = self.cache / 'kernel.h'
        head.write_text('#include <metal_stdlib>\n#include "msl_launch.h"\n')
        self._make(CHECK + [str(INCLUDE / 'metal_stdlib'), '-Xclang', '-fno-pch-timestamp', '-Xclang', '-emit-pch', '-Xclang', '-o', '-Xclang'], 'check.pch')
        self._make(BUILD + ['-x', 'c++-header', str(head), '-Xclang', '-fno-pch-timestamp', '-o'], 'kernel.pch')
        self._make(['clang++-19', '-std=c++17', '-O1', '-fno-omit-frame-pointer', '-rdynamic', str(HERE / 'mslrt.cpp'), '-ldl', '-o'], 'mslrt')
        (self.cache / 'ready').touch()

    def _make(self, command, name):
        """Runs `command FILE` and renames FILE to its place: two processes may do so at once."""
        temporary = self.cache / f'{name}.{os.getpid()}'
        r = subprocess.run(command + [str(temporary)], capture_output=True, text=True)
        if r.returncode:
            raise RuntimeError(f'MSL shim: {name}: {r.stderr[:2000]}')
        temporary.rename(self.cache / name)

    def _key(self, *parts):
        return hashlib.sha256('\0'.join(map(str, parts)).encode()).hexdigest()[:32]

    def check_many(self, texts):
        """Messages for each text, as `check` gives them; compiled together, each in a namespace of its own."""
        kept = [self.cache / (self._key('check', t) + '.txt') for t in texts]
        source = []
        for i, text in enumerate(texts):
            if kept[i].exists():
                continue
            try:
                unit = msl.Unit(text)
                names = {*unit.structs, *unit.names} & self._own_names()
                if not unit.errors and not names:
                    source.append((i, f'namespace msl_file_{i} {{\n#line 1 "msl_file_{i}"\n{unit.cxx(True)}\n}}\n'))
            except (IndexError, StopIteration, KeyError, TypeError):
                pass
        if source:
            r = subprocess.run(CHECK + ['-ferror-limit=0', '-Xclang', '-include-pch', '-Xclang', str(self.cache / 'check.pch'), '-'],
                               input=''.join(s for _, s in source), capture_output=True, text=True)
            bad = {int(m) for m in re.findall(r'msl_file_(\d+):\d+:\d+: (?:fatal )?error', r.stderr)}
            if r.returncode == 0 or bad:
                for i, _ in source:
                    if i not in bad:
                        kept[i].write_text('')
        return [self.check(t) for t in texts]

    def _own_names(self):
        """Names that a text must not declare beside `using namespace metal`: the writer's own table of them."""
        words = HERE.parent.parent / 'src' / 'write' / 'msl' / 'words.inc'
        return set(re.findall(r'"(\w+)"', words.read_text()))

    def check(self, text, name='kernel.metal'):
        """Messages of the lint and of the address-space pass; empty: fine."""
        kept = self.cache / (self._key('check', text) + '.txt')
        if kept.exists():
            return kept.read_text().splitlines()
        try:
            unit = msl.Unit(text)
            messages = list(unit.errors)
            source = f'#line 1 "{name}"\n' + unit.cxx(True)
        except (IndexError, StopIteration, KeyError, TypeError) as e:
            return [f'the shim cannot read this text: {e!r}']
        r = subprocess.run(CHECK + ['-Xclang', '-include-pch', '-Xclang', str(self.cache / 'check.pch'), '-'],
                           input=source, capture_output=True, text=True)
        if r.returncode:
            messages += [line for line in r.stderr.splitlines() if 'error' in line][:5] or [r.stderr[:400]]
        temporary = kept.with_suffix(f'.{os.getpid()}.{id(kept)}')
        temporary.write_text('\n'.join(messages))
        temporary.rename(kept)
        return messages

    def build(self, text, entry, constants=None):
        """The kernel as a shared library: (path, error text)."""
        out = self.cache / (self._key('build', text, entry, sorted((constants or {}).items())) + '.so')
        if out.exists():
            return out, ''
        try:
            unit = msl.Unit(text, constants)
            if entry not in unit.entries:
                return None, f'no entry {entry}; there are {", ".join(unit.entries) or "none"}'
            source = unit.cxx(False) + msl.launcher(unit, entry)
        except (IndexError, StopIteration, KeyError, TypeError, ValueError) as e:
            return None, f'the shim cannot read this text: {e!r}'
        temporary = out.with_suffix(f'.{os.getpid()}.{id(out)}')
        r = subprocess.run(BUILD + ['-x', 'c++', '-include-pch', str(self.cache / 'kernel.pch'), '-shared', '-', '-o',
                                    str(temporary)], input=source, capture_output=True, text=True)
        if r.returncode:
            return None, '\n'.join([line for line in r.stderr.splitlines() if 'error' in line][:4]) or r.stderr[:400]
        temporary.rename(out)
        return out, ''

    def run(self, text, entry, groups, size, buffers, textures=(), order='forward', constants=None, timeout=60):
        """buffers {index: bytes}, textures {index: (width, height, components of the format, texels of four words)}
        -> ({index: bytes, ('texture', index): texels}, error text)."""
        library, error = self.build(text, entry, constants)
        if error:
            return {}, error
        with tempfile.TemporaryDirectory() as folder:
            command = [str(self.cache / 'mslrt'), str(library), 'groups=' + ','.join(map(str, groups)),
                       'size=' + ','.join(map(str, size)), f'order={order}']
            for index, data in buffers.items():
                path = pathlib.Path(folder) / f'b{index}'
                path.write_bytes(data)
                command.append(f'buf={index}:{path}')
            for index, (width, height, components, data) in dict(textures).items():
                path = pathlib.Path(folder) / f't{index}'
                path.write_bytes(data)
                command.append(f'tex={index}:{width}x{height}x{components}:{path}')
            try:
                r = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
            except subprocess.TimeoutExpired:
                return {}, 'time limit'
            if r.returncode:
                return {}, r.stderr.strip()[:400] or f'ended with {r.returncode}'
            out = {i: (pathlib.Path(folder) / f'b{i}.out').read_bytes() for i in buffers}
            out.update({('texture', i): (pathlib.Path(folder) / f't{i}.out').read_bytes() for i in dict(textures)})
            return out, ''


def main():
    shim = Shim()
    if sys.argv[1:2] == ['check']:
        bad = 0
        for f in sys.argv[2:]:
            for m in shim.check(pathlib.Path(f).read_text(), f):
                print(f'{f}: {m}')
                bad = 1
        return bad
    if sys.argv[1:2] == ['run'] and len(sys.argv) > 3:
        library, error = shim.build(pathlib.Path(sys.argv[2]).read_text(), sys.argv[3])
        if error:
            print(error, file=sys.stderr)
            return 1
        return subprocess.call([str(shim.cache / 'mslrt'), str(library)] + sys.argv[4:])
    print(__doc__)
    return 2


if __name__ == '__main__':
    sys.exit(main())
