#!/usr/bin/env python3
"""Makes the tables of operations and built-in functions.

  gen.py OUT         reads src/ops/builtins/*.builtins, writes OUT/ops/gen/*.inc
  gen.py --list OUT  prints the files it would write, one a line
"""

import os
import sys

import emit
from reader import Reader, TableError


def read_all(folder):
    blocks = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".builtins"):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as f:
                blocks += Reader(f.read(), os.path.relpath(path).replace(os.sep, "/")).blocks()
    return blocks


def write_if_changed(path, text):
    """Keeps the time stamp of an unchanged file, so that nothing is rebuilt for it."""
    try:
        with open(path, encoding="utf-8") as f:
            if f.read() == text:
                return
    except OSError:
        pass
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def main(args):
    listing = args[:1] == ["--list"]
    if len(args) != 1 + listing:
        print(__doc__, file=sys.stderr)
        return 2
    out = os.path.join(os.path.abspath(args[-1]), "ops", "gen")
    if listing:
        for name in emit.OUTPUTS:
            print(os.path.join(out, name).replace(os.sep, "/"))
        return 0
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        os.chdir(root)
        blocks = read_all(os.path.join(root, "src", "ops", "builtins"))
        with open(os.path.join("src", "ops", "ops.def"), encoding="utf-8") as f:
            outputs = emit.emit(blocks, f.read())
    except TableError as e:
        print(f"{e}", file=sys.stderr)
        return 1
    for name, text in outputs.items():
        write_if_changed(os.path.join(out, name), text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
