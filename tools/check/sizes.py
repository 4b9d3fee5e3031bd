"""Files over 800 lines and functions over 100 are refused, unless sizes.txt gives a reason. `--soft` lists those over
400 and 50. Tables (.def, .builtins, generated) are exempt."""
import re
import sys

from common import files, finish, reviewed, text

FILE_LIMIT, FUNCTION_LIMIT = (400, 50) if '--soft' in sys.argv else (800, 100)
# A line that may begin a function body: not a control statement, type, namespace or initialiser.
NOT_FUNCTION = re.compile(r'^\s*(namespace|class|struct|enum|union|extern|typedef|if|for|while|switch|else|do|return|case|#)\b|=\s*\{?$')


def functions(lines):
    """(line number, name, length) of C++ functions, by indentation and braces: the code is formatted."""
    at = 0
    while at < len(lines):
        line = lines[at]
        m = re.match(r'^( {0,4})[^\s#/}].*\{\s*$', line)
        if m and '(' in ''.join(lines[max(0, at - 4):at + 1]) and not NOT_FUNCTION.match(line) and ');' not in line:
            closing = m[1] + '}'
            end = next((i for i in range(at + 1, len(lines)) if lines[i].rstrip() in (closing, closing + ';')), None)
            if end is not None:
                name = re.findall(r'([\w:~]+)\s*\(', ''.join(lines[max(0, at - 2):at + 1]))
                yield at + 1, name[-1] if name else '?', end - at + 1
        at += 1


def python_functions(lines):
    for at, line in enumerate(lines):
        m = re.match(r'^(\s*)def (\w+)', line)
        if m:
            end = next((i for i in range(at + 1, len(lines)) if lines[i].strip() and
                        len(lines[i]) - len(lines[i].lstrip()) <= len(m[1]) and not lines[i].lstrip().startswith(')')), len(lines))
            yield at + 1, m[2], end - at


def main():
    allowed, problems = reviewed('sizes'), []
    for path in files('.h', '.cpp', '.py', '.mjs'):
        if str(path) in allowed:
            continue
        lines = text(path).splitlines()
        if len(lines) > FILE_LIMIT:
            problems.append(f'{path}: {len(lines)} lines, at most {FILE_LIMIT}')
        for number, name, length in (python_functions if path.suffix == '.py' else functions)(lines):
            if length > FUNCTION_LIMIT and f'{path}:{name}' not in allowed:
                problems.append(f'{path}:{number}: {name} has {length} lines, at most {FUNCTION_LIMIT}')
    finish(problems)


main()
