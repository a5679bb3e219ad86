#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the files that a page of the documentation takes as examples: small networks with seeded weights, and inputs for them.

usage: make_examples.py PAGE     writes into the current folder, and prints the names; without a page, it prints all pages and their files
"""
import random
import sys
from array import array

from onnx_writer import INT64, UINT8, Graph, tensor, write_npy

# --- Networks -----------------------------------------------------------------------------------------------------------


def classifier(name="model", inner=None):
    """Two convolutions and a dense layer: image in, prob out. `inner` names the tensor between the layers."""
    graph = Graph(name, seed=7)
    x = graph.node("Conv", [graph.input("image", [1, 3, 32, 32]), graph.kernel("stem.weight", [16, 3, 3, 3])], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    x = graph.node("Conv", [graph.node("Relu", [x]), graph.kernel("body.weight", [32, 16, 3, 3])], kernel_shape=[3, 3], pads=[1] * 4)
    x = graph.node("Flatten", [graph.node("GlobalAveragePool", [graph.node("Relu", [x])])], output=inner)
    x = graph.node("Gemm", [x, graph.weight("head.weight", [10, 32], -0.4, 0.4)], transB=1)
    graph.node("Softmax", [x], output="prob")
    graph.output("prob", [1, 10])
    return graph


def encoder():
    """The half of a classifier that makes features of an image."""
    graph = Graph("encoder", seed=3)
    x = graph.node("Conv", [graph.input("image", [1, 3, 32, 32]), graph.kernel("w", [16, 3, 3, 3])], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    graph.node("Flatten", [graph.node("GlobalAveragePool", [graph.node("Relu", [x])])], output="features")
    graph.output("features", [1, 16])
    return graph


def head():
    """The half that makes probabilities of features."""
    graph = Graph("head", seed=4)
    x = graph.node("Gemm", [graph.input("features", [1, 16]), graph.weight("w", [10, 16], -0.5, 0.5)], transB=1)
    graph.node("Softmax", [x], output="prob")
    graph.output("prob", [1, 10])
    return graph


def upscaler():
    """Enough arithmetic per byte that a phone's GPU may pay: an image in, one of twice the size out."""
    graph = Graph("model", seed=6)
    x, channels, size = graph.input("image", [1, 1, 72, 72]), 1, 72
    for layer, out in enumerate((64, 64, 32, 4)):
        x = graph.node("Conv", [x, graph.kernel(f"w{layer}", [out, channels, 3, 3])], kernel_shape=[3, 3], pads=[1] * 4)
        x, channels = graph.node("Relu", [x]) if layer < 3 else x, out
    graph.node("DepthToSpace", [x], output="larger", blocksize=2)
    graph.output("larger", [1, 1, 2 * size, 2 * size])
    return graph


def open_batch():
    """Convolutions, and a wide dense layer with most of the weights. The batch has a name only."""
    graph = Graph("model", seed=8)
    x, channels = graph.input("image", ["batch", 3, 96, 96]), 3
    for layer, out in enumerate((16, 32)):
        x = graph.node("Relu", [graph.node("Conv", [x, graph.kernel(f"conv{layer}.weight", [out, channels, 3, 3])], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)])
        channels = out
    x = graph.node("Flatten", [graph.node("MaxPool", [x], kernel_shape=[4, 4], strides=[4, 4])])
    x = graph.node("Relu", [graph.node("Gemm", [x, graph.kernel("fc1.weight", [512, 1152]), graph.weight("fc1.bias", [512], 0, 0)], transB=1)])
    graph.node("Gemm", [x, graph.kernel("fc2.weight", [10, 512]), graph.weight("fc2.bias", [10], 0, 0)], transB=1, output="logits")
    graph.output("logits", ["batch", 10])
    return graph


def dynamic():
    """A network with names instead of numbers for batch, height and width."""
    graph = Graph("dynamic", seed=3)
    x = graph.node("Conv", [graph.input("image", ["batch", 3, "height", "width"]), graph.kernel("weight", [8, 3, 3, 3])], kernel_shape=[3, 3], pads=[1] * 4)
    graph.node("Flatten", [graph.node("GlobalAveragePool", [graph.node("Relu", [x])])], output="features")
    graph.output("features", ["batch", 8])
    return graph


def reshape():
    """An input is the shape of the result."""
    graph = Graph("reshape")
    graph.node("Reshape", [graph.input("x", ["rows", 4]), graph.input("n", [2], INT64)], output="y")
    graph.output("y", ["a", "b"])
    return graph


def speech():
    """Each of three sounds becomes as many frames as its duration says."""
    graph = Graph("speech")
    sounds, durations = graph.input("sounds", [3, 16]), graph.input("durations", [3], INT64)
    ends = graph.node("CumSum", [durations, graph.count("axis", 0)])
    frames = graph.node("Gather", [ends, graph.count("last", -1)], output="frames")
    steps = graph.node("Range", [graph.count("start", 0), frames, graph.count("step", 1)])
    later = graph.node("Cast", [graph.node("Less", [steps, graph.node("Unsqueeze", [ends, graph.integers("column", [1])])])], to=INT64)
    sound = graph.node("Sub", [graph.count("three", 3), graph.node("ReduceSum", [later, graph.integers("rows", [0])], keepdims=0)])
    graph.node("Gather", [sounds, sound], output="spectrogram")
    graph.output("spectrogram", ["frames", 16])
    return graph


def fixed_batch():
    """A classifier whose shapes hold its batch of 1."""
    graph = Graph("fixed", seed=3)
    x = graph.node("Conv", [graph.input("image", [1, 3, 32, 32]), graph.kernel("weight", [8, 3, 3, 3])], kernel_shape=[3, 3], pads=[1] * 4)
    x = graph.node("Reshape", [graph.node("GlobalAveragePool", [x]), graph.integers("flat", [1, 8])])
    graph.node("Softmax", [x], output="prob")
    graph.output("prob", [1, 8])
    return graph


def cell():
    """A step with state: it goes in as h_in and comes out as h_out."""
    graph = Graph("cell")
    graph.node("Add", [graph.input("x", [4]), graph.input("h_in", [4])], output="h_out")
    graph.node("Tanh", ["h_out"], output="y")
    graph.output("y", [4])
    graph.output("h_out", [4])
    return graph


def spotter():
    """A network of a second of sound."""
    graph = Graph("spotter")
    graph.node("Relu", [graph.input("sound", [1, 16000])], output="y")
    graph.output("y", [1, 16000])
    return graph


def quantized():
    """Codes of 8 bits in and out."""
    graph = Graph("quantized")
    facts = [graph.constant("scale", [1], [0.0625]), graph.node("Constant", [], value=tensor([128], "B"))]
    real = graph.node("Relu", [graph.node("DequantizeLinear", [graph.input("x", [1, 3, 96, 96], UINT8), *facts])])
    graph.node("QuantizeLinear", [real, *facts], output="y")
    graph.output("y", [1, 3, 96, 96], UINT8)
    return graph


def digits():
    """A dense layer that learns three classes."""
    graph = Graph("digits", seed=5)
    x = graph.input("x", ["batch", 6])
    graph.node("Gemm", [x, graph.weight("w", [3, 6], -0.1, 0.1), graph.weight("b", [3], 0, 0)], transB=1, output="logits")
    graph.output("logits", ["batch", 3])
    return graph


def unsupported():
    """One node is of no operator that there is."""
    graph = Graph("unsupported")
    graph.node("Discombobulate", [graph.input("x", [1, 4])], output="y")
    graph.output("y", [1, 4])
    return graph


SIZE, ANCHOR, STRIDE = 128, 16, 8
BRIGHT = {(16, 24): 1.0, (80, 64): 0.75}  # Squares of the detector's picture, by their upper left corners.


def detector():
    """A detector of bright squares, which says of every place how bright it is; as old as many real ones."""
    graph = Graph("detector", opset=9)
    places = range(0, SIZE - ANCHOR + 1, STRIDE)
    count = len(places)**2
    pooled = graph.node("AveragePool", [graph.input("image", [1, 1, SIZE, SIZE])], kernel_shape=[ANCHOR] * 2, strides=[STRIDE] * 2)
    graph.node("Reshape", [pooled, graph.integers("rows", [1, count, 1])], output="scores")
    graph.node("Identity", [graph.constant("anchors", [1, count, 4], [float(v) for y in places for x in places for v in (y, x, y + ANCHOR, x + ANCHOR)])],
               output="boxes")
    graph.output("boxes", [1, count, 4])
    graph.output("scores", [1, count, 1])
    return graph


BANDS, WORDS = 40, ("silence", "yes", "no")


def keywords():
    """A step that remembers a fifth of the past: which third of the bands was loud."""
    graph = Graph("kws")
    loud = [float(band * 3 // BANDS == word) * 3 / BANDS for band in range(BANDS) for word in range(3)]
    heard = graph.node("MatMul", [graph.input("frame", [1, BANDS]), graph.constant("bands", [BANDS, 3], loud)])
    old = graph.node("Mul", [graph.input("h_in", [1, 3]), graph.constant("keep", [], [0.8])])
    graph.node("Add", [old, graph.node("Mul", [heard, graph.constant("take", [], [0.2])])], output="h_out")
    logits = graph.node("Add", [graph.node("Mul", ["h_out", graph.constant("sharp", [], [12])]), graph.constant("quiet", [1, 3], [5, 0, 0])])
    graph.node("Softmax", [logits], output="scores", axis=-1)
    graph.output("scores", [1, 3])
    graph.output("h_out", [1, 3])
    return graph


# --- Inputs -------------------------------------------------------------------------------------------------------------


def write_floats(path, values):
    with open(path, "wb") as file:
        file.write(array("f", values).tobytes())


def picture(*dims):
    """Writes pixels of random light."""
    def write(path):
        draw = random.Random(11)
        count = 1
        for dim in dims:
            count *= dim
        write_npy(path, list(dims), [draw.uniform(-1, 1) for _ in range(count)])
    return write


def bright_squares():
    pixels = [0.0] * SIZE**2
    for (y, x), light in BRIGHT.items():
        for row in range(y, y + ANCHOR):
            pixels[row * SIZE + x:row * SIZE + x + ANCHOR] = [light] * ANCHOR
    return pixels


def sound_of(word):
    """The bands of a frame."""
    return [float(WORDS[band * 3 // BANDS] == word and word != "silence") for band in range(BANDS)]


def frames():
    return [v for word, count in (("silence", 30), ("yes", 6), ("silence", 30), ("no", 6)) for _ in range(count) for v in sound_of(word)]


def saved(make, *arguments):
    return lambda path: make(*arguments).save(path)


PAGES = {
    "detector": {"detector.onnx": saved(detector), "picture.npy": lambda path: write_npy(path, [1, 1, SIZE, SIZE], bright_squares()),
                 "picture.f32": lambda path: write_floats(path, bright_squares())},
    "gpu-or-not": {"model.onnx": saved(upscaler)},
    "keyword-spotting": {"kws.onnx": saved(keywords), "frames.f32": lambda path: write_floats(path, frames()),
                         "yes.npy": lambda path: write_npy(path, [1, BANDS], sound_of("yes"))},
    "memory-budget": {"model.onnx": saved(open_batch)},
    "models": {"model.onnx": saved(classifier, "model", "features"), "cat.npy": picture(1, 3, 32, 32)},
    "pictures-and-sound": {"mobilenet.onnx": saved(classifier, "mobilenet"), "spotter.onnx": saved(spotter)},
    "python": {"dynamic.onnx": saved(dynamic), "quantized.onnx": saved(quantized), "cell.onnx": saved(cell), "digits.onnx": saved(digits), "unsupported.onnx": saved(unsupported)},
    "quantize": {"model.onnx": saved(classifier), "cat.npy": picture(1, 3, 32, 32), "calibration.npy": picture(20, 1, 3, 32, 32)},
    "runtime": {"cell.onnx": saved(cell), "step1.npy": lambda path: write_npy(path, [4], [1] * 4), "step2.npy": lambda path: write_npy(path, [4], [2] * 4)},
    "shapes": {"dynamic.onnx": saved(dynamic), "fixed.onnx": saved(fixed_batch), "reshape.onnx": saved(reshape), "speech.onnx": saved(speech)},
    "two-models": {"encoder.onnx": saved(encoder), "head.onnx": saved(head)},
}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in PAGES:
        sys.exit(__doc__ + "\n" + "\n".join(f"{page}: {', '.join(files)}" for page, files in PAGES.items()))
    for name, write in PAGES[sys.argv[1]].items():
        write(name)
        print(name)


if __name__ == "__main__":
    main()
