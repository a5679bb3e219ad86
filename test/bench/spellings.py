#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One LSTM of 512 units over 100 steps, 6 inputs, 11 classes, in every spelling: how fast each is against the layer.

What: the models of test/e2e/lstm_models.py in full size, written, compiled and checked against each other's answers, then run in
      alternating rounds; of each its smallest time, what it is of the layer's, and the time of the compiler. Ends with 1 where a
      ratio is beyond the limit.
Why:  what a file calls a network must not decide how fast it runs: a layer, a loop, a scan, or a cell for each step.
How:  others' work on the machine only ever adds time.
"""
import argparse
import os
import sys
import time

import rivals

sys.path.insert(0, os.path.join(rivals.ROOT, "test", "e2e"))
import lstm_models  # noqa: E402
from onnx_writer import write_npy  # noqa: E402

FIRST = "onnx_layer"


class Spelling:
    def __init__(self, name, lstm, arguments):
        self.name, self.bin, self.work = name, os.path.abspath(arguments.bin), arguments.work
        self.library, self.times = os.path.join(self.work, f"lib{name}.so"), []
        model = lstm_models.save(lstm, name, self.work)
        begin = time.monotonic()
        rivals.call(os.path.join(self.bin, "nacre-compile"), model, "-o", self.library, "--quiet")
        self.compile_seconds = time.monotonic() - begin
        self.inputs = [f"--input=data={os.path.join(self.work, 'data.npy')}"]

    def command(self, *options):
        return [os.path.join(self.bin, "nacre-run"), self.library, *self.inputs, "--threads=1", *options]

    def run(self, seconds):
        line = rivals.json_line(rivals.call(*self.command("--benchmark", f"--min-seconds={seconds}")))
        self.times.append(line["min_ms"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=rivals.BIN, help="folder of nacre-compile and nacre-run")
    parser.add_argument("--work", default=os.path.join(rivals.ROOT, "build", "bench", "spellings"), help="folder for the models")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=0.3, help="of one spelling in a round")
    parser.add_argument("--limit", type=float, default=1.1, help="the largest ratio to the layer's time")
    arguments = parser.parse_args()
    arguments.work = os.path.abspath(arguments.work)
    os.makedirs(arguments.work, exist_ok=True)
    lstm = lstm_models.Lstm()
    count = lstm.steps * lstm.inputs
    write_npy(os.path.join(arguments.work, "data.npy"), [1, lstm.steps, lstm.inputs], [(k * 37 % 101 - 50) / 50 for k in range(count)])

    rivals.ask_for_real_time()
    spellings = [Spelling(name, lstm, arguments) for name in lstm_models.SPELLINGS]
    first = next(spelling for spelling in spellings if spelling.name == FIRST)
    rivals.call(*first.command(f"--output={arguments.work}"))
    for spelling in spellings:
        rivals.call(*spelling.command(f"--expect=prob={os.path.join(arguments.work, 'prob.npy')}"))
    for _ in range(arguments.rounds):
        for spelling in spellings:
            spelling.run(arguments.seconds)

    print("| spelling | ms | of the layer | compiled in s |\n|---|--:|--:|--:|")
    worst = 0
    for spelling in spellings:
        ratio = min(spelling.times) / min(first.times)
        worst = max(worst, ratio)
        print(f"| {spelling.name} | {min(spelling.times):.3f} | {ratio:.2f} | {spelling.compile_seconds:.1f} |")
    return int(worst > arguments.limit)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except rivals.Failure as error:
        sys.exit(str(error))
