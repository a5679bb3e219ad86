#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step of training of MobileNet v2's last layer beside inference at the same batch: memory and time.

What: prints MiB (session and state) and milliseconds of both, and ends with 1 where a step takes more than 1.3 of the memory or 1.2
      of the time.
Why:  what is not trained should cost what it costs in inference: folded, packed, and nothing kept.
How:  makes the network at that batch, compiles it with and without --train, and lets both run in alternating rounds; the smallest
      times count. Instead --model names one that has the batch, and --trainable its last layer.
"""
import argparse
import json
import os
import sys

import rivals

sys.path.insert(0, os.path.join(rivals.ROOT, "test", "e2e"))
from mobilenet import MobileNet  # noqa: E402

MEMORY_BAR, TIME_BAR = 1.3, 1.2


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=rivals.BIN, help="folder of nacre-compile and nacre-run")
    parser.add_argument("--work", default=os.path.join(rivals.ROOT, "build", "bench", "last_layer"))
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--model", help="default: MobileNet v2 of random weights")
    parser.add_argument("--trainable", default="classifier.*")
    parser.add_argument("--loss", default="softmax-cross-entropy:logits")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1, help="of each measurement")
    return parser.parse_args()


class Library:
    def __init__(self, name, entry, model, arguments, *options):
        self.arguments, self.entry, self.path = arguments, entry, os.path.join(arguments.work, f"lib{name}.so")
        report = os.path.join(arguments.work, name + ".json")
        rivals.call(self.program("nacre-compile"), model, "-o", self.path, "--report=" + report, *options)
        with open(report, encoding="utf-8") as file:
            facts = json.load(file)
        self.mebibytes = (facts["arena_bytes"] + facts["state_bytes"]) / (1 << 20)
        self.milliseconds = float("inf")

    def program(self, name):
        return os.path.join(os.path.abspath(self.arguments.bin), name)

    def measure(self):
        said = rivals.json_line(rivals.call(self.program("nacre-run"), self.path, f"--entry={self.entry}", "--benchmark", "--runs=3",
                                            f"--threads={self.arguments.threads}", f"--min-seconds={self.arguments.seconds}"))
        self.milliseconds = min(self.milliseconds, said["min_ms"])


def main():
    arguments = parse_arguments()
    rivals.ask_for_real_time()
    arguments.work = os.path.abspath(arguments.work)
    os.makedirs(arguments.work, exist_ok=True)
    model = arguments.model
    if not model:
        model = os.path.join(arguments.work, "mobilenet.onnx")
        MobileNet(arguments.batch).save(model)
    try:
        libraries = [Library("inference", "main", model, arguments),
                     Library("training", "train", model, arguments, "--train", "--loss=" + arguments.loss,
                             "--trainable=" + arguments.trainable, "--optimizer=sgd:momentum=0.9")]
        for _ in range(arguments.rounds):
            for library in libraries:
                library.measure()
    except rivals.Failure as error:
        sys.exit(str(error))
    print("| | inference | step | ratio | at most | |\n|---|--:|--:|--:|--:|---|")
    good = True
    for what, values, bar in (("MiB", [library.mebibytes for library in libraries], MEMORY_BAR),
                              ("ms", [library.milliseconds for library in libraries], TIME_BAR)):
        ratio = values[1] / values[0]
        good &= ratio <= bar
        print(f"| {what} | {values[0]:.1f} | {values[1]:.1f} | {ratio:.2f} | {bar} | {'ok' if ratio <= bar else 'MISS'} |")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
