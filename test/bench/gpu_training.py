#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step of training on a GPU beside PyTorch's, for the three networks of shared/data/training/step_time.py.

What: prints milliseconds of a step (forward, backward and update by SGD with momentum) and of inference at the same batch, in fp32 and
      fp16, PyTorch's beside them, and of inference by a library without --train; ends with 1 where a step is longer than its limit.
Why:  the GPU that is measured is seldom on the machine that compiles; what one needs there is a folder of libraries, Python and PyTorch.
How:  gpu_training.py compile FOLDER    here: every library, nacre-run and this script, into FOLDER
      gpu_training.py run FOLDER        there: both train in alternating rounds; medians of the rounds' medians. PyTorch's steps are CUDA
                                        graphs, the faster of NCHW and NHWC, fp32 with TF32 off (a column has it on), fp16 by autocast
                                        without the loss scale that ours has. Inputs are on PyTorch's GPU; ours come from the CPU's memory.
                                        FOLDER/<library>.txt gets the times of the launches.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# What a step may take, as a share of PyTorch's in the same precision.
LIMITS = {("mentee", "fp32"): 0.9, ("mentee", "fp16"): 1.2, ("lenet", "fp32"): 1.5, ("lstm", "fp32"): 2.0}
PRECISIONS = ("fp32", "fp16")
OPTIONS = ["--train", "--loss=softmax-cross-entropy:logits", "--optimizer=sgd:momentum=0.9"]


class Failure(Exception):
    """A program failed; the text is what it said."""


def call(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}\nended with {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def compile_all(arguments):
    import training  # the networks; where they run, only their libraries are

    os.makedirs(arguments.folder, exist_ok=True)
    program = os.path.join(arguments.bin, "nacre-compile")
    for name in training.NETWORKS:
        make, batch, _ = training.NETWORKS[name]
        model = os.path.join(arguments.folder, f"{name}.onnx")
        make(batch).save(model)
        for precision in PRECISIONS:
            placed = ["--place=gpu", f"--gpu-precision={precision}", f"--cpu={arguments.cpu}"]
            for kind, options in (("train", OPTIONS), ("infer", [])):
                call(program, model, "-o", os.path.join(arguments.folder, f"{name}_{precision}_{kind}.so"), *placed, *options)
        os.remove(model)
    for copied in (os.path.join(arguments.bin, "nacre-run"), __file__):
        shutil.copy(copied, arguments.folder)
    return 0


class Ours:
    def __init__(self, arguments, library, entry):
        self.library, self.entry, self.arguments = f"{library}.so", entry, arguments

    def run(self, *options):
        entry = [f"--entry={self.entry}"] if self.entry else []
        return call(os.path.join(self.arguments.folder, "nacre-run"), os.path.join(self.arguments.folder, self.library), *entry,
                           "--gpu", *options)

    def milliseconds(self):
        said = self.run("--benchmark", "--runs=3", f"--min-seconds={self.arguments.seconds}")
        return json.loads(next(line for line in said.splitlines() if line.startswith("{")))["median_ms"]


def networks_of_torch(torch):
    """{name: (network, input, labels)}, as step_time.py has them."""
    nn = torch.nn

    def classifier(channels, convolutions, layers, features):
        parts = []
        for out, pools in convolutions:
            parts += [nn.Conv2d(channels, out, 3, padding=1), nn.ReLU()] + [nn.MaxPool2d(2)] * pools
            channels = out
        parts.append(nn.Flatten())
        for number, out in enumerate(layers, 1):
            parts += [nn.Linear(features, out)] + [nn.ReLU()] * (number < len(layers))
            features = out
        return nn.Sequential(*parts)

    class Gestures(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.fc = nn.LSTM(6, 128), nn.Linear(128, 11)

        def forward(self, x):
            return self.fc(self.lstm(x)[0][-1])

    mentee = classifier(3, [(64, True), (64, False), (128, True), (128, False), (256, True)], [512, 512, 10], 4096)
    lenet = classifier(1, [(16, True), (32, True)], [64, 10], 128)
    return {"mentee": (mentee, torch.randn(128, 3, 32, 32), torch.randint(0, 10, (128,))),
            "lenet": (lenet, torch.rand(64, 1, 8, 8), torch.randint(0, 10, (64,))),
            "lstm": (Gestures(), torch.randn(100, 16, 6), torch.randint(0, 11, (16,)))}


class Torch:
    """A step and inference as CUDA graphs."""

    def __init__(self, torch, name, mode, channels_last):
        self.torch = torch
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = mode == "tf32"
        torch.backends.cudnn.benchmark = True
        network, x, labels = (thing.to("cuda") for thing in networks_of_torch(torch)[name])
        if channels_last:
            network, x = network.to(memory_format=torch.channels_last), x.contiguous(memory_format=torch.channels_last)
        optimizer, loss_of = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9, fused=True), torch.nn.CrossEntropyLoss()
        precision = {"device_type": "cuda", "dtype": torch.float16, "enabled": mode == "fp16", "cache_enabled": False}

        def step():
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast(**precision):
                loss = loss_of(network(x), labels)
            loss.backward()
            optimizer.step()

        def infer():
            with torch.no_grad(), torch.autocast(**precision):
                network(x)

        self.used = network, x, labels, optimizer  # the graphs hold their addresses only
        self.graphs = {"train": self.record(step), "infer": self.record(infer)}

    def record(self, work):
        stream, graph = self.torch.cuda.Stream(), self.torch.cuda.CUDAGraph()
        with self.torch.cuda.stream(stream):
            for _ in range(5):
                work()
            stream.synchronize()
            with self.torch.cuda.graph(graph, stream=stream):
                work()
        return graph

    def milliseconds(self, kind, seconds):
        times, end = [], time.perf_counter() + seconds
        while len(times) < 10 or time.perf_counter() < end:
            begin = time.perf_counter()
            self.graphs[kind].replay()
            self.torch.cuda.synchronize()
            times.append((time.perf_counter() - begin) * 1000)
        return statistics.median(times)


def measure(arguments, torch, name, precision):
    """{column: milliseconds}"""
    ours = {"step": Ours(arguments, f"{name}_{precision}_train", "train"), "main": Ours(arguments, f"{name}_{precision}_train", "main"),
            "main without --train": Ours(arguments, f"{name}_{precision}_infer", None)}
    layouts = (False,) if name == "lstm" else (False, True)
    modes = ("fp32", "tf32") if precision == "fp32" else ("fp16",)
    peers = {mode: [Torch(torch, name, mode, layout) for layout in layouts] for mode in modes}
    times = {}
    for _ in range(arguments.rounds):
        for column, one in ours.items():
            times.setdefault(column, []).append(one.milliseconds())
        for mode, networks in peers.items():
            for kind in ("train", "infer"):
                best = min(network.milliseconds(kind, arguments.seconds) for network in networks)
                times.setdefault((mode, kind), []).append(best)
    with open(os.path.join(arguments.folder, f"{name}_{precision}.txt"), "w", encoding="utf-8") as file:
        file.write(ours["step"].run("--profile"))
    return {column: statistics.median(figures) for column, figures in times.items()}


def run_all(arguments):
    import torch

    columns = ["step", "PyTorch", "ratio", "limit", "", "PyTorch TF32", "main", "main without --train", "PyTorch infer"]
    print("| ms | " + " | ".join(columns) + " |\n|---|" + "--:|" * len(columns))
    is_good = True
    for name in ("mentee", "lenet", "lstm"):
        for precision in PRECISIONS:
            times = measure(arguments, torch, name, precision)
            ratio, limit = times["step"] / times[precision, "train"], LIMITS.get((name, precision))
            good = limit is None or ratio <= limit
            is_good = is_good and good
            cells = [f"{times['step']:.3f}", f"{times[precision, 'train']:.3f}", f"{ratio:.2f}", "" if limit is None else f"{limit:.2f}",
                     "" if limit is None else "ok" if good else "MISS",
                     f"{times['tf32', 'train']:.3f}" if ("tf32", "train") in times else "", f"{times['main']:.3f}",
                     f"{times['main without --train']:.3f}", f"{times[precision, 'infer']:.3f}"]
            print(f"| {name} {precision} | " + " | ".join(cells) + " |", flush=True)
    return 0 if is_good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    compiling = commands.add_parser("compile", help="compile the libraries into a folder")
    compiling.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"), help="folder of nacre-compile and nacre-run")
    compiling.add_argument("--cpu", default="haswell", help="of the machine that has the GPU (default: haswell)")
    running = commands.add_parser("run", help="time the libraries of a folder")
    running.add_argument("--rounds", type=int, default=5)
    running.add_argument("--seconds", type=float, default=0.3, help="of each measurement (default: 0.3)")
    for command in (compiling, running):
        command.add_argument("folder")
    arguments = parser.parse_args()
    try:
        return compile_all(arguments) if arguments.command == "compile" else run_all(arguments)
    except Failure as failure:
        return str(failure)


if __name__ == "__main__":
    sys.exit(main())
