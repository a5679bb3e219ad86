# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Implements the interface of onnx.backend: prepare, run_model, run_node, supports_device. Needs python3-onnx.

    import nacre.onnx_backend as backend
    outputs = backend.run_model(onnx.load("model.onnx"), [x])

A library has static shapes, and values that decide a shape are fixed at compile time. If a model leaves them open, its first run
compiles it for the given inputs, and a run with inputs of other shapes compiles it again. By default, accuracy="strict".
"""
from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import onnx  # type: ignore[import]
import onnx.helper  # type: ignore[import]
from onnx.backend.base import Backend, BackendRep, namedtupledict  # type: ignore[import]

from .compiler import compile as compile_model
from .errors import CompileError
from .model import Model
from .session import Session
from .tensors import Array, DType, TensorInfo, from_bfloat16, to_bfloat16

_OPEN_INPUT = re.compile(r"--(?:set|shape)[ =]'?([^=\s']+)=")


class NacreRep(BackendRep):  # type: ignore[misc]
    """A model that is ready to run with any inputs."""

    def __init__(self, model: onnx.ModelProto, options: Dict[str, Any]) -> None:
        self._model = model
        self._options: Dict[str, Any] = {"accuracy": "strict", **options}
        weights = {tensor.name for tensor in model.graph.initializer}
        self._all_inputs = [value.name for value in model.graph.input]
        self._free_inputs = [name for name in self._all_inputs if name not in weights]
        self._outputs = [value.name for value in model.graph.output]
        self._open_shapes = {value.name for value in model.graph.input if _is_open(value) and value.name not in weights}
        self._fixed: List[str] = []  # Inputs that decide shapes.
        self._compiled: Dict[Any, Tuple[Model, Session]] = {}
        if not self._open_shapes:
            try:
                self._prepared({})
            except CompileError as error:
                if not _asked(error, self._free_inputs):
                    raise

    def run(self, inputs: Any, **kwargs: Any) -> Tuple[Any, ...]:
        """Returns the outputs for inputs in the order of the graph or by name."""
        given = self._named(inputs)
        model, session = self._prepared(given)
        feeds = {}
        for info in model.inputs:
            if info.name in given:
                array = _stored(given[info.name], info)
                # A model may declare another shape for an unused input.
                feeds[info.name] = array if array.shape == info.array_shape else np.zeros(info.array_shape, info.dtype)
        answers = session.run(feeds)
        told = {info.name: _read(answers[info.name], info) for info in model.outputs}
        outputs: Tuple[Any, ...] = namedtupledict("Outputs", self._outputs)(*(told[name] for name in self._outputs))
        return outputs

    def _named(self, inputs: Any) -> Dict[str, Array]:
        if isinstance(inputs, Mapping):
            pairs = dict(inputs)
        else:
            listed = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
            names = self._free_inputs if len(listed) <= len(self._free_inputs) else self._all_inputs
            if len(listed) > len(names):
                raise ValueError(f"the model has {len(names)} inputs, but {len(listed)} are given")
            pairs = dict(zip(names, listed))
        for name, value in pairs.items():
            if isinstance(value, (list, tuple)):
                raise TypeError(f"input '{name}' must be a tensor, but is a sequence; compiled models accept and return only tensors")
        return {name: np.asarray(value) for name, value in pairs.items() if value is not None}

    def _prepared(self, given: Dict[str, Array]) -> Tuple[Model, Session]:
        """Compiles the model for these inputs, and fixes those that the compiler asks to fix."""
        while True:
            key = (tuple(sorted((name, given[name].shape) for name in self._open_shapes if name in given)),
                   tuple((name, given[name].tobytes()) for name in self._fixed))
            if key in self._compiled:
                return self._compiled[key]
            shapes = {name: given[name].shape for name in sorted(self._open_shapes) if name in given}
            values = {name: given[name] for name in self._fixed}
            try:
                model = compile_model(self._model, shape=shapes, set=values, **self._options)
                self._compiled[key] = model, model.session()
            except CompileError as error:
                asked = _asked(error, [name for name in given if name not in self._fixed])
                if not asked:
                    raise
                self._fixed.append(asked)


class NacreBackend(Backend):  # type: ignore[misc]
    """Implements ONNX's backend interface; keywords are options of nacre.compile."""

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> NacreRep:
        """Compiles the model; raises CompileError if that fails."""
        if not cls.supports_device(device):
            raise ValueError(f"device must be CPU, but is {device}; for a GPU use place='gpu'")
        return NacreRep(model, kwargs)

    @classmethod
    def run_node(cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU",
                 outputs_info: Optional[Sequence[Tuple[DType, Tuple[int, ...]]]] = None, **kwargs: Any) -> Tuple[Any, ...]:
        """Compiles a model with only this node for these inputs, and runs it. opset_version is its operator set."""
        opset = kwargs.pop("opset_version", onnx.defs.onnx_opset_version())
        names = [name for name in node.input if name]
        listed = [np.asarray(value) for value in (inputs.values() if isinstance(inputs, Mapping) else inputs)]
        if len(listed) != len(names):
            raise ValueError(f"the node has {len(names)} inputs, but {len(listed)} are given")
        values = [onnx.helper.make_tensor_value_info(name, _element_type(array.dtype), array.shape) for name, array in zip(names, listed)]
        results = [name for name in node.output if name]
        if outputs_info is None:
            told = [onnx.helper.make_empty_tensor_value_info(name) for name in results]
        else:
            told = [onnx.helper.make_tensor_value_info(name, _element_type(dtype), shape)
                    for name, (dtype, shape) in zip(results, outputs_info)]
        graph = onnx.helper.make_graph([node], "node", values, told)
        domains = {"": opset, **({node.domain: kwargs.pop("domain_version", 1)} if node.domain else {})}
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid(*pair) for pair in domains.items()])
        return cls.prepare(model, device, **kwargs).run(listed)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Returns whether the device is the CPU. A GPU is not a separate device; it takes part if `place` is given."""
        return device.split(":")[0] == "CPU"


def _is_open(value: onnx.ValueInfoProto) -> bool:
    """Returns whether the model leaves the shape of a tensor open."""
    kind = value.type.optional_type.elem_type if value.type.HasField("optional_type") else value.type
    if not kind.HasField("tensor_type"):
        return False
    return not kind.tensor_type.HasField("shape") or any(not dim.HasField("dim_value") for dim in kind.tensor_type.shape.dim)


def _element_type(dtype: Any) -> int:
    if hasattr(onnx.helper, "np_dtype_to_tensor_dtype"):
        return int(onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
    return int(onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[np.dtype(dtype)])  # Before ONNX 1.13.


def _asked(error: CompileError, names: Sequence[str]) -> Optional[str]:
    """Returns the inputs that the compiler asks to fix."""
    return next((name for name in _OPEN_INPUT.findall(error.output) if name in names), None)


def _stored(array: Array, info: TensorInfo) -> Array:
    """Converts a tensor to an array; python3-onnx reads bfloat16 as float32."""
    return to_bfloat16(array) if info.type == "bf16" and array.dtype == np.float32 else array


def _read(array: Array, info: TensorInfo) -> Array:
    return from_bfloat16(array) if info.type == "bf16" else array


is_compatible = NacreBackend.is_compatible
prepare = NacreBackend.prepare
run_model = NacreBackend.run_model
run_node = NacreBackend.run_node
supports_device = NacreBackend.supports_device
