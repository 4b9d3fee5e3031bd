"""What `cmake --install` leaves: a host that is built against it by pkg-config and by find_package."""
import os
import pathlib
import shutil
import subprocess

HOST = '''#include <carry/carry.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  const char* text = "#version 450\\nlayout(binding = 0) buffer B { uint a; };\\nvoid main() { a += N; }\\n";
  CarryRequest* request = carry_request_create();
  CarryResult* result;
  size_t size = 0;
  const void* output;
  carry_request_set_source(request, "a.comp", text, strlen(text));
  carry_request_add_target(request, "wgsl");
  if (carry_request_add_macro(request, "1x", NULL) != CARRY_WRONG_USE || strstr(carry_request_error(request), "1x") == NULL) return 8;
  if (carry_request_add_macro(request, "A B", "2") != CARRY_WRONG_USE) return 9;
  if (carry_request_add_macro(request, "N", "7u") != CARRY_OK) return 10;
  result = carry_compile(request);
  output = carry_result_output(result, 0, &size);
  fwrite(output, 1, size, stdout);
  fputs(carry_result_messages(result, CARRY_TEXT), stderr);
  return (int)carry_result_status(result);
}
'''
LISTS = '''cmake_minimum_required(VERSION 3.16)
project(host LANGUAGES C)
find_package(carry 0.1 REQUIRED)
add_executable(host host.c)
target_link_libraries(host PRIVATE carry::carry)
'''


def run(t, *words, **more):
    r = subprocess.run([str(w) for w in words], cwd=t.folder, capture_output=True, text=True, **more)
    t.check(r.returncode == 0, f'{words[0]}: {r.stdout[-500:]}{r.stderr[-2000:]}')
    return r.stdout


def test_installed_library(t):
    build = pathlib.Path(t.program).parent
    cache = build / 'CMakeCache.txt'
    if not cache.exists() or 'CARRY_SANITIZE:BOOL=ON' in cache.read_text() or not shutil.which('cmake'):
        return      # a sanitized library needs its own driver to link
    run(t, 'cmake', '--install', build, '--prefix', t.folder / 'first', '--component', 'library')
    os.rename(t.folder / 'first', t.folder / 'moved')
    [packages] = {p.parent for p in (t.folder / 'moved').rglob('carry.pc')}
    t.write('host.c', HOST)
    t.write('CMakeLists.txt', LISTS)
    if shutil.which('pkg-config'):
        flags = run(t, 'pkg-config', '--cflags', '--libs', 'carry', env={**os.environ, 'PKG_CONFIG_PATH': str(packages)}).split()
        run(t, 'cc', '-std=c99', '-Wall', '-Wextra', '-Werror', '-pedantic', 'host.c', '-o', 'byconfig', *flags)
        t.check('7u' in run(t, t.folder / 'byconfig'), 'no output')
    run(t, 'cmake', '-S', '.', '-B', 'b', f'-DCMAKE_PREFIX_PATH={t.folder / "moved"}')
    run(t, 'cmake', '--build', 'b')
    t.check('7u' in run(t, t.folder / 'b/host'), 'no output')
    shutil.rmtree(t.folder / 'moved')
