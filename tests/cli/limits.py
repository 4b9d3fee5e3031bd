"""Inputs that grow without measure end with an error, in a short time."""
V = '#version 450\n'
OK = ('-o', '-', '--target', 'wgsl')


def test_limits(t):
    t.write('condition.comp', V + '#if ' + '(' * 6000 + '1' + ')' * 6000 + '\n#endif\nvoid main() {}\n')
    t.run('condition.comp', *OK, status=1).has('CY1108')
    t.write('calls.comp', V + '#define F(a) a\nint x = ' + 'F(' * 5000 + '1' + ')' * 5000 + ';\nvoid main() {}\n')
    t.run('calls.comp', *OK, status=1).has('CY1154')
    rows = ''.join(f'#define {chr(66 + i)} ' + ' '.join([chr(65 + i)] * 10) + '\n' for i in range(12))
    t.write('growth.comp', V + '#define A 1 1 1 1 1 1 1 1 1 1\n' + rows + 'int x = M;\nvoid main() {}\n')
    t.run('growth.comp', *OK, status=1).has('CY1155')
    t.write('nested.comp', V + 'void main() { int a = ' + '(' * 50000 + '1' + ')' * 50000 + '; }\n')
    t.run('nested.comp', *OK, status=1).has('CY2004')
    chain = ''.join(f'else if (a == {n}) {{}}\n' for n in range(1, 20000))
    t.write('chain.comp', V + 'void main() { int a = 0; if (a == 0) {}\n' + chain + '}\n')
    t.run('chain.comp', *OK, status=1).has('CY2005')
    t.write('errors.comp', V + 'int a = ' + ' + '.join(f'b{n}' for n in range(50)) + ';\nvoid main() {}\n')
    t.run('errors.comp', *OK, status=1).has('CY1004')
