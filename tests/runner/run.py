#!/usr/bin/env python3
"""The test runner behind `make test`; tests/README.md describes the files. Ends with `N passed, N failed`.

  run.py [PATH...] [--filter TEXT] [--update] [--all] [--verbose] [--no-devices | --gpu] [--only KIND,...]
  PATH: .test files or folders, tests/vectors, tests/cases, tests/cli; default all.  KIND: unit check fuzz golden exec cli shim
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_tests  # noqa: E402
import devices  # noqa: E402
import exec_tests  # noqa: E402
import golden_tests  # noqa: E402
import shader_test  # noqa: E402
import testfile  # noqa: E402
import vectors  # noqa: E402
from carry_cli import Program  # noqa: E402
from report import Report  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FUZZ_RUNS = '2000'
SLOW_FUZZ_RUNS = {'gen': '60', 'compile': '400'}      # each compiles for several targets, and executes


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('paths', nargs='*')
    p.add_argument('--filter', default='', help='run only tests whose name has this text')
    p.add_argument('--update', action='store_true', help='rewrite expected texts')
    p.add_argument('--all', action='store_true', help='show every failure')
    p.add_argument('--verbose', action='store_true')
    p.add_argument('--no-devices', action='store_true', help='no validators and executors from outside')
    p.add_argument('--gpu', action='store_true', help="execution tests on the machine's own Vulkan driver")
    p.add_argument('--only', default='', help='kinds of tests')
    p.add_argument('--build', default='build/release', help='folder with carry and carry-ir')
    p.add_argument('--tests-from', default='build/debug', help='folder with carry_unit_tests and fuzz/')
    p.add_argument('--write-known', action='store_true', help='write what fails now into tests/known.txt')
    return p.parse_args()


def find_files(paths, patterns):
    if not paths:
        return sorted(p for pattern in patterns for p in ROOT.glob(pattern))
    out = []
    for path in map(pathlib.Path, paths):
        path = path.resolve()
        out += sorted(path.rglob('*.test')) if path.is_dir() else [path] if path.suffix == '.test' else []
    return out


def ident_of(path):
    text = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
    return text.removeprefix('tests/').removesuffix('.test')


def is_execution(path):
    """A test beside the project's own folders: execution tests expect values or an error, or say how to run."""
    head = path.read_text(errors='replace').split('\n--- ')[0]
    return re.search(r'^(expect|error|set|groups|run|refused)\b', head, re.M) is not None


def load(options, report, kinds):
    """(execution tests, golden tests)"""
    programs, goldens = [], []
    for path in find_files(options.paths, ('tests/golden/**/*.test', 'tests/exec/**/*.test')):
        ident = ident_of(path)
        is_exec = ident.startswith('exec/') or (not ident.startswith('golden/') and is_execution(path))
        if options.filter not in ident or (kinds and ('exec' if is_exec else 'golden') not in kinds):
            continue
        try:
            if is_exec:
                programs.append(shader_test.from_file(path, ident))
            else:
                goldens.append(golden_tests.GoldenTest(path, ident))
        except (testfile.BadTest, ValueError, OSError) as e:
            report.ran(ident)
            report.fail(ident, 'file', str(e))
    if not kinds or 'exec' in kinds:
        named = [p.rstrip('/') for p in options.paths]
        more = []
        if not named or 'tests/vectors' in named:
            more += vectors.from_json(ROOT / 'tests' / 'vectors' / 'integer-exactness.json')
        if not named or 'tests/cases' in named:
            more += [vectors.from_case(p) for p in sorted((ROOT / 'tests' / 'cases').glob('[0-9]*'))]
        programs += [t for t in more if options.filter in t.ident]
    return programs, goldens


def run_unit(options, report):
    program = ROOT / options.tests_from / 'carry_unit_tests'
    if not program.exists():
        report.ran('unit/build')
        return report.fail('unit/build', 'unit', f'{program} is missing: `tools/build.sh debug all`')
    command = [str(program), '--gtest_color=no'] + ([f'--gtest_filter=*{options.filter}*'] if options.filter else [])
    try:
        r = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=ROOT, errors='replace')
    except subprocess.TimeoutExpired:
        report.ran('unit/all')
        return report.fail('unit/all', 'unit', 'still running after 600 s')
    text, body = r.stdout, []
    for line in text.splitlines():
        m = re.match(r'\[\s+(RUN|OK|FAILED)\s+\] ([\w/.]+)', line)
        if m and m[1] == 'RUN':
            body, running = [], m[2]
        elif m and m[1] == 'OK':
            report.ran(f'unit/{m[2]}')
            running = None
        elif m and ' ms)' in line:
            report.ran(f'unit/{m[2]}')
            report.fail(f'unit/{m[2]}', 'unit', '\n'.join(body))
            running = None
        else:
            body.append(line)
    if r.returncode not in (0, 1):
        report.ran('unit/all')
        report.fail('unit/all', 'unit', f'ended with {r.returncode} in {running}: {r.stderr[-1500:]}')


def run_checks(options, report):
    for check in sorted((ROOT / 'tools' / 'check').glob('*.py')):
        if check.stem == 'common' or options.filter not in f'check/{check.stem}':
            continue
        report.ran(f'check/{check.stem}')
        r = subprocess.run([sys.executable, str(check)], capture_output=True, text=True, cwd=ROOT)
        if r.returncode:
            report.fail(f'check/{check.stem}', 'check', (r.stdout + r.stderr)[:3000])


def run_fuzz(options, report):
    for fuzzer in sorted((ROOT / options.tests_from / 'fuzz').glob('fuzz_*')):
        name = fuzzer.name[5:]
        if options.filter not in f'fuzz/{name}' or fuzzer.suffix:
            continue
        report.ran(f'fuzz/{name}')
        own = ROOT / 'tests' / 'fuzz' / 'corpus' / name
        corpus = [own] if own.exists() else [ROOT / 'tests' / 'cases', ROOT / 'tests' / 'golden']
        with tempfile.TemporaryDirectory() as folder:
            try:
                r = subprocess.run([str(fuzzer), SLOW_FUZZ_RUNS.get(name, FUZZ_RUNS), *map(str, corpus)], capture_output=True, text=True, cwd=folder,
                                   timeout=300, errors='replace')
            except subprocess.TimeoutExpired:
                report.fail(f'fuzz/{name}', 'fuzz', 'still running after 300 s')
                continue
            if r.returncode:
                kept = ROOT / options.tests_from / f'finding-{name}.bin'
                found = pathlib.Path(folder) / 'fuzz-finding.bin'
                if found.exists():
                    kept.write_bytes(found.read_bytes())
                report.fail(f'fuzz/{name}', 'fuzz', f'{(r.stdout + r.stderr)[-1500:]}\nthe input: {kept}')


def run_shim(options, report, shim, pool):
    import shim_test

    def one(case):
        report.ran(case[0])
        error = case[1](shim)
        if error:
            report.fail(case[0], 'shim', error)

    list(pool.map(one, [c for c in shim_test.cases() if options.filter in c[0]]))


def side_work(options, report, wanted):
    """Everything that does not call the compiler program."""
    for kind, run in (('check', run_checks), ('unit', run_unit), ('fuzz', run_fuzz)):
        if wanted(kind):
            run(options, report)


def main():
    options = arguments()
    if options.gpu:
        options.only, devices.own_driver = 'exec', True
    start = time.monotonic()
    steps_run = ('run-', 'spirv-vk') if options.gpu else ('run-',) if options.no_devices else ('',)
    report = Report(ROOT / 'tests' / 'known.txt', bool(options.filter or options.paths or options.only or options.no_devices),
                    steps_run)
    kinds = [k for k in options.only.split(',') if k]

    def wanted(kind):
        return kind in kinds if kinds else not options.paths

    carry, carry_ir = Program(ROOT / options.build / 'carry'), Program(ROOT / options.build / 'carry-ir')
    with_devices = not options.no_devices
    if with_devices and devices.missing():
        sys.exit(devices.missing())
    programs, goldens = load(options, report, kinds)
    if (programs or goldens) and not carry.exists():
        report.ran('carry')
        report.fail('carry', 'build', f'{carry.path} is missing: `make build`; {len(programs) + len(goldens)} tests need it')
        programs, goldens = [], []
    shim = devices.make_shim() if with_devices and not options.gpu else None
    with tempfile.TemporaryDirectory(prefix='carry-test-') as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        side = threading.Thread(target=side_work, args=(options, report, wanted))
        side.start()
        golden = golden_tests.Runner(carry, carry_ir, report, folder, options.update)
        list(pool.map(lambda p: golden.run(p[1], p[0]), enumerate(goldens)))
        if with_devices:
            golden.validate(shim, pool)
        if carry.exists() and (wanted('cli') or 'tests/cli' in [p.rstrip('/') for p in options.paths]):
            cli_tests.run(cli_tests.load(ROOT, options.filter), carry.path, report, folder, pool)
        exec_tests.Engine(carry, report, folder, with_devices, shim, pool, options.update).run(programs)
        if with_devices and wanted('shim'):
            run_shim(options, report, shim, pool)
        side.join()
    if options.write_known:
        report.write_known()
    passed, failed, known = report.finish()
    report.show(25 if not options.all else 10**6, options.verbose)
    seconds = time.monotonic() - start
    print(f'{seconds:.0f} s, {known} known failures (tests/known.txt)' if known else f'{seconds:.0f} s')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
