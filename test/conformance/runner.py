# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles one case, runs it on its data sets, and says what came of that."""
import json
import os
import re
import resource
import shutil
import subprocess
import tempfile
from collections import defaultdict, namedtuple

from cases import DataSet, Tolerance
from resident import Residents

ARM64_SYSROOT = "/usr/aarch64-linux-gnu"

# A way to run a case: what to compile it for, and how to run it. Cases are compiled once for targets side by side that are
# compiled alike.
# `eval` is no machine: nacre-eval runs the model as it is, in double precision; in `eval-stored` it rounds behind each operator.
Target = namedtuple("Target", "name compile run", defaults=((),))
ON_GPU = ("--target=host", "--place=gpu")
TARGETS = {target.name: target for target in (
    Target("host", ("--target=host",)), Target("linux-arm64", ("--target=linux-arm64",)),
    Target("gpu", ON_GPU, ("--gpu",)), Target("split", ON_GPU, ("--gpu-cut=50",)), Target("eval", None),
    Target("eval-stored", None, ("--floats=stored",)))}
# Options of nacre-compile that are spelled otherwise for nacre-eval.
EVAL_SPELLINGS = {"--input": "--cut-input", "--output": "--cut-output", "--seed": "--node-seed"}

ENGINES = re.compile(r"^.*: (\d+) launch(?:es)?, (\d+) on the CPU", re.MULTILINE)
AGREEMENT = re.compile(r"^output '.*' agrees: largest difference (\S+), largest element (\S+)$", re.MULTILINE)
VALIDATION_MESSAGE = re.compile(r"VUID-|UNASSIGNED-|Validation (?:Error|Warning)")

# kind: passed, refused (an error of the compiler), wrong (an answer differs), or broke (a crash, a hang, no answer).
# gpu, cpu: launches of each engine, where a GPU is to take part. error: the largest, relative to the largest element.
# messages: lines of a validation layer.
Outcome = namedtuple("Outcome", "kind text fixed_inputs gpu cpu error messages", defaults=(0, 0, 0.0, 0))


class Runner:
    def __init__(self, arguments, work, is_resident=False):
        self.options = arguments
        self.usual = Tolerance(arguments.rtol, arguments.atol)
        self.work = work
        self.residents = Residents(arguments.bin, arguments.seconds, work, self.limit_memory) if is_resident else None

    def close(self):
        if self.residents:
            self.residents.close()

    def command(self, *command):
        """Runs a program of ours; returns its exit status (None after the time limit) and what it said."""
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                                  timeout=self.options.seconds, preexec_fn=self.limit_memory, cwd=self.work)
        except subprocess.TimeoutExpired:
            return None, f"took more than {self.options.seconds} s"
        return done.returncode, done.stdout.decode(errors="replace")

    def call(self, name, arguments):
        """The same of nacre-compile or nacre-eval, which may be resident."""
        return self.residents.run(name, arguments) if self.residents else self.command(self.program(f"nacre-{name}"), *arguments)

    def limit_memory(self):
        if self.options.memory_gib:
            limit = self.options.memory_gib << 30
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    def program(self, name):
        return os.path.join(self.options.bin, name)

    def run_command(self, target, library):
        program = (["qemu-aarch64", "-L", ARM64_SYSROOT, self.program("nacre-run-arm64")] if target.name == "linux-arm64"
                   else [self.program("nacre-run")])
        return [*program, library]

    @staticmethod
    def shapes(case, data_set):
        return [f"--shape={name}={'x'.join(map(str, shape)) or 'scalar'}" for name, shape in case.shapes(data_set).items()]

    def compile(self, case, data_set, target, library):
        """Compiles, fixing one more input each time the compiler asks for it; returns (outcome or None, fixed names)."""
        shapes, fixed = self.shapes(case, data_set), []
        while True:
            values = [f"--set={name}={data_set.inputs[name]}" for name in fixed]
            status, said = self.call("compile", [case.path, "-o", library, *target.compile, *case.options,
                                                *(case.gpu_options if on_gpu(target) else ()), "--jobs=1",
                                                f"--report={report_of(library)}", *shapes, *values])
            if status == 0:
                return None, fixed
            if status != 1:
                return Outcome("broke", f"nacre-compile ended with {status}: {summary(said)}", fixed), fixed
            asked = [name for name in re.findall(r"--set[ =]'?([^=\s']+)=", said)
                     if name in data_set.inputs and name not in fixed]
            if not asked:
                return self.check(case, summary(said), [*case.options, *shapes, *values], fixed), fixed
            fixed.append(asked[0])

    def check(self, case, refusal, options, fixed):
        """The outcome where the compiler refuses a case: --check has to say why."""
        if not re.search(case.refusal, refusal):
            return Outcome("broke", f"is refused, but not by '{case.refusal}': {refusal}", fixed)
        status, said = self.call("compile", ["--check", case.path, *options])
        if status == 1 and said.strip():
            return Outcome("refused", refusal, fixed)
        return Outcome("broke", f"is refused ({refusal}), but --check ends with {status}: {summary(said)}", fixed)

    def case(self, case, targets):
        """The outcome of each of `targets`, which are compiled alike."""
        folder = tempfile.mkdtemp(dir=self.work)
        library = os.path.join(folder, "libmodel.so")
        try:
            data_sets = list(case.answers(folder))
            case.is_known = bool(data_sets)
            return self.run_all(case, data_sets or [DataSet({}, {})], targets, library)
        finally:
            if not self.options.keep:
                shutil.rmtree(folder, ignore_errors=True)

    def run_all(self, case, data_sets, targets, library):
        if targets[0].compile is None:
            return [self.evaluate_all(case, data_sets, target) for target in targets]
        fixed, outcomes = None, {}
        for data_set in data_sets:
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

    def evaluate_all(self, case, data_sets, target):
        outcome = Outcome("passed", "", [])
        for data_set in data_sets:
            outcome = self.evaluate(case, data_set, target)
            if outcome.kind != "passed":
                break
        return outcome

    def evaluate(self, case, data_set, target):
        """Runs the model itself, fixing one more input each time it is asked for."""
        options = [*target.run] + [EVAL_SPELLINGS.get(name, name) + equals + value
                   for name, equals, value in (option.partition("=") for option in case.options)]
        options += self.shapes(case, data_set)
        fixed = []

        def run(outputs, tolerance):
            values = [f"--set={name}={data_set.inputs[name]}" for name in fixed]
            return self.call("eval", [case.path, *options, *values,
                                      *self.comparison(case, data_set, outputs, tolerance, fixed)])
        outcome = Outcome("passed", "", fixed)
        for tolerance, outputs in self.alike(case, data_set).items() or [(self.usual, {})]:
            while True:
                status, said = run(outputs, tolerance)
                asked = [name for name in re.findall(r"--set[ =]'?([^=\s']+)=", said)
                         if status == 3 and name in data_set.inputs and name not in fixed]
                if not asked:
                    break
                fixed.append(asked[0])
            if status != 0:
                kind = {1: "wrong", 3: "refused"}.get(status, "broke")
                return Outcome(kind, f"nacre-eval ended with {status}: {summary(said)}", fixed)
            outcome = outcome._replace(error=max(outcome.error, largest_error(said)))
        return outcome

    def run(self, case, data_set, target, library, fixed):
        """Compares all outputs, those with one tolerance at a time; the first outcome that is not good, or all in one."""
        outcomes = [Outcome("passed", "", fixed)]
        for tolerance, outputs in self.alike(case, data_set).items() or [(self.usual, {})]:
            outcomes.append(self.compare(case, data_set, outputs, tolerance, target, library, fixed))
            if outcomes[-1].kind != "passed":
                return outcomes[-1]
        return outcomes[-1]._replace(error=max(outcome.error for outcome in outcomes))

    def alike(self, case, data_set):
        """{tolerance: outputs}"""
        alike = defaultdict(dict)
        for name, path in data_set.outputs.items():
            alike[case.tolerance(path, self.usual)][name] = path
        return alike

    def comparison(self, case, data_set, outputs, tolerance, fixed):
        """What nacre-run and nacre-eval are told."""
        arguments = [f"--input={name}={path}" for name, path in data_set.inputs.items()
                     if name not in fixed and not case.contradicts(name, path)]
        arguments += [f"--expect={name}={path}" for name, path in outputs.items()]
        arguments += [f"--rtol={tolerance.relative}", f"--atol={tolerance.absolute}"]
        return arguments + ([f"--entry={data_set.entry}"] if data_set.entry else [])

    def compare(self, case, data_set, outputs, tolerance, target, library, fixed):
        arguments = self.comparison(case, data_set, outputs, tolerance, fixed)
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
        gpu, cpu = 0, sum(launch["iterations"] for launch in launches)
        if for_gpu:
            engines = ENGINES.search(said)
            if not engines:
                return Outcome("broke", "nacre-run does not say which engine computed what", fixed)
            gpu, cpu = map(int, engines.groups())
        return Outcome("passed", "", fixed, gpu, cpu, largest_error(said))


def largest_error(said):
    """Relative to the largest element of its tensor."""
    return max((float(difference) / (float(largest) or 1) for difference, largest in AGREEMENT.findall(said)), default=0.0)


def on_gpu(target):
    return any(option.startswith("--place=") for option in target.compile or ())


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
