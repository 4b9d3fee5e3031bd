"""Tests of the command line as a user sees it: tests/cli/*.py, each function `test_...(t)` in a folder of its own."""
import importlib.util
import json
import os
import pathlib
import subprocess


class Failed(Exception):
    pass


class Run:
    """What a call of `carry` left behind."""

    def __init__(self, arguments, status, out, err):
        self.arguments, self.status, self.out, self.err = arguments, status, out, err

    @property
    def text(self):
        return self.out.decode('utf-8', 'replace')

    def has(self, *texts):
        for text in texts:
            if text not in self.err:
                raise Failed(f'{self}: standard error lacks `{text}`:\n{self.err[:1500]}')
        return self

    def lacks(self, *texts):
        for text in texts:
            if text in self.err:
                raise Failed(f'{self}: standard error has `{text}`:\n{self.err[:1500]}')
        return self

    def says(self, *texts):
        for text in texts:
            if text not in self.text:
                raise Failed(f'{self}: standard output lacks `{text}`:\n{self.text[:1500]}')
        return self

    def quiet(self):
        if self.err:
            raise Failed(f'{self}: standard error is not empty:\n{self.err[:1500]}')
        return self

    def json(self):
        try:
            return json.loads(self.out)
        except ValueError as e:
            raise Failed(f'{self}: standard output is no JSON ({e}): {self.text[:500]}') from e

    def __str__(self):
        return 'carry ' + ' '.join(map(str, self.arguments))


class Tester:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content)
        return path

    def run(self, *arguments, status=0, stdin=b'', stdout=None, limit=60):
        """`status` None: any but that of a fault."""
        if isinstance(stdin, str):
            stdin = stdin.encode()
        environment = {k: v for k, v in os.environ.items() if k != 'NO_COLOR'}
        try:
            r = subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, input=stdin, timeout=limit,
                               stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        except subprocess.TimeoutExpired as e:
            raise Failed(f"carry {' '.join(map(str, arguments))}: still running after {limit} s") from e
        run = Run(arguments, r.returncode, r.stdout or b'', r.stderr.decode('utf-8', 'replace'))
        if status is not None and r.returncode != status:
            raise Failed(f'{run}: exit status {r.returncode}, want {status}:\n{run.err[:1500]}')
        if r.returncode not in (0, 1, 2):
            raise Failed(f'{run}: exit status {r.returncode}:\n{run.err[:1500]}')
        if '\x1b' in run.err:
            raise Failed(f'{run}: colour in a pipe')
        return run

    def refuses(self, *arguments):
        """A wrong command line: exit status 2, one line, and nothing is written."""
        before = self.files()
        run = self.run(*arguments, status=2)
        if self.files() != before:
            raise Failed(f'{run}: exit status 2, but the files are {self.files()}')
        if run.out:
            raise Failed(f'{run}: exit status 2, but there is output')
        return run

    def files(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob('*') if p.is_file())

    def wrote(self, *names):
        """These files and no others beside what the test wrote; they are removed again."""
        got = [f for f in self.files() if f not in self.sources]
        if got != sorted(names):
            raise Failed(f'wrote {got}, want {sorted(names)}')
        content = {n: (self.folder / n).read_bytes() for n in names}
        for n in names:
            (self.folder / n).unlink()
        return content

    def sources_are_written(self):
        """What is there now is not counted by `wrote`."""
        self.sources = self.files()

    @staticmethod
    def check(condition, text):
        if not condition:
            raise Failed(text)


def load(root, wanted):
    """[(ident, function)]"""
    out = []
    for path in sorted((root / 'tests' / 'cli').glob('*.py')):
        spec = importlib.util.spec_from_file_location(f'cli_{path.stem}', path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, function in vars(module).items():
            ident = f'cli/{path.stem}-{name[5:]}'
            if name.startswith('test_') and wanted in ident:
                out.append((ident, function))
    return out


def run(tests, program, report, folder, pool):
    def one(numbered):
        number, (ident, function) = numbered
        report.ran(ident)
        own = pathlib.Path(folder) / f'c{number}'
        own.mkdir()
        tester = Tester(program, own)
        try:
            tester.sources_are_written()
            function(tester)
        except Failed as e:
            report.fail(ident, 'cli', str(e))
        except Exception as e:      # noqa: BLE001  one broken test must not end the run
            report.fail(ident, 'cli', f'{type(e).__name__}: {e}')

    list(pool.map(one, enumerate(tests)))
