# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loss, accuracy and metrics over many runs, as nacre-run computes them: the class of an output is its largest number."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .examples import Batch, EntryInputs
from .tensors import Array, TensorInfo

#: Functions of labels and outputs, in the order of scikit-learn and Keras: metric(y_true, y_pred).
Metrics = Mapping[str, Callable[[Any, Any], float]]

_FIGURES = ("loss", "gradient_norm")
#: The output that counts steps whose gradients overflowed, of models that train in fp16, and the state's counter.
SKIPPED, SKIPPED_COUNTER = "skipped_steps", "#loss_scale#skipped"


def class_axis(output: Sequence[int], label: Sequence[int]) -> Optional[int]:
    """Returns the axis without which the shape of an output is that of the labels: the one that nacre-compile takes for classes, or the
    last that fits.

    >>> class_axis((32, 10), (32,)), class_axis((2, 10, 4, 4), (2, 4, 4)), class_axis((32, 10), (16,))
    (1, 1, None)
    """
    if len(output) != len(label) + 1:
        return None
    fitting_axes = [axis for axis in range(len(output)) if (*output[:axis], *output[axis + 1:]) == tuple(label)]
    return 1 if len(output) > 3 and 1 in fitting_axes else fitting_axes[-1] if fitting_axes else None


def find_classes(inputs: EntryInputs, outputs: Sequence[TensorInfo]) -> Optional[Tuple[str, str, int, int]]:
    """Returns label, output, axis of the classes and their number, if the labels are classes."""
    for label in inputs.labels:
        for output in outputs if label.type in ("i64", "i32") else ():
            axis = class_axis(output.shape, label.shape)
            if axis is not None and output.type == "f32":
                return label.name, output.name, axis, output.shape[axis]
    return None


class Scores:
    """Sums figures over runs, weighted by their examples."""

    def __init__(self, inputs: EntryInputs, outputs: Sequence[TensorInfo], metrics: Metrics) -> None:
        self._inputs, self._metrics = inputs, metrics
        self._classes = find_classes(inputs, outputs)
        self._outputs = [info.name for info in outputs if info.name not in (*_FIGURES, SKIPPED)]
        self.reset()

    def reset(self) -> None:
        self._sums: Dict[str, float] = {}
        self._weights: Dict[str, float] = {}

    def add(self, batch: Batch, size: int, outputs: Mapping[str, Array]) -> None:
        """Adds a run, of which the first `batch.used` of `size` examples count."""
        for name in _FIGURES:
            if name in outputs and outputs[name].size == 1:
                self._put(name, float(outputs[name].reshape(())), batch.used)
        if self._classes:
            self._add_accuracy(batch, outputs)
        if self._metrics:
            y_true = self._first([info.name for info in self._inputs.labels], batch.arrays, batch.used, size)
            y_pred = self._first(self._outputs, outputs, batch.used, size)
            for name, metric in self._metrics.items():
                self._put(name, float(metric(y_true, y_pred)), batch.used)

    def logs(self) -> Dict[str, float]:
        """Returns the means."""
        return {name: total / self._weights[name] if self._weights[name] else 0.0 for name, total in self._sums.items()}

    def _put(self, name: str, value: float, weight: float) -> None:
        self._sums[name] = self._sums.get(name, 0.0) + value * weight
        self._weights[name] = self._weights.get(name, 0.0) + weight

    def _add_accuracy(self, batch: Batch, outputs: Mapping[str, Array]) -> None:
        assert self._classes
        label, output, axis, count = self._classes
        labels, best = batch.arrays[label], outputs[output].argmax(axis)
        examples = self._inputs.axis(label)
        if examples:
            labels, best = np.moveaxis(labels, examples, 0), np.moveaxis(best, examples, 0)
        labels, best = labels[:batch.used], best[:batch.used]
        is_class = (labels >= 0) & (labels < count)
        total = int(np.count_nonzero(is_class))
        right = int(np.count_nonzero((best == labels) & is_class))
        self._put("accuracy", right / total if total else 0.0, total)

    @staticmethod
    def _first(names: List[str], arrays: Mapping[str, Array], count: int, size: int) -> Any:
        """Returns the first examples of these arrays: the only array, or a dict."""
        found = {name: arrays[name][:count] if arrays[name].shape[:1] == (size,) else arrays[name] for name in names}
        return next(iter(found.values())) if len(found) == 1 else found
