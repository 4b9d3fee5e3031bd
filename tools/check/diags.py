"""Diagnostics: each name and code once, codes in the range of their section, each shown by a test (golden, execution, command
line, a vector, the example of its explanation) or listed in diags.txt with a reason, and each explained in explain_*.def.
`--write` lists anew what no test shows, keeping reasons."""
import re
import sys

from common import ROOT, files, finish, reviewed, text

ROW = re.compile(r'^DIAG\(\s*(\w+)\s*,\s*(\w+)\s*,\s*(\d+)\s*,', re.M)
STRING = r'((?:R"x\(.*?\)x"\s*|"[^"]*"\s*)+)'
EXPLAIN = re.compile(rf'^EXPLAIN\((\w+),\s*{STRING},\s*{STRING},\s*{STRING},', re.M | re.S)


def explained():
    """{name: whether it has an example}, which tests/cli/explain.py compiles."""
    out = {}
    for path in sorted((ROOT / 'src' / 'diag').glob('explain_*.def')):
        for name, _, _, options in EXPLAIN.findall(path.read_text()):
            out[name] = options.strip() != '""'
    return out


def shown():
    """Everything that tests show: codes and public names."""
    out = set()
    for path in files('.test', '.json', '.py'):
        if path.parts[0] in ('tests', 'src') and path.parts[1] != 'runner':
            content = text(path)
            out |= {int(c) for c in re.findall(r'\bCY(\d{4})\b', content)}
            out |= set(re.findall(r'[a-z0-9]+(?:-[a-z0-9]+)+', content))
    return out | {name.replace('_', '-') for name, example in explained().items() if example}


def main():
    problems, names, codes = [], {}, {}
    seen, allowed, explanations = shown(), reviewed('diags'), explained()
    for path in sorted((ROOT / 'src').rglob('diags.def')):
        for name, severity, code in ROW.findall(path.read_text()):
            public, code = name.replace('_', '-'), int(code)
            if name in names:
                problems.append(f'diags.def: {name} twice')
            if code in codes:
                problems.append(f'diags.def: code {code} is {codes[code]} and {name}')
            names[name], codes[code] = severity, name
            if code not in seen and public not in seen and name not in allowed:
                problems.append(f'diags.def: no test shows {public} (CY{code})')
            if name in allowed and (code in seen or public in seen):
                problems.append(f'tools/check/diags.txt: {name} is shown by a test now: take it off')
            if name not in explanations:
                problems.append(f'diags.def: {name} has no EXPLAIN row in explain_*.def')
    for name in explanations:
        if name not in names:
            problems.append(f'explain_*.def: {name} is no diagnostic')
    for name in allowed:
        if name not in names:
            problems.append(f'tools/check/diags.txt: {name} is no diagnostic')
    if '--write' in sys.argv:
        write(names, codes, seen, allowed)
    finish(problems)


def write(names, codes, seen, allowed):
    numbers = {name: code for code, name in codes.items()}
    lines = ['# Diagnostics that no test shows: NAME, then the reason.']
    lines += [f'{n} {allowed.get(n) or "no test yet"}' for n in sorted(names)
              if numbers.get(n) not in seen and n.replace('_', '-') not in seen]
    (ROOT / 'tools' / 'check' / 'diags.txt').write_text('\n'.join(lines) + '\n')


main()
