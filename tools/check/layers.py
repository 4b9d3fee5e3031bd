"""An #include may go only to the same folder or to one that stands before it in src/layers.txt."""
import re

from common import ROOT, files, finish, text

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def read_layers():
    order, apart = {}, []
    for line in (ROOT / 'src' / 'layers.txt').read_text().splitlines():
        words = line.split('#')[0].split()
        if words[:1] == ['apart']:
            apart.append(words[1:])
        elif words:
            for name in words:
                order[name] = len(order) if len(words) == 1 else order.get(words[0], len(order))
    return order, apart


def folder_of(path, order):
    """The longest listed folder that holds the path."""
    parts = path.split('/')
    for n in range(len(parts) - 1, 0, -1):
        if '/'.join(parts[:n]) in order:
            return '/'.join(parts[:n])
    return None


def main():
    order, apart = read_layers()
    problems = []
    for path in files('.h', '.cpp', '.inc', '.def'):
        if path.parts[0] != 'src':
            continue
        name = '/'.join(path.parts[1:])
        here = folder_of(name, order)
        if here is None:
            problems.append(f'{path}: its folder is not in src/layers.txt')
            continue
        for included in INCLUDE.findall(text(path)):
            there = folder_of(included, order)
            if there is None:
                if '/' not in included:
                    problems.append(f'{path}: write "{included}" as "folder/{included}"')
                continue
            if here != there and order[there] >= order[here] and not name.endswith('_test.cpp'):
                problems.append(f'{path}: {here} may not include {included}: {there} stands after it in src/layers.txt')
            for group in apart:
                if here in group and there in group and here != there:
                    problems.append(f'{path}: {here} and {there} may not see each other')
    finish(problems)


main()
