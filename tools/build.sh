#!/bin/bash
# build.sh PRESET TARGET...: configures once, then builds; prints only what went wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1; shift
log=build/$preset/build.log
mkdir -p "build/$preset"
[ -e "build/$preset/build.ninja" ] || cmake --preset "$preset" >"$log" 2>&1 || { tail -n 20 "$log"; exit 1; }
# Targets whose sources do not exist are not in the build file.
known=()
ninja -C "build/$preset" build.ninja >"$log" 2>&1 || { tail -n 20 "$log"; exit 1; }
for target in "$@"; do
  if ninja -C "build/$preset" -t query "$target" >/dev/null 2>&1; then known+=("$target"); else echo "no target $target: its sources are missing"; fi
done
((${#known[@]})) || exit 1
if ! ninja -C "build/$preset" -j "${JOBS:-$(nproc)}" "${known[@]}" >"$log" 2>&1; then
  grep -m 5 -A 12 -E 'FAILED|error' "$log" || tail -n 30 "$log"
  exit 1
fi
grep -E 'warning: ' "$log" || true
