"""Outside validators and executors, in batches: one process serves many shaders."""
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests' / 'msl'))
from shim import Shim  # noqa: E402  (its folder must be on the path first)

EXEC = ROOT / '.tools' / 'exec'
LIMIT = 60      # seconds for one shader
own_driver = False      # --gpu: the machine's own Vulkan driver instead of lavapipe, and nothing else


def missing():
    """What setup.sh has not brought yet, or ''."""
    others = ('lavapipe/icd.json', 'node_modules/webgpu/index.js', 'node_modules/@deno/linux-x64-glibc/deno')
    for f in ('vk_run', *(() if own_driver else others)):
        if not (EXEC / f).exists():
            return f'.tools/exec/{f} is missing: run tests/executors/setup.sh'
    return ''


def environment():
    if own_driver:
        return dict(os.environ)
    return dict(os.environ, VK_ICD_FILENAMES=str(EXEC / 'lavapipe' / 'icd.json'), XDG_RUNTIME_DIR=str(EXEC / 'xdg'),
                MESA_SHADER_CACHE_DIR=str(EXEC / 'shader-cache'), DENO_DIR=str(EXEC / 'deno'), DENO_NO_UPDATE_CHECK='1',
                EXEC_WEBGPU=str(EXEC / 'node_modules' / 'webgpu' / 'index.js'))


def command(kind, check):
    script = str(ROOT / 'tests' / 'executors' / 'gpu_run.mjs')
    head = {'dawn': ['node', script],
            'deno': [str(EXEC / 'node_modules' / '@deno' / 'linux-x64-glibc' / 'deno'), 'run', '-A', '--no-lock',
                     '--no-config', script],
            'vulkan': [str(EXEC / 'vk_run')]}[kind]
    return head + (['--check'] if check else [])


def run_jobs(kind, jobs, folder, check=False):
    """Answers, one JSON object a job, in order. A job that ends or hangs its process gets `stage: crash`."""
    answers = []
    env = environment()
    if kind == 'dawn' and check:
        env['DAWN_FLAGS'] = 'backend=null'
    while len(answers) < len(jobs):
        path = pathlib.Path(folder) / f'{kind}.{"check" if check else "run"}.jobs'
        path.write_text('\n'.join(jobs[len(answers):]) + '\n')
        got, error = _stream(command(kind, check) + ['-f', str(path)], env)
        if not got and answers == [] and 'adapter' in error:
            return [{'ok': False, 'stage': 'adapter', 'error': error}] * len(jobs)
        answers += got
        if len(answers) < len(jobs):
            answers.append({'ok': False, 'stage': 'crash', 'error': 'the executor ended or hung here. ' + error[-300:]})
    return answers[:len(jobs)]


def _stream(argv, env):
    """JSON lines of a program until it ends or is silent for LIMIT seconds."""
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, text=True)
    lines, errors = queue.Queue(), []

    def read_out():
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threads = [threading.Thread(target=read_out, daemon=True),
               threading.Thread(target=lambda: errors.append(process.stderr.read()), daemon=True)]
    for t in threads:
        t.start()
    got = []
    while True:
        try:
            line = lines.get(timeout=LIMIT)
        except queue.Empty:
            process.kill()
            break
        if line is None:
            break
        if line.startswith('{'):
            try:
                answer = json.loads(line)
            except json.JSONDecodeError:    # cut off: whatever follows may belong to another job
                errors.append(f'not JSON: {line[:200]}')
                process.kill()
                break
            if answer.get('stage') == 'adapter':
                errors.append('no adapter')
                break
            got.append(answer)
    process.wait()
    threads[1].join(5)
    return got, ' '.join(errors)


SCALAR_LAYOUTS = ('--layout scalar', '--layout=scalar', '--layout d3d', '--layout=d3d', '-fvk-use-dx-layout', '-fvk-use-scalar-layout')


def spirv_val(path, target_env, flags=''):
    """'' or the first message. Flags are those of the compilation: some choose layouts that a device must allow."""
    scalar = ['--scalar-block-layout'] if any(f in flags for f in SCALAR_LAYOUTS) else []
    r = subprocess.run(['spirv-val', *scalar, '--target-env', target_env, str(path)], capture_output=True, text=True)
    return '' if r.returncode == 0 else (r.stderr + r.stdout).strip()[:400]


def answer_error(answer):
    """'' or the text of what went wrong."""
    if answer.get('ok'):
        return ''
    first = next((m for m in answer.get('messages', []) if m.get('type') == 'error'), None)
    if first:
        return f"{first['line']}:{first['column']}: {first['text']}"[:500]
    return f"{answer.get('stage')}: {answer.get('error', '')}"[:500]


def make_shim():
    return Shim()
