#!/usr/bin/env bash
# Runs every fuzz target that is built, SECONDS each, and stops at the first finding:
#   fuzz/run.sh SECONDS [NAME...]
# The corpus of a target lives, and grows, in build/fuzz/corpus/NAME; inputs that crash are written to
# build/fuzz/findings/NAME-*.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/fuzz
seconds=${1:?usage: fuzz/run.sh SECONDS [NAME...]}
shift

if [ $# -eq 0 ]; then
  for program in "$build"/fuzz/fuzz_*; do
    if [ -x "$program" ] && [ -f "$program" ]; then set -- "$@" "${program##*/fuzz_}"; fi
  done
fi
[ $# -gt 0 ] || { echo "no fuzz target is built: cmake --preset fuzz && ninja -C build/fuzz fuzz" >&2; exit 1; }

mkdir -p "$build/findings"
for name in "$@"; do
  corpus=$build/corpus/$name
  mkdir -p "$corpus"
  options=(-max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1
           -artifact_prefix="$build/findings/$name-")
  [ -f "$root/fuzz/$name.dict" ] && options+=(-dict="$root/fuzz/$name.dict")
  log=$build/findings/$name.log
  if ! "$build/fuzz/fuzz_$name" "${options[@]}" "$corpus" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "fuzz $name: found something; the input is in $build/findings" >&2
    exit 1
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "fuzz $name: $runs runs, $(find "$corpus" -type f | wc -l) inputs kept, nothing found"
done
