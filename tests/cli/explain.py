"""`carry explain`: each message has an explanation, and the example in it gets that message."""
import json


def catalogue(t):
    return [json.loads(line) for line in t.run('explain', '--json').text.splitlines()]


def names(messages):
    for m in messages:
        yield m['name']
        yield from names(m.get('notes', []))


def check(t, thousand):
    wrong = []
    for e in catalogue(t):
        if e['code'][2] != thousand or not e['example']:
            continue
        words = e['options'].split()
        language, rest = words[0], words[1:]
        name = f'{e["name"]}.{rest.pop(0)}' if language == 'glsl' else f'{e["name"]}.hlsl'
        t.write(name, e['example'] + '\n')
        error = e['severity'] == 'error' or '-WX' in rest
        r = t.run(name, '--diagnostics=json', '-o', '/dev/null', *rest, *([] if '--target' in rest else ['--target', 'spirv']),
                  status=None)
        got = list(names(json.loads(line) for line in r.err.splitlines() if line.startswith('{')))
        if e['name'] not in got or (error and r.status != 1):
            wrong.append(f"{e['name']}: exit status {r.status}, {sorted(set(got))}")
    t.check(not wrong, '\n'.join(wrong))


def test_all_have_one(t):
    for e in catalogue(t):
        t.check(len(e['rule']) > 30, f"{e['name']} has no explanation")
        t.check(e['mend'] or e['severity'] == 'note', f"{e['name']} does not say how to mend it")
        t.check(not e['example'] or e['options'].split()[0] in ('glsl', 'hlsl'), f"{e['name']}: options")
    t.run('explain', 'no-member').says('CY3122 no-member (error)', 'struct S', 'to mend', 'GLSL 4.60')


def test_examples_of_1xxx(t):
    check(t, '1')


def test_examples_of_2xxx(t):
    check(t, '2')


def test_examples_of_3xxx(t):
    check(t, '3')


def test_examples_of_targets_and_program(t):
    for thousand in '456':
        check(t, thousand)
