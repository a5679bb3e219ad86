#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models with known answers, runs them, and compares.

What: every case of a suite, ONNX's backend tests or other people's models of some format (cases.py), on this machine,
      cross-compiled for arm64 under qemu, on a GPU (lavapipe will do), and half on a GPU, half on the CPU; and by nacre-eval,
      which compiles nothing (`eval`, `eval-stored`).
Why:  outputs that others made are the only proof that an operator means what its framework says.
How:  nacre-compile, then nacre-run --expect, for each data set. One process runs many command lines of nacre-compile,
      another those of nacre-eval (Resident.h): a crash or a hang is the case's own, and the next case has a new process.
      With --no-resident each has its own process. Where the compiler says that an input decides a shape, the runner fixes it
      with --set and counts it. A case whose operators are all listed (operators.txt) must pass or stand in
      expected-failures.txt with a reason; an entry that passes, or names no case, fails the run. A case with other
      operators must be refused with an error, which `--check` finds as well, and stand in refusals.txt, or be right: never
      crash, never be wrong. A model whose inputs nobody knows must be compiled or refused.
      On a GPU a failover to the CPU is an error, any message of a validation layer is, and so is a launch of the CPU in a
      case that cpu-launches.txt does not list; one that it lists must have such a launch. `split` moves all cuts of the
      library that `gpu` runs whole, so that a case is compiled once for both. Where a format's cases only repeat the same
      kernels, ctest runs a sample of them there (gpu-sample.txt); without --sample they are all run. The longest runs have
      parts (--parts), of which tools/check runs one without --full: NACRE_SAMPLE says which.
"""
import argparse
import concurrent.futures
import itertools
import os
import re
import shutil
import sys
import tempfile
from collections import Counter

import cases
from runner import TARGETS, Runner, on_gpu

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def read_words(name):
    """What stands in a list beside this file, whatever lines it has."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return {word for line in file if not line.startswith("#") for word in line.split()}


def read_operators():
    """The operators that are listed, and those of their modes that are not."""
    words = read_words("operators.txt")
    return {w for w in words if not w.startswith("-")}, {w[1:] for w in words if w.startswith("-")}


def read_list(name):
    """The lines `entry: reason` of a list beside this file, as {entry: reason}."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return dict(line.strip().split(": ", 1) for line in file if line.strip() and not line.startswith("#"))


# Here any file may be refused: what matters is that it is said, and that what compiles is right.
FREELY_REFUSED = ("onnx-importer",)


def read_expected_failures(targets):
    """{(case, target): reason}; an entry is `target case`, target `*` meaning each, `compiled` each but those of nacre-eval."""
    entries = ((*entry.split(), reason) for entry, reason in read_list("expected-failures.txt").items())
    return {(name, t.name): reason for target, name, reason in entries for t in targets
            if target in ("*", t.name) or (target == "compiled" and t.compile)}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"), help="folder of the programs")
    parser.add_argument("--suite", choices=cases.SUITES, default="onnx",
                        help="onnx: backend tests; models: trained networks; others: the rest of ONNX in the shared data; the others by their formats")
    parser.add_argument("--onnx-testdata", default="/usr/share/libonnx-testdata/data")
    parser.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data"), help="folder of the models and others")
    parser.add_argument("--target", action="append", choices=TARGETS,
                        help="host, linux-arm64, gpu, split, eval or eval-stored; may be repeated (default: the first two)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--filter", default="", help="regular expression on group/case")
    parser.add_argument("--sample", action="store_true", help="only the cases that gpu-sample.txt lists")
    parser.add_argument("--parts", type=int, default=1, help="where NACRE_SAMPLE is set, run only one case in so many of each group; it says which")
    parser.add_argument("--rtol", type=float, default=1e-3)
    parser.add_argument("--atol", type=float, default=1e-4, help="relative to the largest element")
    parser.add_argument("--seconds", type=float, default=1200, help="limit of each program")
    parser.add_argument("--memory-gib", type=int, default=8, help="address space of each program; 0: no limit (sanitizers)")
    parser.add_argument("--no-resident", dest="resident", action="store_false", help="start nacre-compile and nacre-eval for each case")
    parser.add_argument("--listed-only", action="store_true", help="leave out cases with operators that are not listed")
    parser.add_argument("--keep", action="store_true", help="keep the compiled libraries and say where")
    parser.add_argument("--verbose", action="store_true", help="print every case that did not pass, expected or not")
    return parser.parse_args()


def take_part(alike, parts):
    """Those of a group's cases that the sample has: at least one."""
    sample = os.environ.get("NACRE_SAMPLE")
    if not sample:
        return alike
    parts = min(parts, len(alike))
    return [case for number, case in enumerate(alike) if number % parts == int(sample) % parts]


def collect(arguments):
    root = arguments.onnx_testdata if arguments.suite == "onnx" else arguments.data
    groups = cases.SUITES[arguments.suite].groups
    if not any(os.path.isdir(os.path.join(root, group)) for group in groups):
        print(f"skipped: no test data in {root}")
        sys.exit(77)
    try:
        found = [case for group in groups for case in cases.read_group(arguments.suite, root, group)]
    except ModuleNotFoundError as missing:
        print(f"skipped: this Python has no module {missing.name}")
        sys.exit(77)
    sample = {name for name in read_words("gpu-sample.txt") if name.split("/")[0] in groups} if arguments.sample else set()
    unknown = sample - {case.id for case in found}
    if unknown:
        sys.exit(f"gpu-sample.txt names cases that there are not: {', '.join(sorted(unknown))}")
    wanted = [case for case in found if re.search(arguments.filter, case.id) and (case.id in sample or not arguments.sample)]
    alike = [[case for case in wanted if case.group == group] for group in groups]
    return groups, {case.id for case in found}, [case for group in alike for case in take_part(group, arguments.parts)]


def main():
    arguments = parse_arguments()
    arguments.bin = os.path.abspath(arguments.bin)
    targets = [TARGETS[name] for name in arguments.target or ("host", "linux-arm64")]
    groups, known, selected = collect(arguments)
    operators, unlisted_modes = read_operators()
    expected = read_expected_failures(targets)
    work = tempfile.mkdtemp(prefix="nacre-conformance-")
    runner = Runner(arguments, work, arguments.resident)

    cpu_launches = read_list("cpu-launches.txt") if TARGETS["gpu"] in targets else {}
    refusals = read_list("refusals.txt")

    unlisted = {case.id: reasons for case in selected if (reasons := case.unlisted(operators, unlisted_modes))}
    plan = []
    for _, alike in itertools.groupby(targets, key=lambda target: target.compile):
        alike = list(alike)
        for case in selected:
            if case.id not in unlisted:
                plan.append((case, alike))
            elif targets[0] in alike and not arguments.listed_only:
                plan.append((case, targets[:1]))

    counts, failures = Counter(), []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (case, alike), outcomes in zip(plan, pool.map(lambda task: runner.case(*task), plan)):
            for target, outcome in zip(alike, outcomes):
                verdict, text = judge(case, target.name, outcome, case.id in unlisted, expected, refusals, cpu_launches)
                counts[case.group, target, verdict] += 1
                counts[case.group, target, "--set"] += bool(outcome.fixed_inputs)
                counts[case.group, target, "on gpu"] += outcome.gpu
                counts[case.group, target, "on cpu"] += outcome.cpu
                if verdict == "failed":
                    failures.append(f"{target.name} {case.id}: {text}")
                elif arguments.verbose and text:
                    print(f"{verdict}: {target.name} {case.id}: {text}")

    runner.close()
    lists = {"expected-failures.txt": {name for name, _ in expected}, "refusals.txt": set(refusals), "cpu-launches.txt": set(cpu_launches)}
    failures += [f"{name}: is in {file}, but there is no such case" for file, names in lists.items()
                 for name in sorted(names) if name.split("/")[0] in groups and name not in known]
    report(counts, failures, groups, targets)
    if arguments.keep:
        print(f"libraries are in {work}")
    else:
        shutil.rmtree(work, ignore_errors=True)
    return 1 if failures else 0


def judge(case, target, outcome, is_unlisted, expected, refusals, cpu_launches):
    """The verdict, and what there is to say."""
    passed = outcome.kind == "passed"
    if case.id in refusals or case.refusal:
        return ("refused" if outcome.kind == "refused" else "failed"), f"must be refused; {outcome.kind} {outcome.text}"
    if not case.is_known and outcome.kind == "refused":  # whose inputs nobody knows
        return "refused", outcome.text
    if (case.id, target) in expected:
        if passed:
            return "failed", "passes, but is in expected-failures.txt"
        return ("failed" if outcome.kind == "broke" else "expected"), outcome.text
    if is_unlisted:
        may_be_refused = outcome.kind == "refused" and case.group in FREELY_REFUSED
        return ("extra" if passed else "refused" if may_be_refused else "failed"), outcome.text
    if passed and target == "gpu" and (outcome.cpu > 0) != (case.id in cpu_launches):
        return "failed", (f"{outcome.cpu} launches on the CPU, but not in cpu-launches.txt" if outcome.cpu else
                          "no launch on the CPU, but in cpu-launches.txt")
    return ("passed" if passed else "failed"), outcome.text


def report(counts, failures, groups, targets):
    for failure in failures:
        print(f"FAILED {failure}")
    columns = ("passed", "expected", "failed", "--set", "extra", "refused", *(("on gpu", "on cpu") if any(map(on_gpu, targets)) else ()))
    print(f"\n{'group':<20}{'target':<14}" + "".join(f"{c:>10}" for c in columns))
    for group in groups:
        for target in targets:
            row = [counts[group, target, column] for column in columns]
            if any(row):
                print(f"{group:<20}{target.name:<14}" + "".join(f"{n:>10}" for n in row))
    print("expected: fails as expected-failures.txt says; --set: an input was fixed; refused: as refusals.txt says; "
          "extra: operators not listed; on gpu, on cpu: launches\n")
    passed = sum(n for (_, _, column), n in counts.items() if column == "passed")
    print(f"{passed} passed, {len(failures)} failed")


if __name__ == "__main__":
    sys.exit(main())
