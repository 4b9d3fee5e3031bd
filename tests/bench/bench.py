#!/usr/bin/env python3
"""`make bench`: processor time of a cold start beside glslangValidator, then bytes per second of each stage.

All programs run in turn, many times, in one run; user + system time and page faults come from the kernel's account of each
process. What an empty static program takes is the floor: the system's own work to start any process."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / 'build' / 'release'
RUNS = int(os.environ.get('RUNS', 200))
WARM_UP = 5
GOAL_MS, GOAL_TIMES = 5, 20


def one_run(argv):
    """Milliseconds of user + system time, of wall time; page faults."""
    null = os.open(os.devnull, os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    os.close(null)
    if status:
        sys.exit(f'bench: {" ".join(argv)} fails')
    return 1000 * (usage.ru_utime + usage.ru_stime), 1000 * wall, usage.ru_minflt + usage.ru_majflt


def empty_program(folder):
    """A static program that returns at once; none without a static C library."""
    source = pathlib.Path(folder) / 'empty.c'
    source.write_text('int main(void) { return 0; }\n')
    compiler = shutil.which('gcc') or shutil.which('cc')
    made = compiler and subprocess.call([compiler, '-O2', '-static', str(source), '-o', f'{folder}/empty'],
                                        stderr=subprocess.DEVNULL) == 0
    return [f'{folder}/empty'] if made else None


def programs(folder):
    glslang = shutil.which('glslangValidator')
    if not glslang:
        sys.exit('bench: glslangValidator is missing (tools/install_packages.sh bench)')
    carry = str(BUILD / 'carry')
    hlsl, glsl = (str(ROOT / 'demo' / n) for n in ('histogram.hlsl', 'wide_arithmetic.comp'))
    three = ['--target', 'spirv', '--target', 'msl', '--target', 'wgsl', '-Fo']
    spirv = ['--target', 'spirv', '-o']
    rows = {'empty': ('empty static program (floor)', empty_program(folder)),
            'h3': ('carry, histogram, SPIR-V + MSL + WGSL', [carry, hlsl, *three, f'{folder}/a']),
            'h1': ('carry, histogram, SPIR-V', [carry, hlsl, *spirv, f'{folder}/b.spv']),
            'hg': ('glslangValidator, histogram, SPIR-V',
                   [glslang, '-V', '-D', '-S', 'comp', '-e', 'main', hlsl, '-o', f'{folder}/c.spv']),
            'w3': ('carry, wide arithmetic, SPIR-V + MSL + WGSL', [carry, glsl, *three, f'{folder}/d']),
            'w1': ('carry, wide arithmetic, SPIR-V', [carry, glsl, *spirv, f'{folder}/e.spv']),
            'wg': ('glslangValidator, wide arithmetic, SPIR-V', [glslang, '-V', glsl, '-o', f'{folder}/f.spv'])}
    return {key: row for key, row in rows.items() if row[1]}


def cold_start():
    with tempfile.TemporaryDirectory() as folder:
        rows = programs(folder)
        runs = {key: [] for key in rows}
        for n in range(RUNS + WARM_UP):
            for key, (_, argv) in rows.items():
                measured = one_run(argv)
                if n >= WARM_UP:
                    runs[key].append(measured)
    cpu = {key: statistics.median(r[0] for r in list_of) for key, list_of in runs.items()}
    print(f'cold start, {RUNS} runs in turn, milliseconds      user + system     least      wall  page faults')
    for key, (name, _) in rows.items():
        wall, faults = (statistics.median(r[i] for r in runs[key]) for i in (1, 2))
        print(f'  {name:46} {cpu[key]:13.2f} {min(r[0] for r in runs[key]):9.2f} {wall:9.2f} {faults:12.0f}')
    hlsl, glsl = cpu['hg'] / cpu['h1'], cpu['wg'] / cpu['w1']
    print(f'  SPIR-V alone: carry is {hlsl:.1f} times (HLSL), {glsl:.1f} times (GLSL) as fast as glslangValidator')
    print(f'  release program: {(BUILD / "carry").stat().st_size / 1e6:.2f} MB')
    return cpu['h3'] < GOAL_MS and hlsl >= GOAL_TIMES


def stages():
    program = BUILD / 'carry_bench'
    if not program.exists():
        print('stages: no benchmarks are built (tests/bench/*.cpp)')
        return
    made = subprocess.run([str(program), '--benchmark_min_time=0.2', '--benchmark_format=json'], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    print(f'\n{"stage":24} {"ms a round":>12} {"MB source/s":>12} {"lane operations/s":>18}')
    to_ms = {'ns': 1e-6, 'us': 1e-3, 'ms': 1}
    for b in json.loads(made.stdout)['benchmarks']:
        if 'error_message' in b:
            print(f'  {b["name"]:22} {b["error_message"]}')
            continue
        rate = f'{b["bytes_per_second"] / 1e6:12.2f}' if 'bytes_per_second' in b else ' ' * 12
        lanes = f'{b["lane_ops"]:18.3g}' if 'lane_ops' in b else ''
        print(f'  {b["name"]:22} {b["cpu_time"] * to_ms[b["time_unit"]]:12.3f} {rate} {lanes}')


def main():
    good = cold_start()
    stages()
    print(f'\ngoal (under {GOAL_MS} ms for three targets, SPIR-V {GOAL_TIMES} times as fast as glslangValidator): '
          + ('met' if good else 'NOT met'))


if __name__ == '__main__':
    main()
