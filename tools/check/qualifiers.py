"""docs/qualifiers.md has every qualifier, layout id, attribute and pragma of the compiler's tables, each under its language, and
no other."""
import re

from common import finish, text


def rows(path, pattern):
    return re.findall(pattern, text(path), re.M)


def array(path, name):
    """The first string of each element of a constexpr table in C++."""
    body = re.search(rf'\b{name}\[\] = \{{(.*?)\}};', text(path), re.S)[1]
    found = re.findall(r'\{"(\w+)"', body)
    return found if found else re.findall(r'"(\w+)"', body)


def tables():
    """{section: {name}}"""
    words = rows('src/syntax/qualifiers.def', r'^QUALIFIER\(\w+, "(\w+)", (\w+)\)')
    pragmas = rows('src/driver/pragmas.def', r'^PRAGMA\(\w+, "([^"]+)"\)')
    attributes = set(array('src/check/stmts.cpp', 'kHints')) | set(array('src/types/loop_control.h', 'kLoopCountWords')) - {'none'}
    attributes |= set(array('src/check/qualifiers.cpp', 'kRows')) | {'spirv_execution_mode'}
    hlsl = set(rows('src/lang/hlsl/attributes.def', r'^FUNCTION_ATTRIBUTE\("(\w+)"'))
    hlsl |= {'vk::' + name for name in rows('src/lang/hlsl/attributes.def', r'^VK_ATTRIBUTE\("(\w+)"')}
    return {'GLSL: qualifiers': {w for w, language in words if language != 'hlsl'},
            'HLSL: qualifiers': {w for w, language in words if language != 'glsl'},
            'GLSL: layout ids': set(rows('src/lang/glsl/layouts.def', r'^LAYOUT\("(\w+)"')),
            'GLSL: attributes': attributes, 'HLSL: attributes': hlsl, 'Pragmas': set(pragmas)}


def page():
    """{section: {name}}: what stands in the first cells."""
    out = {}
    for part in re.split(r'^## ', text('docs/qualifiers.md'), flags=re.M)[1:]:
        cells = re.findall(r'^\| (`[^|]*) \|', part, re.M)
        out[part.splitlines()[0]] = {name for cell in cells for name in re.findall(r'`([^`]+)`', cell)}
    return out


def main():
    problems, written = [], page()
    for section, names in tables().items():
        if not names:
            problems.append(f'tools/check/qualifiers.py: no rows found for "{section}"')
        there = written.get(section, set())
        problems += [f'docs/qualifiers.md: `{name}` is missing under "{section}"' for name in sorted(names - there)]
        problems += [f'docs/qualifiers.md: `{name}` under "{section}" is in no table' for name in sorted(there - names)]
    finish(problems)


main()
