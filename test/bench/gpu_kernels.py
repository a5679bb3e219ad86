#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TFLOP/s of our contraction kernels on a GPU through Vulkan, beside PyTorch's (cuBLAS, cuDNN) in the same run.

What: matrix products and the 3x3 convolutions of ResNet-50, in fp32 and fp16.
Why:  the GPU that is measured is seldom on the machine that compiles; what one needs there is a folder of shaders, a small
      program, Python and PyTorch.
How:  gpu_kernels.py compile FOLDER     here: every kernel by nacre-kernel, and the program that times them, into FOLDER
      gpu_kernels.py run FOLDER         there: results are checked against PyTorch in double precision; then both are timed
                                        in alternating rounds, PyTorch as CUDA graphs, the better of NHWC and NCHW, TF32
                                        off; medians. Prints the table of docs/benchmarks-gpu.md.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


# The work -------------------------------------------------------------------------------------------------------------


@dataclass
class Matmul:
    rows: int
    columns: int
    depth: int
    half: bool = False

    @property
    def name(self):
        size = f"{self.rows}" if self.rows == self.columns == self.depth else f"{self.rows}x{self.columns}x{self.depth}"
        return f"matmul {size}" + self.half * ", fp16"

    @property
    def flops(self):
        return 2.0 * self.rows * self.columns * self.depth

    @property
    def shapes(self):
        return [self.rows, self.depth], [self.depth, self.columns], [self.rows, self.columns]

    loops = "m, n, k"
    maps = "(m, k)", "(k, n)", "(m, n)"
    iterators = ["parallel"] * 2 + ["reduction"]
    axis = 0


@dataclass
class Convolution:
    """3x3 of stride 1. The border is in the input's storage, as it is in a model."""
    size: int
    channels: int
    batch: int
    half: bool = False

    @property
    def name(self):
        return f"3x3 {self.size}x{self.size}x{self.channels}, batch {self.batch}" + self.half * ", fp16"

    @property
    def flops(self):
        return 2.0 * 9 * self.batch * self.size**2 * self.channels**2

    @property
    def shapes(self):
        return ([self.batch, self.size + 2, self.size + 2, self.channels], [3, 3, self.channels, self.channels],
                [self.batch, self.size, self.size, self.channels])

    loops = "n, h, w, o, i, j, c"
    maps = "(n, h + i, w + j, c)", "(i, j, c, o)", "(n, h, w, o)"
    iterators = ["parallel"] * 4 + ["reduction"] * 3

    @property
    def axis(self):
        return 1 if self.batch == 1 else 0


WORK = ([Matmul(size, size, size, half) for half in (False, True) for size in (1024, 4096)] +
        [Convolution(size, channels, batch, half) for half in (False, True) for batch in (1, 16)
         for size, channels in ((56, 64), (28, 128), (14, 256))])


def kernel_text(work):
    """The work as the kernels phase writes it: sums in fp32, whatever the operands are."""
    element = "f16" if work.half else "f32"
    x, w, y = (f"tensor<{'x'.join(map(str, shape))}x{element}>" for shape in work.shapes)
    sums = y.replace("f16", "f32")
    maps = ", ".join(f"affine_map<({work.loops}) -> {one}>" for one in work.maps)
    iterators = ", ".join(f'"{one}"' for one in work.iterators)
    operands = ("%c, %d", "%c = arith.extf %a : f16 to f32\n    %d = arith.extf %b : f16 to f32") if work.half else ("%a, %b", "")
    text = f"""plan.kernel @kernel contraction (%x: {x}, %w: {w}) into (%y: {y}) cut {work.axis} : {work.shapes[2][work.axis]} by 1 {{
  %zero = arith.constant 0.0 : f32
  %start = {"tensor.empty() : " + sums if work.half else ""}
  %f = linalg.fill ins(%zero : f32) outs({"%start" if work.half else "%y"} : {sums}) -> {sums}
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}
      ins(%x, %w : {x}, {w}) outs(%f : {sums}) {{
  ^bb0(%a: {element}, %b: {element}, %o: f32):
    {operands[1]}
    %p = arith.mulf {operands[0]} : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }} -> {sums}
"""
    if not work.half:
        return text.replace("  %start = \n", "") + f"  plan.yield %r : {y}\n}}\n"
    same = "affine_map<(" + ", ".join("abcd"[:len(work.shapes[2])]) + ") -> (" + ", ".join("abcd"[:len(work.shapes[2])]) + ")>"
    parallel = ", ".join(['"parallel"'] * len(work.shapes[2]))
    return text + f"""  %t = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = [{parallel}]}}
      ins(%r : {sums}) outs(%y : {y}) {{
  ^bb0(%a: f32, %o: f16):
    %c = arith.truncf %a : f32 to f16
    linalg.yield %c : f16
  }} -> {y}
  plan.yield %t : {y}
}}
"""


# Here: compile --------------------------------------------------------------------------------------------------------


def compile_kernel(arguments, folder, number, work, tile=None):
    """One variant of a kernel as a row of the folder's list; None, with a word, where the tile does not fit it."""
    source, code = os.path.join(folder, "kernel.mlir"), f"{number}.spv"
    with open(source, "w", encoding="utf-8") as file:
        file.write(kernel_text(work))
    command = [os.path.join(arguments.bin, "nacre-kernel"), source, "--gpu", "--gpu-emit=binary", "--variant=0", "--describe",
               "-o", os.path.join(folder, code)]
    done = subprocess.run(command + ([f"--gpu-tile={tile}"] if tile else []), capture_output=True, text=True)
    os.remove(source)
    if done.returncode != 0 or not done.stderr.startswith("kernel 0:"):
        print(f"{work.name} {tile or ''}: {done.stderr.strip()}", file=sys.stderr)
        return None
    said = dict(part.rsplit(" ", 1) for part in done.stderr.split(": ", 1)[1].split(", bindings")[0].split(", "))
    extent = work.shapes[2][work.axis]
    return {"work": work.name, "tile": tile or "", "code": code, "groups": int(said["groups"]),
            "rows": -(-extent // int(said["unit extent"])), "extent": extent, "shared": int(said["shared"]),
            "bindings": [int(word) for word in done.stderr.rsplit("bindings", 1)[1].split()]}


def compile_all(arguments):
    os.makedirs(arguments.folder, exist_ok=True)
    tiles = {}
    for line in open(arguments.tiles, encoding="utf-8") if arguments.tiles else []:
        name, tile = line.strip().split("; ")
        tiles.setdefault(name, []).append(tile)
    rows = []
    for work in WORK:
        for tile in ([None] if not arguments.tiles else tiles.get(work.name, [])):
            row = compile_kernel(arguments, arguments.folder, len(rows), work, tile)
            if row:
                rows.append(row)
    with open(os.path.join(arguments.folder, "kernels.json"), "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)
    program = os.path.join(arguments.bin, "gpu_time")
    for needed in (program, os.path.abspath(__file__)):
        shutil.copy(needed, arguments.folder)
    print(f"{len(rows)} kernels in {arguments.folder}")


# There: run -----------------------------------------------------------------------------------------------------------


class Vulkan:
    """gpu_time, which obeys one command a line."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        shared, self.device = self.answer().split(" ", 1)
        self.shared_bytes = int(shared)

    def answer(self):
        line = self.process.stdout.readline().strip()
        if not line.startswith("ok"):
            raise RuntimeError(line or "gpu_time has ended")
        return line[3:]

    def __call__(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.answer()


class Torch:
    """The same work by PyTorch: its operands, the result in double precision, and graphs of many calls."""

    def __init__(self, work):
        import torch
        self.torch = torch
        torch.backends.cudnn.benchmark = True
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        torch.manual_seed(1)
        kind = torch.float16 if work.half else torch.float32
        self.convolution = isinstance(work, Convolution)
        x, w = (torch.rand(shape, device="cuda") * 2 - 1 for shape in work.shapes[:2])
        if self.convolution:  # The border of the storage is zero.
            inner = x[:, 1:-1, 1:-1].clone()
            x.zero_()[:, 1:-1, 1:-1] = inner
        self.x, self.w = x.to(kind), w.to(kind)

    def operands(self):
        return [operand.cpu().numpy() for operand in (self.x, self.w)]

    def _parts(self):
        return self.x[:, 1:-1, 1:-1].permute(0, 3, 1, 2), self.w.permute(3, 2, 0, 1)

    def expected(self):
        if not self.convolution:
            return self.x.double() @ self.w.double()
        x, w = self._parts()
        return self.torch.nn.functional.conv2d(x.double(), w.double(), padding=1).permute(0, 2, 3, 1)

    def error(self, file):
        import numpy
        is_, must = numpy.fromfile(file, dtype=self.operands()[0].dtype), self.expected().flatten()
        got = self.torch.from_numpy(is_).cuda().double()
        return float((got - must).norm() / must.norm())

    def graphs(self, seconds):
        """Each way to compute it, as a function that gives the ms a call takes."""
        torch = self.torch
        if not self.convolution:
            out = torch.empty(self.x.shape[0], self.w.shape[1], device="cuda", dtype=self.x.dtype)
            return {"": self._timer(lambda: torch.mm(self.x, self.w, out=out), seconds)}

        def of(form):
            x, w = (part.contiguous(memory_format=form) for part in self._parts())
            return self._timer(lambda: torch.nn.functional.conv2d(x, w, padding=1), seconds)
        return {"NHWC": of(torch.channels_last), "NCHW": of(torch.contiguous_format)}

    def _timer(self, call, seconds):
        torch = self.torch
        stream, start, end = torch.cuda.Stream(), torch.cuda.Event(True), torch.cuda.Event(True)
        with torch.cuda.stream(stream), torch.no_grad():
            for _ in range(5):
                call()
            start.record(stream)
            call()
            call()
            end.record(stream)
            stream.synchronize()
            count = int(max(1, min(500, seconds * 2e3 / max(start.elapsed_time(end), 1e-3))))
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                for _ in range(count):
                    call()

        def run(_operands=call):  # Which a graph does not keep.
            with torch.cuda.stream(stream):
                graph.replay()
                start.record(stream)
                graph.replay()
                end.record(stream)
                stream.synchronize()
            return start.elapsed_time(end) / count
        return run


def measure(vulkan, folder, work, rows, rounds, seconds, scratch):
    torch = Torch(work)
    for number, operand in enumerate(torch.operands()):
        file = os.path.join(scratch, "operand")
        operand.tofile(file)
        vulkan("data", number, file)
    width = 2 if work.half else 4
    elements = 1
    for size in work.shapes[2]:
        elements *= size
    ways = torch.graphs(seconds)
    times = {("torch", way): [] for way in ways}
    errors, made = {}, {}
    for row in rows:
        code = row["code"]
        if row["shared"] > vulkan.shared_bytes:
            print(f"{work.name} {row['tile']}: needs {row['shared']} bytes of shared memory", file=sys.stderr, flush=True)
            continue
        made[code] = float(vulkan("kernel", code, os.path.join(folder, code), row["groups"], row["rows"], row["extent"],
                                  *row["bindings"]))
        result = os.path.join(scratch, "result")
        vulkan("run", code, 2, elements * width, result)
        errors[code] = torch.error(result)
        times[code] = []
    for _ in range(rounds):
        for key, list_ in times.items():
            list_.append(ways[key[1]]() if isinstance(key, tuple) else float(vulkan("time", key, seconds)))
    rate = {key: work.flops / statistics.median(list_) * 1e-9 for key, list_ in times.items()}
    rival = max(value for key, value in rate.items() if isinstance(key, tuple))
    return rate, rival, errors, made


def run_all(arguments):
    rows = json.load(open(os.path.join(arguments.folder, "kernels.json"), encoding="utf-8"))
    vulkan = Vulkan(os.path.join(arguments.folder, "gpu_time"))
    wanted = [work for work in WORK if any(row["work"] == work.name for row in rows)]

    def bytes_of(work, operand):
        count = 2 if work.half else 4
        for size in work.shapes[operand]:
            count *= size
        return count
    vulkan("place", *(max(bytes_of(work, operand) for work in wanted) for operand in range(3)))
    print(f"{vulkan.device}; {arguments.rounds} rounds\n\n| work | Nacre | PyTorch | ratio |\n|---|--:|--:|--:|", flush=True)
    wrong = False
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        for work in wanted:
            mine = [row for row in rows if row["work"] == work.name]
            rate, rival, errors, made = measure(vulkan, arguments.folder, work, mine, arguments.rounds, arguments.seconds, scratch)
            for row in sorted((row for row in mine if row["code"] in errors), key=lambda row: -rate[row["code"]]):
                ours, error = rate[row["code"]], errors[row["code"]]
                bad = not error < (2e-3 if work.half else 1e-5)
                wrong |= bad
                print(f"| {work.name}{' ' + row['tile'] if row['tile'] else ''} | {ours:.1f} | {rival:.1f} | {ours / rival:.2f} |" +
                      (f" error {error:.1e}" if bad else "") + (f" pipeline {made[row['code']]:.0f} ms" if row["tile"] else ""),
                      flush=True)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    compiling = commands.add_parser("compile", help="compile the kernels into a folder")
    compiling.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"), help="folder of nacre-kernel and gpu_time")
    compiling.add_argument("--tiles", help="file of lines 'work; tile': these tiles, as nacre-kernel --gpu-tile has them, instead "
                                           "of the tables' choice")
    running = commands.add_parser("run", help="check and time the kernels of a folder")
    running.add_argument("--rounds", type=int, default=7)
    running.add_argument("--seconds", type=float, default=0.05, help="of each measurement (default: 0.05)")
    for command in (compiling, running):
        command.add_argument("folder")
    arguments = parser.parse_args()
    return compile_all(arguments) if arguments.command == "compile" else run_all(arguments)


if __name__ == "__main__":
    sys.exit(main())
