"""Calls the compiler with a time limit; a crash, a Bug or a hang is always a failure."""
import json
import os
import subprocess

LIMIT = 30


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    @property
    def text(self):
        return self.out.decode('utf-8', 'replace')

    @property
    def fault(self):
        """'' or what is wrong with the program itself."""
        if self.status is None:
            return f'still running after {LIMIT} s'
        if self.status < 0 or self.status > 3:
            return f'ended by signal {-self.status}' if self.status < 0 else f'exit status {self.status}'
        if self.status == 3:
            return 'fault of the compiler: ' + self.err.strip()[:400]
        return ''

    def messages(self):
        """The objects of --diagnostics=json."""
        out = []
        for line in self.err.splitlines():
            if line.startswith('{'):
                try:
                    out.append(json.loads(line))
                except ValueError:
                    out.append({'severity': 'error', 'name': 'broken-json', 'text': line})
        return out

    def brief(self):
        """The first error, for a report."""
        errors = [m for m in self.messages() if m.get('severity') in ('error', 'fatal')]
        if errors:
            m = errors[0]
            return f"{m.get('line', '')}: {m.get('name', '')}: {m.get('text', '')}"[:300]
        return (self.err.strip().splitlines() or ['no message'])[0][:300]


class Program:
    def __init__(self, path):
        self.path = os.path.abspath(path)

    def exists(self):
        return os.access(self.path, os.X_OK)

    def __call__(self, arguments, folder, stdin=None, limit=LIMIT):
        environment = dict(os.environ, NO_COLOR='1')
        try:
            r = subprocess.run([self.path, *arguments], cwd=folder, capture_output=True, input=stdin, timeout=limit,
                               env=environment)
        except subprocess.TimeoutExpired:
            return Result(None, b'', '')
        return Result(r.returncode, r.stdout, r.stderr.decode('utf-8', 'replace'))
