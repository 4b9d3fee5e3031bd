#!/usr/bin/env python3
"""Validates many WGSL and MSL files in few processes: WGSL by Tint (Dawn) and naga (Deno), MSL by the shim's check.

  validate.py [--kind wgsl|msl] [--jobs N] [--summary] FILE|FOLDER...

A folder stands for all its files. The kind is taken from the ending (.wgsl, .metal), else --kind says it. Prints a line
`FILE: VALIDATOR: MESSAGE` for each file that a validator refuses, then the counts. Exit status 1 if there is one.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import re
import sys
import tempfile

import devices

ENDINGS = {'.wgsl': 'wgsl', '.metal': 'msl'}


def collect(paths, kind):
    """{kind: [file]}"""
    found = {'wgsl': [], 'msl': []}
    for p in map(pathlib.Path, paths):
        for f in sorted(x for x in p.rglob('*') if x.is_file()) if p.is_dir() else [p]:
            of = ENDINGS.get(f.suffix, kind)
            if of:
                found[of].append(f.resolve())
    return found


def check_wgsl(name, files, folder):
    """[(file, message)] of one of the two validators."""
    answers = devices.run_jobs(name, [str(f) for f in files], folder, check=True)
    return [(f, devices.answer_error(a)) for f, a in zip(files, answers)]


def check_msl(files, jobs):
    shim = devices.make_shim()
    parts = [files[i:i + 24] for i in range(0, len(files), 24)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        checked = pool.map(lambda part: shim.check_many([f.read_text(errors='replace') for f in part]), parts)
        return [(f, m[0] if m else '') for part, messages in zip(parts, checked) for f, m in zip(part, messages)]


def head(message):
    """The first lines of a message in one: naga gives the reason in the second and third."""
    return ' | '.join(line.strip() for line in message.splitlines()[:4] if line.strip())[:300]


def kind_of(message):
    """The message without what differs from file to file."""
    message = re.sub(r'^[^ ]*\d+:\d+: ', '', message)
    return re.sub(r'\d+', 'N', re.sub(r"[`'\"][^`'\"]*[`'\"]", '_', head(message)))[:200]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('paths', nargs='+')
    parser.add_argument('--kind', choices=['wgsl', 'msl'])
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--summary', action='store_true', help='counts by message, with one example each')
    args = parser.parse_args()
    found = collect(args.paths, args.kind)
    results = {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(3) as pool:
        if found['wgsl']:
            for label, name in (('tint', 'dawn'), ('naga', 'deno')):
                results[label] = pool.submit(check_wgsl, name, found['wgsl'], folder)
        if found['msl']:
            results['msl'] = pool.submit(check_msl, found['msl'], args.jobs)
        results = {label: task.result() for label, task in results.items()}
    bad = False
    for label, answers in results.items():
        refused = [(f, m) for f, m in answers if m]
        bad = bad or bool(refused)
        if args.summary:
            by_kind = collections.defaultdict(list)
            for f, m in refused:
                by_kind[kind_of(m)].append((f, m))
            for group in sorted(by_kind.values(), key=len, reverse=True):
                print(f'{len(group):5} {label}: {head(group[0][1])}  ({group[0][0].name})')
        else:
            for f, m in refused:
                print(f'{f}: {label}: {head(m)}')
        print(f'{label}: {len(answers) - len(refused)} of {len(answers)} valid')
    return int(bad)


if __name__ == '__main__':
    sys.exit(main())
