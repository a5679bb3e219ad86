#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares each quantized layer of the 8-bit models with ONNX Runtime's, both fed the same codes; exits with 1 if one differs too much.

What: of each tensor that a model quantizes, how many codes differ, and by how many steps at most. Limits: 1 step, 0.1 % of the codes.
Why:  a whole model says little of a layer: one step early is many steps late, also between ONNX Runtime's own two readings of a file.
How:  ONNX Runtime runs the model with each quantized tensor as an output. In our copy each such tensor is an output, too, and what
      reads it reads an input instead, which gets ONNX Runtime's codes. One library then computes all layers side by side.
      --chain leaves the layers in sequence: then each tensor of ours must be as near to ONNX Runtime's integers as its own floats are.
"""
import argparse
import os
import sys

import rivals

try:
    import numpy as np
    import onnx
    from onnx import helper, numpy_helper
except ImportError as missing:
    if not {"--help", "-h"}.intersection(sys.argv):  # which needs neither
        sys.exit(f"{missing}: install python3-onnx and python3-numpy, and run with that Python")

STEPS, SHARE = 1, 1e-3
MARGIN = 1  # dB


def quantizers(model):
    """The nodes QuantizeLinear, and the element type of what each writes."""
    types = {tensor.name: tensor.data_type for tensor in model.graph.initializer}
    nodes = [node for node in model.graph.node if node.op_type == "QuantizeLinear"]
    return [(node, types[node.input[2]] if len(node.input) > 2 else onnx.TensorProto.UINT8) for node in nodes]


def taps(model, work, level=99):
    """{tensor: ONNX Runtime's codes} of each quantized tensor; at level 0 it computes in floats, as written."""
    copy = onnx.load(model.path)
    found = quantizers(copy)
    del copy.graph.output[:]
    copy.graph.output.extend(helper.make_tensor_value_info(node.output[0], element, None) for node, element in found)
    path = os.path.join(work, "taps.onnx")
    onnx.save(copy, path)
    rivals.call(model.program("ort_run"), "--lib", rivals.ort_library("x64"), "--threads", 1, "--warmup", 0, "--runs", 1, "--level", level,
                "--data", model.io, "--dump", work, path)
    kinds = {onnx.TensorProto.INT8: np.int8, onnx.TensorProto.UINT8: np.uint8}
    return {node.output[0]: np.load(os.path.join(work, f"output_{n}.npy")).view(kinds[element]) for n, (node, element) in enumerate(found)}


def element_of(codes):
    return onnx.TensorProto.INT8 if codes.dtype == np.int8 else onnx.TensorProto.UINT8


def with_taps(path, codes):
    """The model with each quantized tensor as an output."""
    model = onnx.load(path)
    outputs = {output.name for output in model.graph.output}
    model.graph.output.extend(helper.make_tensor_value_info(name, element_of(array), array.shape) for name, array in codes.items() if name not in outputs)
    return model


def without_sequence(path, codes):
    """The model in which also what reads a quantized tensor reads an input of its own."""
    model = with_taps(path, codes)
    for node in model.graph.node:
        for at, name in enumerate(node.input):
            if name in codes:
                node.input[at] = name + "_fed"
    model.graph.input.extend(helper.make_tensor_value_info(name + "_fed", element_of(array), array.shape) for name, array in codes.items())
    return model


def layer_of(model, quantizer):
    """The operators between a quantized tensor and those that it is computed from."""
    producers = {name: node for node in model.graph.node for name in node.output}
    found, open_names = [], [quantizer.input[0]]
    while open_names:
        node = producers.get(open_names.pop())
        if node is None or node.op_type in ("QuantizeLinear", "DequantizeLinear") or node.op_type in found:
            continue
        found.append(node.op_type)
        open_names.extend(node.input)
    return " ".join(reversed(found)) or "the input"


def run_ours(model, graph, work, inputs, arguments):
    """Compiles `graph` and leaves its outputs in `work`."""
    path, library = os.path.join(work, "layers.onnx"), os.path.join(work, "liblayers.so")
    onnx.save(graph, path)
    options = [f"--cpu={arguments.cpu}"] if arguments.cpu else []
    rivals.call(model.program("nacre-compile"), path, "-o", library, "--quiet", f"--target={arguments.target}", *options)
    runner = ["qemu-aarch64", "-L", rivals.ARM64_SYSROOT, "-cpu", arguments.machine, model.program("nacre-run-arm64")] if "arm64" in arguments.target else \
        [model.program("nacre-run")]
    rivals.call(*runner, library, *model.inputs, *inputs, f"--output={work}")


def compare_chain(model, arguments):
    """Prints how near ours and ONNX Runtime's two readings are to each other where they are furthest; whether ours is as near as those."""
    work = os.path.join(model.work, "chain")
    os.makedirs(work, exist_ok=True)
    fused, written = taps(model, work), taps(model, work, level=0)
    graph = with_taps(model.path, fused)
    run_ours(model, graph, work, [], arguments)
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.graph.initializer}
    margins = []
    for node, _ in quantizers(graph):
        name, zero = node.output[0], int(constants[node.input[2]])
        ours, theirs, other = (codes.astype(float).ravel() - zero for codes in (np.load(os.path.join(work, name.replace("/", "_") + ".npy")), fused[name], written[name]))
        near, between = rivals.signal_to_noise(theirs, ours), rivals.signal_to_noise(theirs, other)
        if arguments.all:
            print(f"  {name}: {near:.1f} dB to ONNX Runtime's integers, whose floats are {between:.1f} dB from them")
        if near < between:
            margins.append((near - between, name, near, between))
    worst = min(margins, default=(0, "", 0, 0))
    print(f"{model.name}: {len(fused) - len(margins)} of {len(fused)} tensors are at least as near to ONNX Runtime's integers as its floats" +
          (f"; furthest {worst[1]}, {worst[2]:.1f} dB for {worst[3]:.1f}" if margins else ""), flush=True)
    return worst[0] >= -MARGIN


def compare(model, arguments):
    """Prints each layer that differs, and a line for the model; whether all are within the limits."""
    work = os.path.join(model.work, "layers")
    os.makedirs(work, exist_ok=True)
    codes = taps(model, work)
    cut = without_sequence(model.path, codes)
    for name, array in codes.items():
        np.save(os.path.join(work, f"{name.replace('/', '_')}_fed.npy"), np.ascontiguousarray(array))
    run_ours(model, cut, work, [f"--input={name}_fed={work}/{name.replace('/', '_')}_fed.npy" for name in codes], arguments)
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in cut.graph.initializer}
    total = differing = most = exact = 0
    is_within = True
    for node, _ in quantizers(cut):
        name = node.output[0]
        steps = np.abs(np.load(os.path.join(work, name.replace("/", "_") + ".npy")).astype(int) - codes[name].astype(int))
        count, largest = int((steps > 0).sum()), int(steps.max(initial=0))
        total, differing, most, exact = total + steps.size, differing + count, max(most, largest), exact + (count == 0)
        is_far = largest > STEPS or count > max(1, SHARE * steps.size)
        is_within = is_within and not is_far
        if is_far or arguments.all:
            print(f"  {name} ({layer_of(cut, node)}, scale {constants[node.input[1]]:.4g}): {count} of {steps.size} differ, by {largest} at most"
                  f"{' TOO FAR' * is_far}")
    print(f"{model.name}: {len(codes)} layers, {exact} equal; {differing} of {total} codes differ, by {most} at most", flush=True)
    return is_within


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    rivals.add_arguments(parser)
    parser.set_defaults(models=",".join(rivals.INT8_SNR))
    parser.add_argument("--target", default="host", help="host, linux-x86_64, or linux-arm64 under qemu")
    parser.add_argument("--cpu", default="", help="compile for this CPU instead of the target's default")
    parser.add_argument("--machine", default="max", help="qemu's core for arm64")
    parser.add_argument("--chain", action="store_true", help="run the layers one after the other, and compare with ONNX Runtime's two readings")
    parser.add_argument("--all", action="store_true", help="print every layer")
    arguments = parser.parse_args()
    try:
        verdicts = [(compare_chain if arguments.chain else compare)(model, arguments) for model in rivals.selected(arguments)]
    except rivals.Failure as failure:
        sys.exit(str(failure))
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
