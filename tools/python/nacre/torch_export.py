# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles PyTorch modules through torch.onnx. PyTorch is imported only when needed."""
from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import tempfile
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence

from .compiler import CompileKeywords
from .compiler import compile as compile_model
from .model import Model

if TYPE_CHECKING:
    from typing_extensions import Unpack


def from_torch(module: Any, example_inputs: Any, *, input_names: Optional[Sequence[str]] = None,
               output_names: Optional[Sequence[str]] = None, export: Optional[Dict[str, Any]] = None, **options: Unpack[CompileKeywords]) -> Model:
    """Compiles a PyTorch module.

    `example_inputs` is a tensor or a tuple of tensors: `forward` is traced with it, and the model gets its shapes. By default,
    inputs are named after the parameters of `forward`, and outputs "output", or "output_0" and so on. `export` is passed to
    torch.onnx.export; other keywords are those of compile(). With train=True, torch.onnx folds nothing, so that weights keep
    their names.

        model = nacre.from_torch(torchvision.models.resnet18(), torch.zeros(1, 3, 224, 224))
        model.run(image)["output"]
    """
    try:
        torch = importlib.import_module("torch")  # mypy would read all of it
    except ImportError:
        raise ImportError("from_torch needs PyTorch (package torch of PyPI, python3-torch of Debian); or export the module to ONNX "
                          "elsewhere, and pass the file to nacre.compile") from None
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"module must be a torch.nn.Module, but is a {type(module).__name__}")
    examples = (example_inputs,) if isinstance(example_inputs, torch.Tensor) else tuple(example_inputs)
    inputs = list(input_names) if input_names else _parameters(module, len(examples))
    outputs = list(output_names) if output_names else _outputs(torch, module, examples)
    arguments: Dict[str, Any] = {"input_names": inputs, "output_names": outputs}
    if options.get("train"):
        arguments.update(training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
        if "dynamo" in inspect.signature(torch.onnx.export).parameters:
            arguments["dynamo"] = False  # the newer exporter ignores both
    arguments.update(export or {})
    name = "".join(letter if letter.isalnum() else "_" for letter in type(module).__name__.lower())
    with tempfile.TemporaryDirectory(prefix="nacre-") as folder:
        path = os.path.join(folder, f"{name}.onnx")
        with contextlib.nullcontext() if options.get("train") else _evaluating(module):
            torch.onnx.export(module, examples, path, **arguments)
        return compile_model(path, **options)


def _parameters(module: Any, count: int) -> List[str]:
    """Returns the names of the first parameters of `forward`; arguments in *args get its name and a number."""
    named, gathered = [], "input"
    for parameter in inspect.signature(module.forward).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            gathered = parameter.name
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            named.append(parameter.name)
    return (named + [f"{gathered}_{number}" for number in range(count)])[:count]


@contextlib.contextmanager
def _evaluating(module: Any) -> Iterator[None]:
    """Switches to evaluation mode. Exporters since PyTorch 2.9 export a module in the mode that it is in."""
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, training in modes:
            part.training = training


def _outputs(torch: Any, module: Any, examples: Any) -> List[str]:
    with _evaluating(module), torch.no_grad():
        answer = module(*examples)
    count = len(answer) if isinstance(answer, (list, tuple, dict)) else 1
    return ["output"] if count == 1 else [f"output_{number}" for number in range(count)]
