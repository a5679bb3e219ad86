#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step of training beside PyTorch's, for the three networks of shared/data/training/step_time.py.

What: prints milliseconds of a step (forward, backward and update by SGD with momentum), of inference at the same batch, of packing
      operands in a step, and PyTorch's step; ends with 1 where a step is longer than its bar, a share of PyTorch's, or, of Mentee
      with --accuracy=strict, a multiple of inference.
Why:  shares are what another machine can check; bars are for one thread, with two 0.05 more.
How:  makes each network, compiles it with --train, and lets both train in alternating rounds; the smallest time of each counts, since
      others on the machine only ever add some. --python has PyTorch, --pytorch names the script that times it. With --instructions
      they are counted instead, of linux-arm64 under qemu, and nothing else on the machine counts.
"""
import argparse
import os
import re
import sys
from typing import NamedTuple

import arm64
import rivals

sys.path.insert(0, os.path.join(rivals.ROOT, "samples", "models"))
from onnx_writer import Graph  # noqa: E402

SCRIPT = os.path.join(os.path.dirname(rivals.ROOT), "shared", "data", "training", "step_time.py")


def classifier(name, batch, image, convolutions, layers):
    """3x3 convolutions, as (channels, whether a pool follows), then dense layers, with rectifiers between."""
    graph = Graph(name)
    x, (channels, size, _) = graph.input("x", [batch, *image]), image
    for number, (out, pools) in enumerate(convolutions, 1):
        weights = [graph.kernel(f"conv{number}.weight", [out, channels, 3, 3]), graph.constant(f"conv{number}.bias", [out], [0.0] * out)]
        x = graph.node("Relu", [graph.node("Conv", [x, *weights], name=f"conv{number}", kernel_shape=[3, 3], pads=[1] * 4)])
        if pools:
            x, size = graph.node("MaxPool", [x], name=f"pool{number}", kernel_shape=[2, 2], strides=[2, 2]), size // 2
        channels = out
    x, features = graph.node("Flatten", [x]), channels * size * size
    for number, out in enumerate(layers, 1):
        weights = [graph.kernel(f"fc{number}.weight", [out, features]), graph.constant(f"fc{number}.bias", [out], [0.0] * out)]
        x = graph.node("Gemm", [x, *weights], name=f"fc{number}", output="logits" if number == len(layers) else None, transB=1)
        x, features = x if number == len(layers) else graph.node("Relu", [x]), out
    graph.output("logits", [batch, features])
    return graph


def gestures(batch):
    """128 units, 100 steps."""
    graph = Graph("lstm")
    steps, size, hidden, classes = 100, 6, 128, 11
    x = graph.input("x", [steps, batch, size])
    weights = [graph.kernel(name, [1, 4 * hidden, inner]) for name, inner in (("w", size), ("r", hidden))]
    last = graph.node("LSTM", [x, *weights], output=["", "last"], name="lstm", hidden_size=hidden)[1]
    row = graph.node("Reshape", [last, graph.integers("rows", [batch, hidden])])
    dense = [graph.kernel("fc.weight", [classes, hidden]), graph.constant("fc.bias", [classes], [0.0] * classes)]
    graph.output(graph.node("Gemm", [row, *dense], name="fc", output="logits", transB=1), [batch, classes])
    return graph


def mentee(batch):
    """The network that TensorFlow+ trained on phones."""
    return classifier("mentee", batch, (3, 32, 32), [(64, True), (64, False), (128, True), (128, False), (256, True)], [512, 512, 10])


def lenet(batch):
    return classifier("lenet", batch, (1, 8, 8), [(16, True), (32, True)], [64, 10])


class Bars(NamedTuple):
    """Of a step, on one thread."""

    share: float          # of PyTorch's
    strict_share: float   # the same with --accuracy=strict
    strict_multiple: float  # of inference, both so; infinite: only printed
    instructions: float   # a multiple of inference's


NONE = float("inf")
# How each is made, its batch, and its bars.
NETWORKS = {"mentee": (mentee, 128, Bars(0.50, 0.68, 3.3, 3.6)), "lenet": (lenet, 64, Bars(0.30, 0.30, NONE, NONE)),
            "lstm": (gestures, 16, Bars(0.35, 0.35, NONE, NONE))}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=rivals.BIN, help="folder of nacre-compile and nacre-run")
    parser.add_argument("--work", default=os.path.join(rivals.ROOT, "build", "bench", "training"))
    parser.add_argument("--models", default=",".join(NETWORKS))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--accuracy", choices=("fast", "strict"), default="fast", help="strict: no network goes by Winograd")
    parser.add_argument("--batch", type=int, help="instead of each network's own; PyTorch has that alone")
    parser.add_argument("--instructions", action="store_true", help="count those of linux-arm64, beside inference's")
    parser.add_argument("--cpu", default="cortex-a76", help="qemu's model of a core")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1, help="of each measurement")
    parser.add_argument("--options", default="", help="for nacre-compile, separated by spaces")
    parser.add_argument("--launches", type=int, default=0, help="print so many of the longest launches of a step")
    parser.add_argument("--python", default="python3", help="an interpreter that has PyTorch")
    parser.add_argument("--pytorch", default=SCRIPT, help="the script that times PyTorch; '' for ours alone")
    return parser.parse_args()


class Network:
    def __init__(self, name, arguments):
        self.name, self.arguments, self.work = name, arguments, os.path.abspath(arguments.work)
        make, own_batch, self.bars = NETWORKS[name]
        os.makedirs(self.work, exist_ok=True)
        model, self.library = os.path.join(self.work, f"{name}.onnx"), os.path.join(self.work, f"lib{name}.so")
        make(arguments.batch or own_batch).save(model)
        rivals.call(self.program("nacre-compile"), model, "-o", self.library, "--train", "--loss=softmax-cross-entropy:logits",
                    "--optimizer=sgd:momentum=0.9", f"--accuracy={arguments.accuracy}",
                    *(["--target=linux-arm64"] if arguments.instructions else []), *arguments.options.split())

    def program(self, name):
        return os.path.join(os.path.abspath(self.arguments.bin), name)

    def run(self, entry, *options):
        return rivals.call(self.program("nacre-run"), self.library, f"--entry={entry}", f"--threads={self.arguments.threads}",
                           f"--min-seconds={self.arguments.seconds}", "--runs=3", *options)

    def milliseconds(self, entry):
        return rivals.json_line(self.run(entry, "--benchmark"))["min_ms"]

    def instructions(self, entry):
        """The counters of a run."""
        command = [self.program("nacre-run-arm64"), self.library, f"--entry={entry}", "--benchmark", "--threads=1", "--runs=1"]
        return arm64.count(command, rivals.ARM64_SYSROOT, self.program("qemu_insn_count.so"), self.arguments,
                           os.path.join(self.work, "instructions.txt"))

    def launches(self):
        """(milliseconds, line) of a step's, the longest first."""
        lines = re.findall(r"^ *([\d.]+) +[\d.]+% +\d+ .*$", said := self.run("train", "--profile"), re.M)
        return list(zip((float(us) / 1000 for us in lines), re.findall(r"^ *[\d.]+ +[\d.]+% +\d+ .*$", said, re.M)))

    def pytorch(self):
        """Milliseconds of inference and of a step; none without PyTorch."""
        if not self.arguments.pytorch:
            return {}
        said = rivals.json_line(rivals.call(self.arguments.python, self.arguments.pytorch, f"--net={self.name}",
                                            f"--threads={self.arguments.threads}", f"--seconds={self.arguments.seconds}"))
        return {"infer": said["infer"]["min"], "step": said["step"]["min"]}


def measure(network):
    """The smallest of each time."""
    times = {}
    for _ in range(network.arguments.rounds):
        ours = {"main": network.milliseconds("main"), "train": network.milliseconds("train")}
        for name, time in {**ours, **network.pytorch()}.items():
            times[name] = min(time, times.get(name, time))
    return times


def verdict(number, bar):
    """Three cells, and whether the number is within."""
    good = number <= bar
    return [f"{number:.2f}", *(("", "") if bar == NONE else (f"{bar:.2f}", "ok" if good else "MISS"))], good


def print_row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def print_head(columns):
    print_row(columns)
    print("|---|" + "--:|" * (len(columns) - 1), flush=True)


def report_times(network):
    times, arguments = measure(network), network.arguments
    launches = network.launches()
    packs = sum(time for time, line in launches if re.search(r" (permute|nest) +pack", line))
    cells = [network.name, f"{times['main']:.3f}", f"{times['train']:.3f}", f"{100 * packs / times['train']:.1f} %"]
    multiple, good = verdict(times["train"] / times["main"], network.bars.strict_multiple if arguments.accuracy == "strict" else NONE)
    cells += multiple
    if "step" in times:
        bar = network.bars.strict_share if arguments.accuracy == "strict" else network.bars.share
        share, is_share_good = verdict(times["train"] / times["step"], bar + (0.05 if arguments.threads > 1 else 0))
        cells += [f"{times['infer']:.3f}", f"{times['step']:.3f}", *share]
        good = good and is_share_good
    print_row(cells)
    for _, line in launches[:arguments.launches]:
        print("  " + line.rstrip())
    return good


def report_instructions(network):
    main, step = (network.instructions(entry)["all"] for entry in ("main", "train"))
    multiple, good = verdict(step / main, network.bars.instructions)
    print_row([network.name, f"{main / 1e6:.1f}", f"{step / 1e6:.1f}", *multiple])
    return good


def main():
    arguments = parse_arguments()
    rivals.ask_for_real_time()
    if arguments.instructions:
        columns, report = ["network", "main M insns", "train M insns", "of main", "at most", ""], report_instructions
    else:
        columns, report = ["network", "main ms", "train ms", "packing", "of main", "at most", ""], report_times
        if arguments.pytorch and arguments.batch:
            sys.exit("PyTorch's script has batches of its own: leave --batch out, or give --pytorch= for our times alone")
        if arguments.pytorch:
            if not os.path.exists(arguments.pytorch):
                sys.exit(f"{arguments.pytorch} is missing: name PyTorch's script by --pytorch, or give --pytorch= for our times alone")
            columns += ["PyTorch infer", "PyTorch step", "ratio", "at most", ""]
    print_head(columns)
    try:
        good = [report(Network(name, arguments)) for name in arguments.models.split(",")]
    except rivals.Failure as error:
        sys.exit(str(error))
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
