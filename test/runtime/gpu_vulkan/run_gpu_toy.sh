#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs nacre-run on the hand-made library with code for GPUs, at every kind of cut, and checks what it says.
# Ends with 77, for "skipped", where there is no Vulkan device. usage: run_gpu_toy.sh LIBRARY CPU-LIBRARY FOLDER nacre-run
set -u
library=$1 cpu_library=$2 folder=$3
shift 3
failures=0
rm -rf "$folder" && mkdir -p "$folder"

# expect CODE TEXT arguments...: nacre-run must end with CODE and say TEXT.
expect() {
  code=$1 text=$2
  shift 2
  said=$("$@" 2>&1)
  got=$?
  if [ $got -ne "$code" ] || ! printf '%s\n' "$said" | grep -qF -e "$text"; then
    printf 'FAILED: %s\n  must end with %s and say "%s", but ended with %s and said:\n%s\n' "$*" "$code" "$text" $got "$said"
    failures=$((failures + 1))
  fi
}

said=$("$@" --list-devices 2>&1)
if [ $? -eq 3 ]; then
  echo "skipped: $said"
  exit 77
fi
expect 0 'tier' "$@" "$library" --list-devices
expect 0 'tier' "$@" "$cpu_library" --list-devices
expect 0 'tier' "$@" --list-devices
expect 2 'is not a shared library' "$@" "$0" --list-devices
expect 3 'only code for the CPU' "$@" "$cpu_library" --gpu
expect 0 'y f32[64,48]' "$@" "$cpu_library" --output="$folder"
for cut in 0 1 50 99 100; do
  expect 0 "output 'y' agrees" "$@" "$library" --gpu-cut=$cut --expect="y=$folder/y.npy" --expect="sum=$folder/sum.npy"
done
expect 0 "output 'y' agrees" "$@" "$library" --gpu-cut=50 --gpu-sequential --expect="y=$folder/y.npy"
expect 0 "output 'y' agrees" "$@" "$library" --gpu-device=0 --expect="y=$folder/y.npy"
expect 0 "output 'y' agrees" "$@" "$library" --gpu-self-test --tune=50 --cache="$folder" --expect="y=$folder/y.npy"
expect 0 'tests and tuning' "$@" "$library" --gpu --profile --runs=3
expect 0 '  gpu        ' "$@" "$library" --gpu --info
expect 2 'must be a whole number of milliseconds' "$@" "$library" --tune=0
expect 2 'must be a whole number of percent' "$@" "$library" --gpu-cut=101
expect 3 'there is no GPU number 77: Vulkan has' "$@" "$library" --gpu-device=77
expect 0 '"submissions": 1' "$@" "$library" --gpu --benchmark --runs=3 --cache="$folder"
expect 0 '"device": "cpu"' "$@" "$cpu_library" --benchmark --runs=3
expect 0 'gpu 32/64' "$@" "$library" --gpu-cut=50 --profile --runs=3 --trace="$folder/trace.json"
expect 0 '"engine": "gpu 32/64"' cat "$folder/trace.json"
[ -n "$(find "$folder" -name '*.pipelines')" ] || { echo "FAILED: --cache wrote nothing" && failures=$((failures + 1)); }
for kind in verdicts tuning; do
  [ -n "$(find "$folder" -name "*.$kind")" ] || { echo "FAILED: no $kind were kept" && failures=$((failures + 1)); }
done
[ $failures -eq 0 ]
