# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training data in batches: arrays of all examples, or an iterable of batches such as a DataLoader of PyTorch.

How:  The order of examples in an epoch is that of `nacre-run --train` for the same seed, so that both make the same steps.
"""
from __future__ import annotations

import logging
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Sized, Tuple, Union

import numpy as np

from .errors import LabelError
from .tensors import Array, TensorInfo, empty, fitting, typed

log = logging.getLogger("nacre")

_RATE = "learning_rate"
_MASK = (1 << 64) - 1
_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


class Batch(NamedTuple):
    """The inputs of a step. The last batch of a test is filled with the first examples; the first `used` examples are its own."""

    arrays: Dict[str, Array]
    used: int
    rows: Optional[Array] = None  #: The rows of all data, if these are arrays.


class EntryInputs(NamedTuple):
    """The inputs of an entry that data come for."""

    data: List[TensorInfo]
    labels: List[TensorInfo]
    axes: Mapping[str, Optional[int]]  #: Of examples, if it is not axis 0; None: the input has no examples.

    def axis(self, name: str) -> Optional[int]:
        return self.axes.get(name, 0)

    def batch(self) -> int:
        """Returns the number of examples in a batch."""
        sizes = {info.name: info.shape[axis] for info in [*self.data, *self.labels]
                 for axis in [self.axis(info.name)] if axis is not None and axis < len(info.shape)}
        if len(set(sizes.values())) != 1:
            raise ValueError(f"all inputs must have the same batch, but have {sizes}; name the axes of examples, as in batch_axis={{'x': 1}}")
        return next(iter(sizes.values()))

    def by_name(self, x: Any, y: Any) -> Dict[str, Any]:
        """Names data and labels, which are dicts, arrays in the order of the model's inputs, or one array."""
        named = {**_named(x, self.data, "x"), **_named(y, self.labels, "y")}
        known = {info.name for info in [*self.data, *self.labels]}
        missing = [str(info) for info in [*self.data, *self.labels] if info.name not in named]
        if missing:
            raise ValueError(f"data are missing: {'; '.join(missing)}")
        for name in named:
            if name not in known:
                raise ValueError(f"the entry has no input '{name}'; it has {', '.join(sorted(known))}")
        return named


def find_inputs(inputs: Sequence[TensorInfo], inference: Sequence[TensorInfo], axes: Optional[Mapping[str, Optional[int]]]) -> EntryInputs:
    """Divides the inputs of an entry: labels are those that inference does not have."""
    names = {info.name for info in inference}
    data = [info for info in inputs if info.name != _RATE and (info.name in names if names else info.name != "label")]
    labels = [info for info in inputs if info.name != _RATE and info not in data]
    unknown = set(axes or {}) - {info.name for info in inputs}
    if unknown:
        raise ValueError(f"batch_axis names '{sorted(unknown)[0]}', but inputs are {', '.join(info.name for info in inputs)}")
    return EntryInputs(data, labels, axes or {})


def _named(given: Any, infos: Sequence[TensorInfo], what: str) -> Dict[str, Any]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return dict(given)
    listed = list(given) if isinstance(given, (list, tuple)) and len(infos) != 1 else [given]
    if len(listed) > len(infos):
        raise ValueError(f"the model has {len(infos)} inputs for {what}, but {len(listed)} are given")
    return {info.name: value for info, value in zip(infos, listed)}


# --- Arrays -------------------------------------------------------------------------------------------------------------


class Examples:
    """Arrays of all examples."""

    def __init__(self, inputs: EntryInputs, x: Any, y: Any) -> None:
        self._inputs = inputs
        self._arrays: Dict[str, Array] = {}
        self.size = inputs.batch()
        label_names = {info.name for info in inputs.labels}
        counts: Dict[str, int] = {}
        named = inputs.by_name(x, y)
        for info in [*inputs.data, *inputs.labels]:
            axis = inputs.axis(info.name)
            if axis is None:
                self._arrays[info.name] = fitting(named[info.name], info)
                continue
            array = typed(named[info.name], info)
            _check_shape(array, info, axis, info.name in label_names)
            self._arrays[info.name] = array
            counts[info.name] = array.shape[axis]
        if len(set(counts.values())) != 1:
            raise ValueError(f"there must be as many examples of each input, but there are {counts}")
        self.rows = np.arange(next(iter(counts.values())))
        self._buffers = {info.name: empty(info.array_shape, info.dtype) for info in [*inputs.data, *inputs.labels]}

    def __len__(self) -> int:
        return len(self.rows)

    def labels(self, name: str) -> Array:
        """Returns the labels of all examples."""
        return self._arrays[name]

    def split(self, fraction: float) -> Tuple[Examples, Examples]:
        """Returns all but the last examples, and the last ones."""
        if not 0 < fraction < 1:
            raise ValueError(f"validation_split must be between 0 and 1, but is {fraction}")
        first = round(len(self) * (1 - fraction))
        parts = []
        for rows in (self.rows[:first], self.rows[first:]):
            part = Examples.__new__(Examples)
            part.__dict__.update(self.__dict__, rows=rows)
            parts.append(part)
        return parts[0], parts[1]

    def steps(self) -> int:
        return len(self) // self.size

    def epoch(self, number: int, seed: Optional[int]) -> Iterator[Batch]:
        """Yields the batches of an epoch, shuffled by a seed. Examples that do not fill a batch are left out."""
        if self.steps() == 0:
            raise ValueError(f"there must be at least {self.size} examples, a batch of the model, but there are {len(self)}; compile it with "
                             f"train_batch={max(1, len(self))} at most")
        order = self.rows if seed is None else self.rows[shuffled(len(self), seed, number)]
        for step in range(self.steps()):
            yield self._batch(order[step * self.size:(step + 1) * self.size], self.size)

    def all(self) -> Iterator[Batch]:
        """Yields batches of all examples in order."""
        for begin in range(0, len(self), self.size):
            count = min(self.size, len(self) - begin)
            yield self._batch(self.rows[np.arange(begin, begin + self.size) % len(self)], count)

    def _batch(self, rows: Array, count: int) -> Batch:
        for name, array in self._arrays.items():
            axis, buffer = self._inputs.axis(name), self._buffers[name]
            if axis is None:
                buffer[...] = array
            else:
                np.take(array, rows, axis, buffer, mode="clip")  # Rows exist; other modes would copy.
        return Batch(self._buffers, count, rows)


def _check_shape(array: Array, info: TensorInfo, axis: int, is_label: bool) -> None:
    wanted = [str(extent) for extent in info.shape]
    if axis >= len(wanted):
        raise ValueError(f"input '{info.name}' has no axis {axis} of examples: it is {info}; for an input without examples pass "
                         f"batch_axis={{'{info.name}': None}}")
    wanted[axis] = "examples"
    if array.ndim == len(wanted) and all(index == axis or extent == info.shape[index] for index, extent in enumerate(array.shape)):
        if array.shape[axis] == 0:
            raise ValueError(f"input '{info.name}' has no examples")
        return
    advice = ""
    if is_label and info.dtype.kind in "iu" and array.ndim == len(wanted) + 1:
        advice = "; use .reshape(-1)" if array.shape[-1] == 1 else "; give classes by their numbers, from 0 on: .argmax(-1)"
    shape = ", ".join(wanted) + ("," if len(wanted) == 1 else "")
    raise ValueError(f"input '{info.name}' must have the shape ({shape}), but has {array.shape}{advice}")


def shuffled(count: int, seed: int, epoch: int) -> Array:
    """Returns the numbers from 0 to count - 1, shuffled as nacre-run does (Fisher and Yates, from splitmix64).

    >>> sorted(shuffled(5, 0, 0).tolist()), shuffled(1, 3, 4).tolist()
    ([0, 1, 2, 3, 4], [0])
    """
    start = _mixed(np.array([(seed + _GOLDEN) & _MASK], np.uint64))[0] ^ np.uint64(epoch)
    with np.errstate(over="ignore"):
        random = _mixed(start + np.uint64(_GOLDEN) * np.arange(1, max(1, count), dtype=np.uint64))
    lasts = np.arange(count, 1, -1, dtype=np.uint64)
    places = ((random[:len(lasts)] >> np.uint64(32)) * lasts >> np.uint64(32)).tolist()
    order = list(range(count))
    for last, place in zip(range(count - 1, 0, -1), places):
        order[last], order[place] = order[place], order[last]
    return np.array(order, np.int64)


def _mixed(bits: Array) -> Array:
    with np.errstate(over="ignore"):
        bits = (bits ^ bits >> np.uint64(30)) * np.uint64(_FIRST)
        bits = (bits ^ bits >> np.uint64(27)) * np.uint64(_SECOND)
        return np.asarray(bits ^ bits >> np.uint64(31))


# --- Batches ------------------------------------------------------------------------------------------------------------


class Batches:
    """An iterable of batches, which is iterated once in each epoch: pairs of data and labels, or dicts of both."""

    def __init__(self, inputs: EntryInputs, batches: Iterable[Any]) -> None:
        self._inputs, self._batches = inputs, batches
        self.size = inputs.batch()

    def steps(self) -> int:
        """Returns the number of batches, or 0 if it is not known."""
        return len(self._batches) if isinstance(self._batches, Sized) else 0

    def epoch(self, number: int, seed: Optional[int]) -> Iterator[Batch]:
        """Yields the batches; those of another size are left out."""
        del seed  # The iterable decides the order.
        left_out = count = 0
        for given in self._batches:
            x, y = (given, None) if isinstance(given, Mapping) else _pair(given)
            named = self._inputs.by_name(x, y)
            count += 1
            if self._examples(named) < self.size:
                left_out += 1
                continue
            yield Batch({info.name: fitting(named[info.name], info) for info in [*self._inputs.data, *self._inputs.labels]}, self.size)
        if count == left_out:
            raise ValueError(f"epoch {number + 1} must have batches of {self.size} examples, but has {count} smaller ones" if count else
                             f"epoch {number + 1} has no batches; pass an object that can be iterated again, such as a list or a DataLoader")
        if left_out:
            log.info("%d of %d batches are left out, because they have fewer than %d examples", left_out, count, self.size)

    def all(self) -> Iterator[Batch]:
        return self.epoch(0, None)

    def _examples(self, named: Mapping[str, Any]) -> int:
        sizes = [np.shape(value)[axis] for name, value in named.items() for axis in [self._inputs.axis(name)]
                 if axis is not None and np.ndim(value) > axis]
        return min(sizes, default=self.size)


def _pair(given: Any) -> Tuple[Any, Any]:
    if isinstance(given, (list, tuple)) and len(given) == 2:
        return given[0], given[1]
    raise TypeError(f"a batch must be a pair of data and labels, or a dict of both, but is a {type(given).__name__}")


Feed = Union[Examples, Batches]


def as_feed(inputs: EntryInputs, x: Any, y: Any) -> Feed:
    """Returns data in the form that fit() reads: x without y may be an iterable of batches."""
    is_listed = isinstance(x, (list, tuple)) and not all(isinstance(part, (tuple, Mapping)) for part in x)
    is_array = isinstance(x, Mapping) or hasattr(x, "__array__") or is_listed
    return Batches(inputs, x) if y is None and not is_array and isinstance(x, Iterable) else Examples(inputs, x, y)


def name_row(error: LabelError, batch: Batch, inputs: EntryInputs) -> LabelError:
    """Names the row of all data in an error about a batch."""
    return error if batch.rows is None or inputs.axis(error.name) != 0 else error.in_data(int(batch.rows[error.row]))
