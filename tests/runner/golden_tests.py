"""Text tests: sources and the wanted outputs in one file; also IR tests (carry-ir) and tests of the command line."""
import pathlib
import re
import shlex

import devices
import testfile

SECTIONS = ('spirv', 'msl', 'wgsl', 'ir', 'plan', 'preprocess', 'reflect', 'diagnostics', 'stdout', 'stderr', 'after',
            'messages')
INPUTS = ('source', 'file', 'ir-in')


class GoldenTest:
    def __init__(self, path, ident):
        self.ident = ident
        self.file = testfile.TestFile(path)
        self.validate = []      # (kind, text or path) for the outside validators
        for s in self.file.sections:
            if s.name not in SECTIONS + INPUTS:
                raise testfile.BadTest(f'{path}:{s.line}: unknown section `{s.name}`')


class Runner:
    def __init__(self, carry, carry_ir, report, folder, update):
        self.carry, self.carry_ir, self.report = carry, carry_ir, report
        self.root, self.update = pathlib.Path(folder), update
        self.valid_jobs = []        # (ident, kind, path) for the validators

    def run(self, test, number):
        self.report.ran(test.ident)
        folder = self.root / f'g{number}'
        folder.mkdir()
        f, replacements = test.file, {}
        try:
            if not any(s.name == 'ir-in' for s in f.sections) and not f.get('run'):
                for name, text in f.sources():
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (folder / name).write_text(text)
            else:
                for s in f.sections:
                    if s.name in ('file', 'source'):
                        (folder / testfile.source_name(s.arguments, 0)).write_text(s.text)
            for section in f.sections:
                if section.name in INPUTS:
                    continue
                got, error = self._output(test, section, folder)
                if error:
                    self.report.fail(test.ident, section.name, error)
                else:
                    self._judge(test, section, got, replacements)
        except testfile.BadTest as e:
            self.report.fail(test.ident, 'runner', str(e))
        if replacements:
            f.rewrite(replacements)

    # ---- making the outputs

    def _output(self, test, section, folder):
        """(text, error)"""
        if section.name in ('stdout', 'stderr'):
            return self._command_line(test, section, folder)
        if section.name in ('after', 'messages'):
            return self._ir_tool(test, section, folder)
        f = test.file
        main = f.sources()[0][0]
        flags = f.get('flags').split() + section.flags
        if section.name == 'diagnostics':
            return self._diagnostics(test, main, flags, folder)
        arguments = {'preprocess': ['--preprocess'], 'plan': ['--print-plan'], 'spirv': ['--asm', '-o', '-'],
                     'msl': ['-o', '-'], 'wgsl': ['-o', '-'],
                     'ir': ['--print-ir' + ''.join('=' + a for a in section.arguments)]}
        if section.name == 'reflect':
            command = ['reflect', main, *flags]
        else:
            command = [main, *flags, *arguments[section.name]]
        if section.name in ('spirv', 'msl', 'wgsl') and not any(x.startswith('--target') for x in flags):
            command += ['--target', section.name]
        r = self.carry(command, folder)
        if r.fault or r.status != 0:
            return '', r.fault or f'exit status {r.status}: {r.err.strip()[:800]}'
        self._note_for_validation(test, section, folder, main, flags, r)
        return r.text, ''

    def _diagnostics(self, test, main, flags, folder):
        if not any(x.startswith(('--target', '-o', '--preprocess')) for x in flags):
            flags = flags + ['--target', 'spirv']
        if '-o' not in flags:
            flags = flags + ['-o', 'out/']
        r = self.carry([main, *flags], folder)
        wanted = 1 if re.search(r'\b(error|fatal)\b[\[:]', r.err) else 0
        if r.fault or r.status != wanted:
            return '', r.fault or f'exit status {r.status}, want {wanted}: {r.err.strip()[:500]}'
        return r.err, ''

    def _note_for_validation(self, test, section, folder, main, flags, result):
        kind = section.name
        if kind not in ('spirv', 'msl', 'wgsl') or test.file.get('valid') == 'no':
            return
        path = folder / f'valid{section.line}.{kind}'
        if kind == 'spirv':
            target = [] if any(x.startswith('--target') for x in flags) else ['--target', 'spirv']
            r = self.carry([main, *flags, *target, '-o', path.name], folder)
            if r.fault or r.status != 0:
                return self.report.fail(test.ident, 'spirv', r.fault or r.brief())
        else:
            path.write_bytes(result.out)
        self.valid_jobs.append((test.ident, kind, path, ' '.join(flags)))

    def _command_line(self, test, section, folder):
        r = self.carry(shlex.split(test.file.get('run')), folder)
        wanted = int(test.file.get('status', '0'))
        if r.status != wanted:
            return '', r.fault or f'exit status {r.status}, want {wanted}: {r.err.strip()[:500]}'
        return (r.text if section.name == 'stdout' else r.err), ''

    def _ir_tool(self, test, section, folder):
        if not self.carry_ir.exists():
            return '', f'{self.carry_ir.path} is missing'
        source = next((s for s in test.file.sections if s.name == 'ir-in'), None)
        if source is None:
            raise testfile.BadTest(f'{test.file.path}: no `--- ir-in` section')
        (folder / 'test.ir').write_text(source.text)
        r = self.carry_ir(test.file.get('flags').split() + section.flags + ['test.ir'], folder)
        if r.fault:
            return '', r.fault
        wanted = 1 if section.name == 'messages' else 0
        if r.status != wanted:
            return '', f'exit status {r.status}, want {wanted}: {(r.err or r.text).strip()[:800]}'
        return (r.err if section.name == 'messages' else r.text), ''

    # ---- comparing

    def _judge(self, test, section, got, replacements):
        got = '\n'.join(line.rstrip() for line in got.splitlines())
        got = got.strip('\n') + '\n' if got.strip() else ''
        if section.mode == 'has':
            self._has(test, section, got)
        elif section.mode == 'lacks':
            for line in section.lines():
                hit = next((g for g in got.splitlines() if squeeze(line) in squeeze(g)), None)
                if hit:
                    self.report.fail(test.ident, section.name, f'must not have `{line.strip()}`, has `{hit.strip()}`')
        elif got.strip('\n') != section.text.strip('\n'):
            if self.update:
                print(f'{test.file.path}: {section.name}\n{difference(section.text, got)}')
                replacements[section] = got
            else:
                self.report.fail(test.ident, section.name, difference(section.text, got))

    def _has(self, test, section, got):
        """Each line must be found, in order, with blanks squeezed."""
        lines = [squeeze(g) for g in got.splitlines()]
        at = 0
        for line in section.lines():
            wanted = squeeze(line)
            found = next((i for i in range(at, len(lines)) if wanted in lines[i]), None)
            if found is None:
                where = 'after the lines before it' if any(wanted in x for x in lines) else 'anywhere'
                self.report.fail(test.ident, section.name, f'`{line.strip()}` is not {where} in\n{got[:2500]}')
                return
            at = found + 1

    # ---- outside validators for what was printed

    def validate(self, shim, pool):
        wgsl = [j for j in self.valid_jobs if j[1] == 'wgsl']
        for kind, way in (('dawn', 'wgsl-tint'), ('deno', 'wgsl-naga')):
            answers = devices.run_jobs(kind, [str(j[2]) for j in wgsl], self.root, check=True) if wgsl else []
            for (ident, _, _, _), answer in zip(wgsl, answers):
                error = devices.answer_error(answer)
                if error:
                    self.report.fail(ident, way, error)

        def one(job):
            ident, kind, path, flags = job
            if kind == 'spirv':
                m = re.search(r'vulkan(\d\.\d)', flags)
                error = devices.spirv_val(path, f'vulkan{m[1]}' if m and m[1] <= '1.3' else 'vulkan1.3', flags)
                way = 'spirv-val'
            else:
                error, way = '\n'.join(shim.check(path.read_text())[:3]), 'msl-check'
            if error:
                self.report.fail(ident, way, error)

        list(pool.map(one, [j for j in self.valid_jobs if j[1] != 'wgsl']))


def squeeze(text):
    return ' '.join(text.split())


def difference(want, got):
    import difflib
    lines = difflib.unified_diff(want.splitlines(), got.splitlines(), 'wanted', 'got', lineterm='', n=2)
    return '\n'.join(list(lines)[2:60])
