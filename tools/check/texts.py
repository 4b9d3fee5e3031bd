"""No host of a package registry, no path of a machine, no merge marker, no TODO without an issue."""
import re

from common import files, finish, text

FORBIDDEN = [
    (re.compile(r'registry\.[\w-]+\.\w+|\b(deb|security|snapshot|archive)\.(debian|ubuntu)\.(org|com)|\bnpmjs\b|\bpypi\.org|crates\.io'),
     'names the host of a package registry'),
    (re.compile(r'/(home|Users)/\w+/|/root/|(?<![\w.])/work/'), 'names a path of one machine'),
    (re.compile(r'^(<<<<<<<|>>>>>>>) ', re.M), 'has a merge marker'),
    (re.compile(r'\b(TODO|FIXME|XXX)\b(?!\(#\d+\))'), 'has a TODO without an issue: TODO(#12)'),
]
SKIP = ('tools/check/texts.py',)


def main():
    problems = []
    for path in files('.h', '.cpp', '.py', '.md', '.txt', '.def', '.builtins', '.sh', '.mjs', '.json', '.test', '.cmake', ''):
        if str(path) in SKIP:
            continue
        content = text(path)
        for pattern, what in FORBIDDEN:
            m = pattern.search(content)
            if m:
                problems.append(f'{path}:{content.count(chr(10), 0, m.start()) + 1}: {what}: {m[0][:60]}')
    finish(problems)


main()
