#!/usr/bin/env python3
"""`make demo`: compiles two real compute shaders to three targets, validates what came out and runs it in five ways."""
import concurrent.futures
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / 'tests' / 'runner'))
import devices  # noqa: E402
import exec_tests  # noqa: E402
import png  # noqa: E402
import report  # noqa: E402
import values  # noqa: E402
from carry_cli import Program  # noqa: E402
from shader_test import ShaderTest  # noqa: E402

CARRY = ROOT / 'build' / 'release' / 'carry'
WAYS = (('executor', None), ('lavapipe (SPIR-V)', 'vulkan'), ('Dawn (WGSL)', 'dawn'), ('Deno (WGSL)', 'deno'),
        ('CPU shim (MSL)', 'msl'))


class Failed(Exception):
    pass


def require(ok, text):
    if not ok:
        raise Failed(text)


def compile_once(engine, source, folder):
    """One call, three files, each validated."""
    stem = folder / pathlib.Path(source).stem
    arguments = [source, '--target', 'spirv', '--target', 'msl', '--target', 'wgsl', '-Fo', str(stem)]
    print('  $ carry ' + ' '.join(arguments[:-1]) + f' {stem.name}')
    r = engine.carry(arguments, ROOT)
    require(not r.fault and r.status == 0, f'carry refused {source}: {r.fault or r.err.strip()}')
    outputs = {t: stem.with_suffix(e) for t, e in exec_tests.ENDING.items()}
    for target, path in outputs.items():
        require(path.exists(), f'{path.name} was not written')
    checks = {'spirv-val': devices.spirv_val(outputs['spirv'], 'vulkan1.2'),
              'MSL shim': '\n'.join(engine.shim.check(outputs['msl'].read_text()))}
    for kind, name in (('dawn', 'Tint'), ('deno', 'naga')):
        checks[name] = devices.answer_error(devices.run_jobs(kind, [str(outputs['wgsl'])], folder, check=True)[0])
    for name, error in checks.items():
        require(not error, f'{name} refuses the output: {error}')
    print('    wrote ' + ', '.join(f'{p.name} ({p.stat().st_size} bytes)' for p in outputs.values()))
    print('    valid: ' + ', '.join(checks))
    return outputs


def run_everywhere(engine, test, outputs, folder):
    """{way: {'S:B': bytes}}"""
    folder.mkdir(exist_ok=True)
    attempt = exec_tests.Attempt(test, folder)
    for name, text in test.files:
        (folder / name).write_text(text)
    attempt.outputs = {target: [path] for target, path in outputs.items()}
    for target in outputs:
        engine.look_into(attempt, target)
    results = {}
    for name, kind in WAYS:
        if kind is None:
            got, error = engine.run_executor(attempt, 'run', [])
        elif kind == 'msl':
            got, error = engine.run_msl(attempt, 'reverse')
        else:
            job = engine.job(attempt, 'spirv' if kind == 'vulkan' else 'wgsl')
            answer = devices.run_jobs(kind, [job], folder)[0]
            error = devices.answer_error(answer)
            got = {w: bytes.fromhex(h) for w, h in answer.get('out', {}).items()}
        require(not error, f'{name}: {error}')
        results[name] = got
    return results


def make_test(source, inputs, outs, groups):
    test = ShaderTest('demo/' + source)
    test.files = [(source, (ROOT / 'demo' / source).read_text())]
    test.inputs, test.groups = inputs, groups
    test.expected = {w: values.Expected('same', '.') for w in outs}
    return test


def histogram(engine, folder):
    print('Histogram (HLSL): 256 bins and the sum of all lumas, added as a float by a compare-exchange loop')
    outputs = compile_once(engine, 'demo/histogram.hlsl', folder)
    for image in ('scene.png', 'blocks.png'):
        width, height, rgba = png.read(ROOT / 'demo' / image)
        test = make_test('histogram.hlsl', {'0:0': values.Texture(width, height, rgba), '0:1': bytes(1024), '0:2': bytes(4)},
                         ['0:1', '0:2'], ((width + 15) // 16, (height + 15) // 16, 1))
        results = run_everywhere(engine, test, outputs, folder / image)
        pixels = width * height
        lumas = [(rgba[i] + 2 * rgba[i + 1] + rgba[i + 2]) / 1020 for i in range(0, len(rgba), 4)]
        want = [0] * 256
        for luma in lumas:
            want[min(int(luma * 256), 255)] += 1
        # n additions of positive floats, each rounded, in any order; and a few units in the last place for each luma
        exact, bound = sum(lumas), sum(lumas) * (pixels + 8) * 2.0 ** -24
        print(f'  {image}: {width} x {height} = {pixels} pixels, sum of lumas {exact:.3f}')
        for way, got in results.items():
            bins = struct.unpack('<256I', got['0:1'])
            total, = struct.unpack('<f', got['0:2'])
            print(f'    {way:18} bins sum to {sum(bins)}, fullest {bins.index(max(bins))} with {max(bins)}; total {total!r}')
            require(sum(bins) == pixels, f'{way}: the bins sum to {sum(bins)}')
            require(list(bins) == want, f'{way}: the bins differ from those counted here')
            require(abs(total - exact) <= bound, f'{way}: the total is off by {abs(total - exact)}, bound {bound}')
            if image == 'blocks.png':
                require(total == exact, f'{way}: all sums are exact here, but the total is {total!r}')
        print('    the same bins in all five ways, totals ' +
              ('equal to the bit' if image == 'blocks.png' else f'within the rounding bound of any order ({bound:.1f})'))


def wide_arithmetic(engine, folder):
    print('Wide arithmetic (GLSL): sums, differences, products of 64- and 128-bit numbers in uvec2 and uvec4')
    outputs = compile_once(engine, 'demo/wide_arithmetic.comp', folder)
    rng, count, edges = random.Random(1), 64, (0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0xfffffffe)
    pairs = [[rng.choice(edges) if rng.random() < 0.5 else rng.getrandbits(32) for _ in range(8)] for _ in range(count)]
    operands = struct.pack(f'<{8 * count}I', *(w for p in pairs for w in p))
    test = make_test('wide_arithmetic.comp', {'0:0': operands, '0:1': bytes(112 * count)}, ['0:1'], (count // 32, 1, 1))
    results = run_everywhere(engine, test, outputs, folder / 'wide')
    want = b''.join(wide_expected(p) for p in pairs)
    for way, got in results.items():
        difference = values.first_difference(want, got['0:1'], 0)
        require(not difference, f'{way}: {difference} (computed here, not by the executor)')
        print(f'    {way:18} {count} pairs, {len(want) // 4} words, all right')
    a, b = (sum(w << 32 * i for i, w in enumerate(pairs[0][at:at + 4])) for at in (0, 4))
    print(f'    for example 0x{a:032x}\n              * 0x{b:032x}\n    gives       0x{a * b % 2 ** 128:032x}')


def wide_expected(words):
    def number(w):
        return sum(x << 32 * i for i, x in enumerate(w))

    def split(value, n):
        return [value >> 32 * i & 0xffffffff for i in range(n)]

    a, b = words[:4], words[4:]
    out = []
    for n in (2, 4):
        x, y = number(a[:n]), number(b[:n])
        out += split(x + y, n) + split(x - y, n) + split(x * y, n) + ([0, 0] if n == 2 else [])
    out += [(x + y) & 0xffffffff for x, y in zip(a, b)] + [(x + y) >> 32 for x, y in zip(a, b)]
    return struct.pack('<28I', *out)


def main():
    if not CARRY.exists():
        sys.exit(f'demo: {CARRY.relative_to(ROOT)} is missing; `make build` says why')
    print(subprocess.run([CARRY, '--version'], capture_output=True, text=True).stdout.strip() or 'carry')
    print('Setting up lavapipe, Dawn and Deno in .tools/exec (the first time: 130 MB)')
    if subprocess.call([str(ROOT / 'tests' / 'executors' / 'setup.sh')]):
        sys.exit('demo: the executors could not be set up')
    with tempfile.TemporaryDirectory(prefix='carry-demo-') as folder, concurrent.futures.ThreadPoolExecutor(1) as pool:
        results = report.Report('/nonexistent', True)
        engine = exec_tests.Engine(Program(CARRY), results, folder, True, devices.make_shim(), pool)
        failed = 0
        for step in (histogram, wide_arithmetic):
            try:
                step(engine, pathlib.Path(folder))
            except (Failed, ValueError, KeyError) as e:
                print(f'  FAILED: {e}')
                failed += 1
    if failed:
        sys.exit(f'demo: {failed} of 2 programs failed')
    print('demo: both programs gave the same results in all five ways')


if __name__ == '__main__':
    main()
