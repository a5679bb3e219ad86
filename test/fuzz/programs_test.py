#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damaged files against the programs that read them beside nacre-compile: each is read, or refused with a message and a status of the
program's own; none crashes it or makes it hang.

Files are cut, get bytes of other values, and, where they are JSON, members of other kinds. The seed is fixed; more rounds, as by
`programs_test.py --rounds=50`, and a build with sanitizers look longer.
"""
import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "samples", "models"))
from make_convnet import make_convnet  # noqa: E402
from onnx_writer import Graph, write_npy  # noqa: E402

BIN = os.environ.get("NACRE_BIN", os.path.join(ROOT, "build", "release", "bin"))
COMMAND_SECONDS = float(os.environ.get("NACRE_COMMAND_SECONDS", "1200"))
VALUES = [None, True, -1, 1e300, 2**63, "", "x" * 3000, [], {}, [[]], [{}], [1, 2]]
DEEP = 300_000
SIZES = [0, 1, 255, 2**16, 2**31, 2**32 - 1, 2**63, 2**64 - 1]


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def damage(data, draw):
    """Cut, or with other bytes, or with a number of eight bytes that a length may be."""
    kind = draw.randrange(4)
    if kind == 0:
        return data[:draw.randrange(len(data))]
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8))):
        # Where files say what is in them: at their beginnings and ends.
        at = draw.choice((draw.randrange(len(data)), draw.randrange(min(len(data), 512)), len(data) - 1 - draw.randrange(min(len(data), 2048))))
        if kind == 1:
            changed[at] = draw.randrange(256)
        elif kind == 2:
            changed[at] ^= 1 << draw.randrange(8)
        else:
            at -= at % 8
            changed[at:at + 8] = struct.pack("<Q", draw.choice(SIZES))[:len(data) - at]
    return bytes(changed)


def places(value, path=()):
    if path:
        yield path
    if isinstance(value, (dict, list)):
        for key in (value if isinstance(value, dict) else range(len(value))):
            yield from places(value[key], (*path, key))


def damage_json(data, draw):
    if draw.randrange(3) == 0:
        return damage(data, draw)
    value = json.loads(data)
    for _ in range(draw.choice((1, 1, 3))):
        *parents, last = draw.choice(list(places(value)))
        at = value
        for key in parents:
            at = at[key]
        if isinstance(at, dict) and draw.randrange(3) == 0:
            at.pop(last, None)
        else:
            at[last] = draw.choice(VALUES)
    return json.dumps(value).encode()


class Programs:
    def __init__(self, folder):
        self.folder, self.count, self.failures = folder, 0, []
        # Without a GPU: drivers leave memory behind, which sanitizers tell.
        for name, graph in (("convnet", make_convnet()), ("relu", self.relu())):
            graph.save(self.path(name + ".onnx"))
            self.call("nacre-compile", name + ".onnx", "-o", f"lib{name}.so", "--quiet", f"--report={name}.json", "--device=snapdragon-778g")
        self.call("nacre-compile", "relu.onnx", "-o", "librelu-android.so", "--target=android-arm64", "--quiet")
        self.call("nacre-run", "libconvnet.so", "--profile=profile.json", "--runs=1")
        write_npy(self.path("x.npy"), [2, 8], [i / 8 for i in range(16)], "f")
        write(self.path("x.pb"), b"\x08\x02\x08\x08\x10\x01\x4a\x40" + struct.pack("<16f", *range(16)))  # a TensorProto
        write(self.path("options"), b"librelu.so --seed=3 '--input=x=x.npy' \"--rtol=1\"\n--threads=1 @options2\n")
        write(self.path("options2"), b"--min-seconds=0")

    @staticmethod
    def relu():
        graph = Graph("relu")
        graph.node("Relu", [graph.input("x", [2, 8])], output="y")
        graph.output("y", [2, 8])
        return graph

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, program, *arguments, statuses=(0,)):
        self.count += 1
        try:
            done = subprocess.run([os.path.join(BIN, program), *arguments], cwd=self.folder, timeout=COMMAND_SECONDS, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            said, status = done.stdout, done.returncode
        except subprocess.TimeoutExpired:
            said, status = b"", f"none after {COMMAND_SECONDS} s"
        if status not in statuses or b"Sanitizer" in said or b"runtime error" in said or (status and not said):
            kept = []
            for name in os.listdir(self.folder):
                if name.startswith("damaged"):
                    kept.append(os.path.abspath(f"failed-{len(self.failures)}-{name}"))
                    write(kept[-1], read(self.path(name)))
            self.failures.append(program)
            print(f"{program} {' '.join(arguments)}: status {status}; kept: {' '.join(kept)}\n{said.decode(errors='replace')[-3000:]}", flush=True)

    def round(self, draw):
        def damaged(name, change=damage):
            to = "damaged-" + name
            write(self.path(to), change(read(self.path(name)), draw))
            return to

        self.call("nacre-package", damaged("librelu-android.so"), "-o", "page.aar", statuses=(0, 1))
        self.call("nacre-report", damaged("convnet.json", damage_json), "--profile=profile.json", "-o", "page.html", statuses=(0, 2))
        self.call("nacre-report", "convnet.json", "--profile=" + damaged("profile.json", damage_json), "-o", "page.html", statuses=(0, 2))
        file = damaged(draw.choice(("x.npy", "x.pb")))
        self.call("nacre-run", "librelu.so", "--input=x=" + file, "--expect=y=" + file, statuses=(0, 1, 2))
        self.call("nacre-eval", "relu.onnx", "--input=x=" + file, "--expect=y=" + file, statuses=(0, 1, 2, 3))
        self.call("nacre-diff", "relu.onnx", "librelu.so", "--input=x=" + file, statuses=(0, 1, 2, 3))
        self.call("nacre-eval", damaged("relu.onnx"), statuses=(0, 1, 2, 3))
        self.call("nacre-run", "@" + damaged("options"), statuses=(0, 1, 2))
        library = damaged("librelu.so")
        self.call("nacre-run", library, statuses=(0, 2, 3))
        self.call("nacre-diff", "relu.onnx", library, statuses=(0, 2, 3))

    def once(self):
        for text in (b"[" * DEEP, b'{"entries":' * DEEP, b"[" * DEEP + b"]" * DEEP):
            write(self.path("damaged.json"), text)
            self.call("nacre-report", "damaged.json", statuses=(2,))
            self.call("nacre-compile", "relu.onnx", "-o", "librelu.so", "--device=damaged.json", statuses=(1, 2))
            write(self.path("damaged.safetensors"), struct.pack("<Q", len(text)) + text)
            self.call("nacre-translate", "relu.onnx", "--state=damaged.safetensors", "-o", "trained.onnx", statuses=(1, 2))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="nacre-programs-") as folder:
        programs = Programs(folder)
        programs.once()
        for _ in range(arguments.rounds):
            programs.round(draw)
    print(f"{programs.count} runs, {len(programs.failures)} failures")
    sys.exit(bool(programs.failures))


if __name__ == "__main__":
    main()
