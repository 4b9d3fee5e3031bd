#!/usr/bin/env python3
"""`make bench`: processor time of a cold start beside glslangValidator, then bytes per second of each stage.

Both compilers run in turn, many times, in one run; user + system time comes from the kernel's account of each process."""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = 200


def one_run(argv):
    """Milliseconds of user + system time."""
    null = os.open(os.devnull, os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=actions)
    os.close(null)
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f'bench: {" ".join(argv)} fails')
    return 1000 * (usage.ru_utime + usage.ru_stime)


def cold_start():
    carry = str(ROOT / 'build' / 'release' / 'carry')
    glslang = shutil.which('glslangValidator')
    if not glslang:
        sys.exit('bench: glslangValidator is missing (tools/install_packages.sh bench)')
    hlsl, glsl = (str(ROOT / 'demo' / n) for n in ('histogram.hlsl', 'wide_arithmetic.comp'))
    with tempfile.TemporaryDirectory() as folder:
        three = ['--target', 'spirv', '--target', 'msl', '--target', 'wgsl', '-Fo', f'{folder}/a']
        spirv = ['--target', 'spirv', '-o', f'{folder}/b.spv']
        rows = [('carry, histogram, SPIR-V + MSL + WGSL', [carry, hlsl, *three]),
                ('carry, histogram, SPIR-V', [carry, hlsl, *spirv]),
                ('glslangValidator, histogram, SPIR-V', [glslang, '-V', '-D', '-S', 'comp', '-e', 'main', hlsl, '-o', f'{folder}/c.spv']),
                ('carry, wide arithmetic, SPIR-V', [carry, glsl, *spirv]),
                ('glslangValidator, wide arithmetic, SPIR-V', [glslang, '-V', glsl, '-o', f'{folder}/d.spv'])]
        times = [[] for _ in rows]
        for n in range(RUNS + 5):
            for (_, argv), list_of in zip(rows, times):
                t = one_run(argv)
                if n >= 5:
                    list_of.append(t)
    medians = [statistics.median(t) for t in times]
    print(f'cold start, user + system, {RUNS} runs in turn          median     least')
    for (name, _), t, m in zip(rows, times, medians):
        print(f'  {name:46} {m:7.2f} ms {min(t):7.2f} ms')
    print(f'  SPIR-V alone: carry is {medians[2] / medians[1]:.1f} times (HLSL), {medians[4] / medians[3]:.1f} times (GLSL) as fast')
    return medians[0] < 5 and medians[2] >= 20 * medians[1]


def stages():
    program = ROOT / 'build' / 'release' / 'carry_bench'
    if not program.exists():
        print('stages: no benchmarks are built (tests/bench/*.cpp)')
        return
    subprocess.call([str(program), '--benchmark_min_time=0.2', '--benchmark_counters_tabular=true'], cwd=ROOT,
                    stderr=subprocess.DEVNULL)


def main():
    good = cold_start()
    stages()
    print('goal (under 5 ms for three targets, SPIR-V 20 times as fast as glslangValidator): ' + ('met' if good else 'NOT met'))


if __name__ == '__main__':
    main()
