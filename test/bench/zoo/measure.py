# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One model's row: what becomes of it for each target, how exact it is, how large, and how long a run takes.

How:  compiled and compared by the runner of test/conformance. An error is the largest difference over the largest element of an
      output. A time is the least median of some short measurements before all other work: in real time (SCHED_FIFO), where threads that
      wait for one another may have to share a core, and with the highest priority that is not.
"""
import argparse
import math
import os
import re
import shutil
import subprocess
import tempfile

import subjects  # noqa: F401  (which knows where the next ones are)
from cases import DataSet, Tolerance
from rivals import json_line
from runner import EVAL_SPELLINGS, Runner, Target, largest_error, read_launches, summary

# Compared with what runs here; the others are compiled.
HOST, ARM64 = Target("host", ("--target=host",)), Target("linux-arm64", ("--target=linux-arm64",))
COMPILED = (HOST, ARM64, Target("android-arm64", ("--target=android-arm64",)), Target("gpu", ("--target=host", "--place=gpu")))
EMULATED_BYTES = 8 << 20  # A larger library takes an emulated CPU minutes.
ANY = Tolerance(0, 1e9)  # The error is to be told, whatever it is.
ROUNDS, SECONDS = 3, 0.2


def runner_of(options, work):
    return Runner(argparse.Namespace(bin=os.path.abspath(options.bin), rtol=0, atol=0, seconds=options.seconds, memory_gib=options.memory_gib), work)


class Measurement:
    def __init__(self, subject, runner, folder):
        self.subject, self.case, self.runner, self.folder = subject, subject.case, runner, folder
        self.data_sets = list(self.case.answers(folder))
        self.answers_of = subject.answers_of if self.data_sets else "nacre-eval"
        self.data_sets = self.data_sets or [DataSet({}, {})]
        self.fixed = []

    def library(self, target):
        os.makedirs(os.path.join(self.folder, target.name), exist_ok=True)
        return os.path.join(self.folder, target.name, "libmodel.so")

    def compile(self, target):
        """Nothing, or all that --check has to say."""
        outcome, self.fixed = self.runner.compile(self.case, self.data_sets[0], target, self.library(target))
        if outcome is None:
            return None
        status, said = self.runner.command(self.runner.program("nacre-compile"), "--check", self.case.path, *self.case.options, *target.compile)
        lines = (said if status == 1 and said.strip() else outcome.text).replace(os.path.dirname(self.case.path) + os.sep, "").splitlines()
        return "; ".join(line.replace("error: ", "") for line in lines if ": note: " not in line and not re.match(r"\d+ of \d+ nodes? ", line))

    def evaluate(self):
        """Answers of nacre-eval to seeded inputs, which are those of nacre-run too."""
        shapes = [f"--shape={name}={'x'.join(map(str, shape))}" for name, shape in self.case.shapes(self.data_sets[0]).items()]
        options = [EVAL_SPELLINGS.get(name, name) + equals + value for name, equals, value in (option.partition("=") for option in self.case.options)]
        status, said = self.runner.command(self.runner.program("nacre-eval"), self.case.path, *options, *shapes, f"--output={self.folder}")
        if status != 0:
            raise RuntimeError(f"{self.subject.id}: nacre-eval: {summary(said)}")
        listed = re.search(r"^outputs\n((?:  .*\n)*)", self.info(), re.MULTILINE).group(1)
        names = [line.strip().rsplit(" ", 1)[0] for line in listed.splitlines() if not line.startswith("    ")]  # those say a scale
        files = {name: os.path.join(self.folder, re.sub(r"[^\w.-]", "_", name) + ".npy") for name in names}
        self.data_sets = [DataSet({}, files)]

    def info(self):
        return self.runner.command(self.runner.program("nacre-run"), self.library(HOST), "--info")[1]

    def error(self, target):
        """The largest of all data sets that the library is for."""
        largest = 0.0
        for data_set in self.data_sets[:1] if self.fixed else self.data_sets:
            arguments = self.runner.comparison(self.case, data_set, data_set.outputs, ANY, self.fixed)
            status, said = self.runner.command(*self.runner.run_command(target, self.library(target)), *arguments)
            if status != 0:
                raise RuntimeError(f"{self.subject.id} for {target.name}: {summary(said)}")
            largest = max(largest, largest_error(said))
        return largest

    def stripped_bytes(self):
        copy = os.path.join(self.folder, "stripped.so")
        shutil.copy(self.library(HOST), copy)
        subprocess.run(["strip", "--strip-all", copy], check=True)
        return os.path.getsize(copy)

    def time(self, threads):
        """The least median, in ms."""
        data_set = self.data_sets[0]
        inputs = [argument for argument in self.runner.comparison(self.case, data_set, {}, ANY, self.fixed) if argument.startswith(("--input", "--entry"))]
        command = [self.runner.program("nacre-run"), self.library(HOST), *inputs, "--benchmark", f"--threads={threads}", f"--min-seconds={SECONDS}"]
        best = math.inf
        for iteration in range(2 * ROUNDS):
            said = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, timeout=self.runner.options.seconds,
                                  preexec_fn=lambda: before_others(threads, iteration % 2 == 0)).stdout  # pylint: disable=cell-var-from-loop
            best = min(best, json_line(said)["median_ms"])
        return best


def before_others(threads, in_real_time):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])
    os.setpriority(os.PRIO_PROCESS, 0, -20)
    if in_real_time:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))


def row_of(subject, options, with_times=True):
    work = tempfile.mkdtemp(prefix="nacre-zoo-")
    try:
        return _measured(Measurement(subject, runner_of(options, work), work), with_times)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _measured(model, with_times):
    row = {"id": model.subject.id, "format": model.subject.format, "refusals": {}}
    for target in COMPILED if with_times else (HOST,):
        reason = model.compile(target)
        if reason:
            row["refusals"][target.name] = reason
    if HOST.name in row["refusals"]:
        return row
    if not model.data_sets[0].outputs:
        model.evaluate()
    row.update(answers_of=model.answers_of, error=model.error(HOST), bytes=model.stripped_bytes())
    listed = dict(re.findall(r"^ +(arena|block) +(\d+)$", model.info(), re.MULTILINE))
    row.update(arena_bytes=int(listed["arena"]), block_bytes=int(listed["block"]))
    if not with_times:
        return row
    if ARM64.name not in row["refusals"] and row["bytes"] <= EMULATED_BYTES:
        row["arm64_error"] = model.error(ARM64)
    if "gpu" not in row["refusals"]:
        engines = [launch["engine"] for launch in read_launches(model.library(COMPILED[3]))]
        row["gpu_launches"] = [sum(engine != "cpu" for engine in engines), len(engines)]
    row.update(ms_1=model.time(1), ms_2=model.time(2), load=os.getloadavg()[0])
    return row
