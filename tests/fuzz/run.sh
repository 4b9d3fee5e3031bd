#!/bin/bash
# run.sh SECONDS [NAME...]: each fuzzer of build/fuzz for that long, FUZZ_JOBS (2) at a time. What they learn stays in .tools/fuzz;
# findings are named crash-*, hang and memory findings likewise, in .tools/fuzz/NAME-findings.
cd "$(dirname "$0")/../.." || exit 2
seconds=${1:-60}; shift
names=("$@")
if ((${#names[@]} == 0)); then for f in build/fuzz/fuzz/fuzz_*; do [ -x "$f" ] && names+=("${f##*/fuzz_}"); done; fi
one() {
  local name=$1 seconds=$2 grown=.tools/fuzz/$1 findings=.tools/fuzz/$1-findings seeds=()
  mkdir -p "$grown" "$findings"
  if [ -d "tests/fuzz/corpus/$name" ]; then seeds=("tests/fuzz/corpus/$name"); else seeds=(tests/cases tests/golden); fi
  for s in "${!seeds[@]}"; do [ -d "${seeds[$s]}" ] || unset "seeds[$s]"; done
  local dictionary=()
  [ -e tests/fuzz/shaders.dict ] && dictionary=(-dict=tests/fuzz/shaders.dict)
  if "build/fuzz/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 \
      -artifact_prefix="$findings/" -print_final_stats=1 "${dictionary[@]}" "$grown" "${seeds[@]}" \
      >"$findings/log" 2>&1; then
    echo "$name: $(grep -oE 'number_of_executed_units: [0-9]+' "$findings/log" | grep -oE '[0-9]+$') runs, nothing found"
  else
    echo "$name: FOUND $(grep -E 'ERROR|SUMMARY|Test unit written' "$findings/log" | head -n 3)"; return 1
  fi
}
export -f one
printf '%s\n' "${names[@]}" | xargs -P "${FUZZ_JOBS:-2}" -I{} bash -c "one {} $seconds"
