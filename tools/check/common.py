"""Shared by the checks: files of the repository and a way to complain."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def files(*endings):
    """Tracked and new files (not ignored ones) with these endings, relative to the root; all without endings."""
    out = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT, capture_output=True, text=True)
    if out.returncode == 0:
        names = [ROOT / n for n in out.stdout.splitlines()]
    else:               # an unpacked archive
        names = [p for p in ROOT.rglob('*') if not {'build', '.tools', '.git'} & set(p.relative_to(ROOT).parts)]
    return sorted(p.relative_to(ROOT) for p in set(names)
                  if p.is_file() and (not endings or p.suffix in endings))


def text(path):
    return (ROOT / path).read_text(encoding='utf-8', errors='replace')


def reviewed(name):
    """The entries of tools/check/NAME.txt: {first word: reason}."""
    out = {}
    path = ROOT / 'tools' / 'check' / f'{name}.txt'
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.strip() and not line.startswith('#'):
            key, _, reason = line.partition(' ')
            out[key] = reason.strip()
    return out


def finish(problems):
    for p in problems:
        print(p)
    sys.exit(1 if problems else 0)
