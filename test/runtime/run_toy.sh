#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs nacre-run on the hand-made library, in every mode, and checks what it says and its exit codes.
# usage: run_toy.sh LIBRARY FOLDER nacre-run [as a command of several words]
set -u
library=$1 folder=$2
shift 2
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

expect 0 'USAGE: nacre-run' "$@" --help
expect 0 'nacre-run 0' "$@" --version
expect 2 "unknown option '--frobnicate'; --help lists them" "$@" --frobnicate
expect 2 'a library compiled by nacre-compile is required' "$@"
expect 2 "cannot read" "$@" "$folder/absent.so"
expect 2 'is not a shared library' "$@" "$0"
expect 0 'x f32[64,48]' "$@" "$library" --info
expect 0 'sum f32[48]' "$@" "$library"
expect 0 'y f32[64,48]' "$@" "$library" --threads=3 --output="$folder"
expect 0 "output 'y' agrees" "$@" "$library" --expect="y=$folder/y.npy" --expect="sum=$folder/sum.npy" --threads 1
expect 1 "output 'y' differs at" "$@" "$library" --seed=1 --expect="y=$folder/y.npy"
expect 1 "differs in kind" "$@" "$library" --expect="y=$folder/sum.npy"
expect 0 'largest' "$@" "$library" --input="x=$folder/y.npy"
expect 2 "must be f32[64,48]" "$@" "$library" --input="x=$folder/sum.npy"
expect 2 "with one of the names 'x'" "$@" "$library" --input="z=$folder/y.npy"
expect 2 "cannot write" "$@" "$library" --output="$folder/absent"
expect 0 '"median_ms"' "$@" "$library" --benchmark --runs=5 --threads=2
expect 0 'mul_1+add_1' "$@" "$library" --profile --runs=3 --trace="$folder/trace.json"
expect 0 '"executions": 64' cat "$folder/trace.json"
expect 0 '"runs": 4' "$@" "$library" --benchmark --runs=4 --evict=3
expect 0 'mul_1+add_1' "$@" "$library" --profile --runs=2 --evict=1
expect 2 'must be a whole number of MiB' "$@" "$library" --benchmark --evict=many
expect 0 'sum f32[48]' "$@" "$library" --runs=3 --save="$folder/three.safetensors" --output="$folder"
expect 0 'sum f32[48]' "$@" "$library" --save="$folder/one.safetensors"
expect 0 'sum f32[48]' "$@" "$library" --resume="$folder/one.safetensors" --runs=2 --save="$folder/again.safetensors"
expect 0 '' cmp "$folder/three.safetensors" "$folder/again.safetensors"
expect 0 "output 'sum' agrees" "$@" "$library" --resume="$folder/one.safetensors" --runs=2 --expect="sum=$folder/sum.npy" --rtol=0 --atol=0
expect 0 "output 'sum' agrees" "$@" "$library" --resume="$folder/one.safetensors" --state="total=$folder/total.npy" --save="$folder/four.safetensors" --expect="sum=$folder/sum.npy" --rtol=1
expect 2 'cannot be read: no such file or folder' "$@" "$library" --resume="$folder/absent"
expect 2 'whole safetensors file' "$@" "$library" --resume="$folder/y.npy"
expect 2 'cannot be written: no such file or folder' "$@" "$library" --save="$folder/absent/file"
expect 2 "--entry must be one of 'main', 'second', but is 'third'" "$@" "$library" --entry=third
expect 2 "unknown option '--treads'; did you mean '--threads'?" "$@" "$library" --treads=1
expect 3 'threads must be at most' "$@" "$library" --threads=1000
[ $failures -eq 0 ]
