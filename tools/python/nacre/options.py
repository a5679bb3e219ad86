# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of nacre-compile. tools/dev/python_options.py writes this file from nacre-compile --help; do not edit it."""
from __future__ import annotations

import os
from typing import Any, Literal, Mapping, Sequence, TypedDict, Union

#: The path of a file or folder.
Path = Union[str, "os.PathLike[str]"]


class CompileOptions(TypedDict, total=False):
    """The options of nacre-compile as keywords of compile() and from_torch(); False omits an option without a value."""

    # Input
    shape: Union[Mapping[str, Union[str, Sequence[int], Sequence[Sequence[int]]]], str, Sequence[str]]
    """Shape of an input: sizes that the model leaves open, or another batch (input=scalar: no axes); repeatable. 'input=1x{16,64}' makes an entry for each shape (see SHAPES in nacre-compile --help)"""
    set: Union[Mapping[str, Any], str, Sequence[str]]
    """Value of an input that decides a shape: numbers, .npy or TensorProto .pb; repeatable"""
    bound: Union[Mapping[str, int], str, Sequence[str]]
    """Largest value of a tensor that decides a size in each run; repeatable (see BOUNDS in nacre-compile --help)"""
    preprocess: Union[str, Sequence[str]]
    """Input that takes the pixels of a picture, which the model scales (see PIXELS in nacre-compile --help); repeatable"""
    signature: Union[str, Sequence[str]]
    """Function of a saved model; several become entries; repeatable (default: serving_default, or the only one)"""
    tag: str
    """Graph of a saved model (default: serve, or the only one)"""
    checkpoint: Path
    """TensorFlow checkpoint with the values of variables (default: next to the model)"""
    weights: Path
    """Weights of a Caffe network, or folder of a CNNdroid network's parameters (default: next to it)"""
    random_weights: int
    """Draw missing weights of a Caffe network from this seed, to measure its speed"""
    input: Union[str, Sequence[str]]
    """Use this tensor as an input; repeatable (default: the model's inputs)"""
    output: Union[str, Sequence[str]]
    """Compute this tensor; repeatable (default: the model's outputs)"""
    state: Union[Mapping[str, str], str, Sequence[str]]
    """Keep this input in the library and update it from that output; repeatable"""
    seed: int
    """Seed of random nodes that have none; every run draws the same (default: 0)"""

    # Target
    for_: Literal["phone", "board", "desktop"]
    """Preset that sets several options; explicit options win (see PRESETS)"""
    cpu: Union[str, Sequence[str]]
    """CPUs by LLVM's names, or phones' chips (list prints them), a variant for each (default: native on the host, else the baseline)"""
    place: str
    """cpu, gpu (CPU only where no GPU code exists), split:N (N % of each kernel on the GPU) or auto (fastest on --device); entry=cpu leaves an entry to the CPU (default: cpu)"""
    entry_weight: Union[Mapping[str, float], str, Sequence[str]]
    """Factor of an entry's time when plans and layouts of weights are compared; repeatable (default: 1)"""
    device: Path
    """Profile for --place=auto and predicted times; list prints them (default: the chip of --cpu)"""
    cpu_precision: Literal["fp32", "fp16", "bf16"]
    """Storage type of values and weights on the CPU, which multiplies this type, too (default: fp32)"""
    gpu_precision: Literal["fp32", "fp16"]
    """Storage type of values and weights on the GPU; sums stay fp32 (default: fp32)"""
    accuracy: Literal["fast", "strict"]
    """fast: Winograd convolutions, within 2e-4 of the largest output; strict: within 1e-5 (default: fast)"""
    weight_type: Literal["fp32", "fp16", "bf16"]
    """Storage type of weights in memory-bound layers; arithmetic stays fp32 (default: fp32)"""
    memory_cap: int
    """Limit the memory of a session of one thread and its weights (default: as the model states)"""

    # Output
    name: str
    """Model name; the library exports nacre_model_<name> (default: the output's stem without 'lib')"""
    weights_in: Literal["library", "file"]
    """file: write weights to lib<model>.weights, which apps can update separately (default: library)"""
    keep: Union[str, Sequence[str]]
    """Also output intermediate tensors, all or those listed, for nacre-diff; slower and larger"""

    # Training
    train: bool
    """Add the entries train and evaluate, which share main's weights as state"""
    loss: Union[Mapping[str, str], str, Sequence[str]]
    """Loss to minimize (see LOSSES); repeatable, losses are added (default: the model's own)"""
    train_op: str
    """Node of a TensorFlow graph that runs a step, and its loss (default: the only one)"""
    optimizer: str
    """Update rule and its constants (see OPTIMIZERS) (default: sgd)"""
    trainable: Union[str, Sequence[str]]
    """Weights to train, by their names, with * and ? (default: *)"""
    frozen: Union[str, Sequence[str]]
    """Weights to leave as they are; wins over --trainable"""
    train_batch: int
    """Batch size of train and evaluate (default: the model's)"""
    batch_axis: Union[Mapping[str, Union[int, str]], str, Sequence[str]]
    """Batch axis of an input, if it is not 0; repeatable"""
    micro_batch: Union[int, str]
    """Add the gradients of parts of N examples to save memory (default: auto, as --memory-cap requires)"""
    clip: str
    """Clip gradients by global norm or per element"""
    dropout: Union[Mapping[str, float], str, Sequence[str]]
    """Drop this share of a tensor's elements in train; repeatable"""
    batch_norm: Literal["train", "frozen"]
    """train: normalize by the batch and update statistics; frozen: use stored statistics (default: train)"""
    accumulate: bool
    """Add the entry accumulate: it adds gradients, the next step takes their mean"""
    entries: Union[str, Sequence[str]]
    """main, train, evaluate, gradients or accumulate; entries to compile (default: the first three)"""

    # Diagnostics
    advice: Literal["on", "off"]
    """Suggest changes to the model or options that would save at least 5 % (default: on)"""
    time_trace: Union[bool, Path]
    """Write a Chrome trace of the compiler's time (default: <output>.time-trace.json)"""
    max_constant: int
    """Largest constant that folding may create (default: 1024)"""
    jobs: int
    """Compiler threads (default: all cores)"""
    kernel_cache: Literal["folder", "off"]
    """Keep the code of kernels for later compilations there (default: nacre/kernels in the user's cache folder; NACRE_CACHE names another one)"""


#: Options with a value per tensor, and the sign between both.
PAIRS = {"shape": "=", "set": "=", "bound": "=", "state": ":", "entry-weight": "=", "loss": ":", "batch-axis": ":", "dropout": ":"}
#: Options whose values are separated by commas.
COMMAS = {"cpu", "keep", "trainable", "frozen", "entries"}
#: Options that compile() sets itself.
OURS = {"o", "quiet", "report", "target", "help", "version", "j"}
#: Options that make no library.
NO_LIBRARY = {"check", "compile-to", "emit", "list-operators", "list-weights"}
