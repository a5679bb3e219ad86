#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feeds every .onnx file there is to the compiler: it may refuse, it must not crash, hang, or grow without bound.

What: `nacre-compile --check`, then compiling to the kernels phase (where the graph has been rewritten but no code made).
Why:  a compiler meets files nobody foresaw; an error that names the node is right, a signal never is.
How:  exit status 0 or 1 within the time limit passes. With a compiler built with sanitizers (--bin), leaks fail too.
"""
import argparse
import concurrent.futures
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", default=["/usr/share/libonnx-testdata/data", os.path.join(ROOT, "..", "shared", "data")])
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"), help="folder of nacre-compile")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=int, default=120, help="limit of each program")
    parser.add_argument("--memory-gib", type=int, default=8, help="address space of each program; 0: no limit (sanitizers)")
    parser.add_argument("--compile-to", default="kernels", help="phase to compile to; package for a whole library")
    return parser.parse_args()


def onnx_files(folders):
    return sorted(os.path.join(folder, name) for top in folders for folder, _, names in os.walk(top) for name in names
                  if name.endswith(".onnx"))


def try_file(index, path, arguments, work):
    """What went wrong, or None."""
    def limit():
        if arguments.memory_gib:
            resource.setrlimit(resource.RLIMIT_AS, (arguments.memory_gib << 30,) * 2)

    program = os.path.join(os.path.abspath(arguments.bin), "nacre-compile")
    output = os.path.join(work, f"{index}.mlir")
    compile_to = [] if arguments.compile_to == "package" else [f"--compile-to={arguments.compile_to}"]
    for command in ([program, "--check", path], [program, path, "-o", output, "--jobs=1", *compile_to]):
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, preexec_fn=limit,
                                  timeout=arguments.seconds)
        except subprocess.TimeoutExpired:
            return f"{path}: {command[1]} took more than {arguments.seconds} s"
        said = done.stdout.decode(errors="replace").strip()
        if done.returncode not in (0, 1) or "Sanitizer" in said:
            begin = max(said.find("ERROR: "), said.find("runtime error: "), 0)  # of a sanitizer's report the first lines say most
            return f"{path}: ended with {done.returncode}: {said[begin:begin + 3000]}"
        if done.returncode == 1 and not said:
            return f"{path}: refused without a word"
        for made in (output, os.path.splitext(output)[0] + ".h"):
            if os.path.exists(made):
                os.remove(made)
    return None


def main():
    arguments = parse_arguments()
    files = onnx_files(arguments.folders)
    if not files:
        print("skipped: no .onnx files in " + ", ".join(arguments.folders))
        return 77
    with tempfile.TemporaryDirectory(prefix="nacre-no-crash-") as work:
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            outcomes = pool.map(lambda task: try_file(*task, arguments, work), enumerate(files))
            failures = [outcome for outcome in outcomes if outcome]
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{len(files) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
