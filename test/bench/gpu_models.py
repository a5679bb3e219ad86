#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models on a GPU: ours on the GPU, on the CPU and cut, beside PyTorch and ONNX Runtime, as a table of milliseconds.

What: compiles each model, checks its answers, then runs everybody in alternating rounds at batch 1.
How:  a time is the median of a round, the table's the median of the rounds. `kernels` is the sum of the times of one run's
      kernels as the device measures them. Ours begin and end in the CPU's memory. PyTorch (where it and torchvision are
      installed) replays a CUDA graph, the faster of its two layouts, TF32 off: alone, as the device measures it, and from
      and to the CPU's memory; with --torch-compile also what its compiler makes of the network, captured and run in the same
      way. ONNX Runtime (its Python package) runs on the CPU with as many threads as ours.
"""
import argparse
import os
import re
import statistics
import sys
import time

import rivals

# The model of torchvision with the same layers, or nearly.
TORCH = {"resnet50_rand": "resnet50", "inception_v1_rand": "googlenet", "mobilenet_v2": "mobilenet_v2",
         "squeezenet_rand": "squeezenet1_1", "vgg19_rand": "vgg19", "bvlc_alexnet_rand": "alexnet", "densenet121": "densenet121"}
TRANSFORMERS = ("bert_mini", "vit_tiny")
CUTS = (25, 50, 75)
EXACT = (1e-3, 1e-4)  # rtol, atol


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    parser.set_defaults(models="resnet50_rand,inception_v1_rand,mobilenet_v2,squeezenet_rand")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each measurement")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the CPU")
    parser.add_argument("--torch-compile", metavar="MODE", help="also time PyTorch's compiler, with constant weights: `default`, or "
                        "`max-autotune-no-cudagraphs`, which takes minutes for each model")
    parser.add_argument("--gpu-device", default="0", help="as nacre-run --list-devices counts")
    return parser.parse_args()


class Ours:
    """A model compiled for one placement and precision."""

    def __init__(self, model, arguments, name, tolerance, compiling, running):
        self.model, self.name, self.tolerance = model, name, tolerance
        self.library = os.path.join(model.work, name, f"lib{model.name}.so")
        self.running = [*running, f"--threads={arguments.threads}"]
        if "--gpu" in running:
            self.running += [f"--gpu-device={arguments.gpu_device}", f"--cache={os.path.dirname(self.library)}"]
        if compiling is None:
            return
        os.makedirs(os.path.dirname(self.library), exist_ok=True)
        rivals.call(model.program("nacre-compile"), model.path, "-o", self.library, *compiling)

    def run(self, *options):
        return rivals.call(self.model.program("nacre-run"), self.library, *self.model.inputs, *self.running, *options)

    def check(self):
        rtol, atol = self.tolerance
        self.run(*self.model.outputs, f"--rtol={rtol}", f"--atol={atol}")

    def benchmark(self, seconds):
        return rivals.json_line(self.run("--benchmark", f"--min-seconds={seconds}"))

    def kernels(self):
        """The sum of the kernels' times, ms."""
        return float(re.search(r"^\s*([\d.]+) 100\.00%$", self.run("--profile", "--runs=50"), re.MULTILINE)[1]) / 1000


def compiled(model, arguments):
    """{column: Ours}"""
    cpu = ["--cpu=native"]
    ours = {"cpu": Ours(model, arguments, "cpu", EXACT, cpu, [])}
    for precision, tolerance in (("fp32", EXACT), ("fp16", (2e-2, 2e-2))):
        ours[precision] = Ours(model, arguments, precision, tolerance,
                               [*cpu, "--place=gpu", f"--gpu-precision={precision}"], ["--gpu"])
    for cut in CUTS:
        ours[f"cut {cut}"] = Ours(model, arguments, "cut", EXACT, [*cpu, "--place=split:50"] if cut == CUTS[0] else None,
                                  ["--gpu", f"--gpu-cut={cut}"])
    for one in ours.values():
        one.check()
    return ours


def bert_mini(torch):
    """Four layers of torch.nn.TransformerEncoder between embeddings and a classifier, on 128 tokens."""

    class Bert(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = torch.nn.Embedding(30522, 256), torch.nn.Parameter(torch.zeros(1, 128, 256))
            self.norm = torch.nn.LayerNorm(256)
            layer = torch.nn.TransformerEncoderLayer(256, 4, 1024, dropout=0, activation="gelu", batch_first=True)
            self.layers = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
            self.pool, self.classes = torch.nn.Linear(256, 256), torch.nn.Linear(256, 2)

        def forward(self, tokens):
            x = self.layers(self.norm(self.words(tokens) + self.places))
            return self.classes(torch.tanh(self.pool(x[:, 0])))

    return Bert()


def network_and_input(torch, name, dtype):
    """PyTorch's network of random weights, and what it is fed."""
    import torchvision

    if name == "bert_mini":
        return bert_mini(torch), torch.randint(0, 30522, (1, 128))
    image = torch.rand(1, 3, 224, 224, dtype=dtype)
    if name == "vit_tiny":
        return torchvision.models.VisionTransformer(224, 16, 12, 3, 192, 768), image
    options = {"aux_logits": False, "init_weights": False} if TORCH[name] == "googlenet" else {}
    return getattr(torchvision.models, TORCH[name])(weights=None, **options), image


class Torch:
    """A network as a CUDA graph; with a mode, as torch.compile() makes it of constant weights."""

    def __init__(self, name, half, channels_last, mode=None):
        import torch

        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.benchmark = True
        self.torch = torch
        layout = torch.channels_last if channels_last else torch.contiguous_format
        dtype = torch.float16 if half else torch.float32
        network, image = network_and_input(torch, name, dtype)
        network, image = network.eval().to("cuda", dtype).to(memory_format=layout), image.to("cuda")
        if channels_last:
            image = image.to(memory_format=layout)
        if mode:
            import torch._inductor.config
            torch._inductor.config.freezing = True  # makes constants of weights, and reorders them
            network = torch.compile(network, mode=mode, dynamic=False)
        self.used = network, image  # the graph holds their addresses only
        self.stream, self.graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
        with torch.cuda.stream(self.stream), torch.no_grad():
            for _ in range(5):
                network(image)
            self.stream.synchronize()
            with torch.cuda.graph(self.graph, stream=self.stream):
                self.answer = network(image)

    def graph_ms(self, runs=100):
        """The graph alone, by the device's clock."""
        begin, end = self.torch.cuda.Event(True), self.torch.cuda.Event(True)
        times = []
        for _ in range(runs):
            with self.torch.cuda.stream(self.stream):
                begin.record()
                self.graph.replay()
                end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end))
        return statistics.median(times)

    def run_ms(self, runs=100):
        """From the CPU's memory to the CPU's memory, by the CPU's clock."""
        image = self.used[1]
        given, taken = (t.cpu().pin_memory() for t in (image, self.answer))
        times = []
        for _ in range(runs):
            begin = time.perf_counter()
            with self.torch.cuda.stream(self.stream):
                image.copy_(given, non_blocking=True)
                self.graph.replay()
                taken.copy_(self.answer, non_blocking=True)
            self.stream.synchronize()
            times.append((time.perf_counter() - begin) * 1000)
        return statistics.median(times)


def torch_rivals(name, mode=None):
    """{column: [Torch, ...]}, with columns of its compiler if there is a mode; empty without PyTorch or a GPU that it knows."""
    try:
        import torch
        import torchvision  # noqa: F401
    except ImportError:
        return {}
    if (name not in TORCH and name not in TRANSFORMERS) or not torch.cuda.is_available():
        return {}
    layouts = (False,) if name in TRANSFORMERS else (False, True)
    networks = {}
    for precision, half in (("fp32", False), ("fp16", True)):
        networks[f"PyTorch {precision}"] = [Torch(name, half, last) for last in layouts]
        if mode:
            networks[f"compiled {precision}"] = [Torch(name, half, last, mode) for last in layouts]
    return networks


def onnx_rival(model, threads):
    """A function that times runs for some seconds, or None without ONNX Runtime."""
    try:
        import numpy
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(model.path, options, providers=["CPUExecutionProvider"])
    feeds = {i.name: numpy.load(f"{model.io}/input_{n}.npy") for n, i in enumerate(session.get_inputs())}

    def median_ms(seconds):
        times, end = [], time.perf_counter() + seconds
        while len(times) < 3 or time.perf_counter() < end:
            begin = time.perf_counter()
            session.run(None, feeds)
            times.append((time.perf_counter() - begin) * 1000)
        return statistics.median(times)

    return median_ms


def measure(model, arguments):
    ours = compiled(model, arguments)
    print(f"{model.name}: compiled, answers agree", file=sys.stderr)
    torch, onnx = torch_rivals(model.name, arguments.torch_compile), onnx_rival(model, arguments.threads)
    times = {}
    for _ in range(arguments.rounds):
        for name, one in ours.items():
            figures = one.benchmark(arguments.seconds)
            times.setdefault(name, []).append(figures["median_ms"])
            if name in ("fp32", "fp16"):
                times.setdefault(f"{name} kernels", []).append(one.kernels())
                times[f"{name} submissions"] = [figures["submissions"]]
        for name, networks in torch.items():
            times.setdefault(name, []).append(min(network.run_ms() for network in networks))
            times.setdefault(f"{name} graph", []).append(min(network.graph_ms() for network in networks))
        if onnx:
            times.setdefault("ONNX Runtime", []).append(onnx(arguments.seconds))
    return {name: statistics.median(figures) for name, figures in times.items()}


def main():
    arguments = parse_arguments()
    rows = {}
    try:
        for model in rivals.selected(arguments):
            rows[model.name] = measure(model, arguments)
    except rivals.Failure as failure:
        sys.exit(str(failure))
    columns = list(next(iter(rows.values())))
    print("| ms | " + " | ".join(columns) + " |")
    print("|---|" + "--:|" * len(columns))
    for name, row in rows.items():
        print(f"| {name} | " + " | ".join(f"{row[c]:.3g}" if c in row else "" for c in columns) + " |")


if __name__ == "__main__":
    main()
