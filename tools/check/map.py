"""docs/map.md names every folder of src and tools, and every path it names exists; each folder of src has a README.md of at
most 20 lines."""
import re

from common import ROOT, files, finish, text


def main():
    problems = []
    page = text('docs/map.md')
    named = set(re.findall(r'`((?:src|tools|tests|docs|demo|cmake)/[\w./*-]*)`', page))
    folders = {'/'.join(p.parts[:n]) for p in files() if p.parts[0] in ('src', 'tools', 'tests')
               for n in range(2, min(len(p.parts), 4))}
    for folder in sorted(folders):
        if folder + '/' not in named and not (folder.startswith('tests/') and folder.count('/') > 1):
            problems.append(f'docs/map.md: does not name `{folder}/`')
    for name in sorted(named):
        if '*' not in name and not (ROOT / name).exists():
            problems.append(f'docs/map.md: `{name}` does not exist')
    for folder in sorted(f for f in folders if f.startswith('src/')):
        readme = ROOT / folder / 'README.md'
        if not readme.exists():
            if folder.count('/') == 1:
                problems.append(f'{folder}/README.md is missing')
        elif len(readme.read_text().splitlines()) > 20:
            problems.append(f'{folder}/README.md: at most 20 lines')
    finish(problems)


main()
