#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models with known answers, runs them, and compares.

What: every case of ONNX's backend tests (Debian's libonnx-testdata), or of other people's models (cases.py), on this machine,
      cross-compiled for arm64 under qemu, on a GPU (lavapipe will do), and half on a GPU, half on the CPU.
Why:  outputs that others made are the only proof that an operator means what ONNX says.
How:  nacre-compile, then nacre-run --expect, for each data set. Where the compiler says that an input decides a shape, the
      runner fixes it with --set and counts it. A case whose operators are all listed (operators.txt) must pass or stand in
      expected-failures.txt with a reason; an entry that passes, or names no case, fails the run. A case with other
      operators must be refused with an error, which `--check` finds as well, and stand in refusals.txt, or be right: never
      crash, never be wrong. A model whose inputs nobody knows must be compiled or refused.
      On a GPU a failover to the CPU is an error, any message of a validation layer is, and so is a launch of the CPU in a
      case that cpu-launches.txt does not list; one that it lists must have such a launch. `split` moves all cuts of the
      library that `gpu` runs whole, so that a case is compiled once for both.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, namedtuple

import cases
from readers.onnx import tensor_shape

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ARM64_SYSROOT = "/usr/aarch64-linux-gnu"

# A way to run a case: what to compile it for, and how to run it. Cases are compiled once for targets side by side that are
# compiled alike.
Target = namedtuple("Target", "name compile run", defaults=((),))
ON_GPU = ("--target=host", "--place=gpu")
TARGETS = {target.name: target for target in (
    Target("host", ("--target=host",)), Target("linux-arm64", ("--target=linux-arm64",)),
    Target("gpu", ON_GPU, ("--gpu",)), Target("split", ON_GPU, ("--gpu-cut=50",)))}

ENGINES = re.compile(r"^.*: (\d+) launches, (\d+) of the CPU beside it", re.MULTILINE)
AGREEMENT = re.compile(r"^output '.*' agrees: largest difference (\S+), largest element (\S+)$", re.MULTILINE)
VALIDATION_MESSAGE = re.compile(r"VUID-|UNASSIGNED-|Validation (?:Error|Warning)")

# kind: passed, refused (an error of the compiler), wrong (an answer differs), or broke (a crash, a hang, no answer).
# gpu, cpu: launches of each engine, where a GPU is to take part. error: the largest, relative to the largest element.
# messages: lines of a validation layer.
Outcome = namedtuple("Outcome", "kind text fixed_inputs gpu cpu error messages", defaults=(0, 0, 0.0, 0))


class Runner:
    def __init__(self, arguments, work):
        self.options = arguments
        self.work = work

    def command(self, *command):
        """Runs a program of ours; returns its exit status (None after the time limit) and what it said."""
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                                  timeout=self.options.seconds, preexec_fn=self.limit_memory, cwd=self.work)
        except subprocess.TimeoutExpired:
            return None, f"took more than {self.options.seconds} s"
        return done.returncode, done.stdout.decode(errors="replace")

    def limit_memory(self):
        if self.options.memory_gib:
            limit = self.options.memory_gib << 30
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    def program(self, name):
        return os.path.join(self.options.bin, name)

    def run_command(self, target, library):
        program = (["qemu-aarch64", "-L", ARM64_SYSROOT, self.program("nacre-run-arm64")] if target.name == "linux-arm64"
                   else [self.program("nacre-run")])
        return [*program, library, f"--rtol={self.options.rtol}", f"--atol={self.options.atol}"]

    def compile(self, case, data_set, target, library):
        """Compiles, fixing one more input each time the compiler asks for it; returns (outcome or None, fixed names)."""
        shapes = [f"--shape={i.name}={'x'.join(map(str, tensor_shape(data_set.inputs[i.name])))}"
                  for i in case.model.free_inputs() if i.name in data_set.inputs and (not i.dims or None in i.dims)
                  and tensor_shape(data_set.inputs[i.name])]
        fixed = []
        while True:
            values = [f"--set={name}={data_set.inputs[name]}" for name in fixed]
            status, said = self.command(self.program("nacre-compile"), case.path, "-o", library, *target.compile,
                                        "--jobs=1", f"--report={report_of(library)}", *shapes, *values)
            if status == 0:
                return None, fixed
            if status != 1:
                return Outcome("broke", f"nacre-compile ended with {status}: {summary(said)}", fixed), fixed
            asked = [name for name in re.findall(r"--set[ =]'?([^=\s']+)=", said)
                     if name in data_set.inputs and name not in fixed]
            if not asked:
                return self.check(case, summary(said), [*shapes, *values], fixed), fixed
            fixed.append(asked[0])

    def check(self, case, refusal, options, fixed):
        """The outcome where the compiler refuses a case: --check has to say why."""
        status, said = self.command(self.program("nacre-compile"), "--check", case.path, *options)
        if status == 1 and said.strip():
            return Outcome("refused", refusal, fixed)
        return Outcome("broke", f"is refused ({refusal}), but --check ends with {status}: {summary(said)}", fixed)

    def case(self, case, targets):
        """The outcome of each of `targets`, which are compiled alike."""
        folder = tempfile.mkdtemp(dir=self.work)
        library = os.path.join(folder, "libmodel.so")
        try:
            return self.data_sets(case, targets, library)
        finally:
            if not self.options.keep:
                shutil.rmtree(folder, ignore_errors=True)

    def data_sets(self, case, targets, library):
        fixed, outcomes = None, {}
        for data_set in case.data_sets or [cases.DataSet({}, {})]:
            if fixed or fixed is None:  # a fixed input belongs to one data set
                outcome, fixed = self.compile(case, data_set, targets[0], library)
                if outcome:
                    return [outcome] * len(targets)
            for target in targets:
                former = outcomes.get(target, Outcome("passed", "", fixed))
                if former.kind == "passed":
                    now = self.run(case, data_set, target, library, fixed)
                    outcomes[target] = now._replace(gpu=former.gpu + now.gpu, cpu=former.cpu + now.cpu,
                                                    error=max(former.error, now.error))
        return [outcomes[target] for target in targets]

    def run(self, case, data_set, target, library, fixed):
        arguments = [f"--input={name}={path}" for name, path in data_set.inputs.items()
                     if name not in fixed and not case.contradicts(name, path)]
        arguments += [f"--expect={name}={path}" for name, path in data_set.outputs.items()]
        launches = read_launches(library) if on_gpu(target) else []
        # There is nothing to start a GPU for where no kernel has code for it.
        for_gpu = any(launch["engine"] != "cpu" for launch in launches)
        status, said = self.command(*self.run_command(target, library), *(target.run if for_gpu else ()), *arguments)
        messages = len(VALIDATION_MESSAGE.findall(said))
        if status != 0:
            return Outcome("wrong" if status == 1 else "broke", f"nacre-run ended with {status}: {summary(said)}", fixed,
                           messages=messages)
        if messages:
            return Outcome("broke", f"a validation layer objects: {summary(said)}", fixed, messages=messages)
        gpu, cpu = 0, sum(launch["turns"] for launch in launches)
        if for_gpu:
            engines = ENGINES.search(said)
            if not engines:
                return Outcome("broke", "nacre-run does not say which engine computed what", fixed)
            gpu, cpu = map(int, engines.groups())
        errors = [float(difference) / (float(largest) or 1) for difference, largest in AGREEMENT.findall(said)]
        return Outcome("passed", "", fixed, gpu, cpu, max(errors, default=0.0))


def on_gpu(target):
    return any(option.startswith("--place=") for option in target.compile)


def report_of(library):
    return os.path.splitext(library)[0] + ".json"


def read_launches(library):
    with open(report_of(library), encoding="utf-8") as file:
        return json.load(file)["launches"]


def summary(said):
    """The line that says what went wrong."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if any(sign in line for sign in ("error", "differ", "Sanitizer", "VUID-"))]
    return (errors or lines or ["no message"])[0][:300]


def read_operators():
    """The operators that are listed, and those of their modes that are not."""
    with open(os.path.join(HERE, "operators.txt"), encoding="utf-8") as file:
        words = {word for line in file if not line.startswith("#") for word in line.split()}
    return {w for w in words if not w.startswith("-")}, {w[1:] for w in words if w.startswith("-")}


def read_list(name):
    """The lines `entry: reason` of a list beside this file, as {entry: reason}."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return dict(line.strip().split(": ", 1) for line in file if line.strip() and not line.startswith("#"))


# Here any file may be refused: what matters is that it is said, and that what compiles is right.
FREELY_REFUSED = ("onnx-importer",)


def read_expected_failures(targets):
    """{(case, target): reason}; an entry is `target case`, target `*` meaning each."""
    entries = ((*entry.split(), reason) for entry, reason in read_list("expected-failures.txt").items())
    return {(name, t.name): reason for target, name, reason in entries for t in targets if target in ("*", t.name)}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"), help="folder of nacre-compile, nacre-run")
    parser.add_argument("--suite", choices=cases.SUITES, default="onnx", help="onnx: backend tests; models: trained networks; others: the rest of the shared data")
    parser.add_argument("--onnx-testdata", default="/usr/share/libonnx-testdata/data")
    parser.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data"), help="folder of the models and others")
    parser.add_argument("--target", action="append", choices=TARGETS,
                        help="host, linux-arm64, gpu or split; may be repeated (default: the first two)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--filter", default="", help="regular expression on group/case")
    parser.add_argument("--rtol", type=float, default=1e-3)
    parser.add_argument("--atol", type=float, default=1e-4, help="relative to the largest element")
    parser.add_argument("--seconds", type=int, default=300, help="limit of each program")
    parser.add_argument("--memory-gib", type=int, default=8, help="address space of each program; 0: no limit (sanitizers)")
    parser.add_argument("--listed-only", action="store_true", help="leave out cases with operators that are not listed")
    parser.add_argument("--keep", action="store_true", help="keep the compiled libraries and say where")
    parser.add_argument("--verbose", action="store_true", help="print every case that did not pass, expected or not")
    return parser.parse_args()


def collect(arguments):
    root = arguments.onnx_testdata if arguments.suite == "onnx" else arguments.data
    groups = cases.SUITES[arguments.suite]
    if not any(os.path.isdir(os.path.join(root, group)) for group in groups):
        print(f"skipped: no test data in {root}")
        sys.exit(77)
    found = [case for group in groups for case in cases.read_group(root, group)]
    return groups, [case for case in found if re.search(arguments.filter, case.id)]


def main():
    arguments = parse_arguments()
    arguments.bin = os.path.abspath(arguments.bin)
    targets = [TARGETS[name] for name in arguments.target or ("host", "linux-arm64")]
    groups, selected = collect(arguments)
    operators, unlisted_modes = read_operators()
    expected = read_expected_failures(targets)
    work = tempfile.mkdtemp(prefix="nacre-conformance-")
    runner = Runner(arguments, work)

    cpu_launches = read_list("cpu-launches.txt") if TARGETS["gpu"] in targets else {}
    refusals = {} if arguments.listed_only else read_list("refusals.txt")

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

    if not arguments.filter:
        known = {case.id for case in selected}
        lists = {"expected-failures.txt": {name for name, _ in expected}, "refusals.txt": set(refusals),
                 "cpu-launches.txt": set(cpu_launches)}
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
    if case.id in refusals:
        return ("refused", outcome.text) if outcome.kind == "refused" else ("failed", f"is in refusals.txt, but {outcome.kind} {outcome.text}")
    if not case.data_sets and outcome.kind == "refused":  # whose inputs nobody knows
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
