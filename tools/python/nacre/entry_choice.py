# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chooses an entry by its name, or by the shapes of inputs.

How:  Entries for several shapes (`compile(shape=...)`) have one name before an @: `main@16`, `main@64`. This name means all of them.
"""
from __future__ import annotations

import math
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from .entries import Entry
from .tensors import Array, TensorInfo, typed

#: Inputs of a run: arrays by name, arrays in the order of the model's inputs, or one array.
Inputs = Union[Mapping[str, Any], Sequence[Any], Array]


def common_name(entry: Entry) -> str:
    """Returns the name that an entry shares with those for other shapes.

    >>> common_name(Entry("main@16x24", [], [], [], 0))
    'main'
    """
    return entry.name.partition("@")[0]


def find_entries(entries: Sequence[Entry], name: Optional[str] = None, owner: str = "model", advice: str = "") -> List[Entry]:
    """Returns the entry called `name`, or all with this common name; by default, those with the common name of the first."""
    wanted = common_name(entries[0]) if name is None else name
    found = [entry for entry in entries if wanted in (entry.name, common_name(entry))]
    if not found:
        raise ValueError(f"the {owner} has no entry '{name}'; it has {', '.join(entry.name for entry in entries)}{advice}")
    return found


def _numbers(entry: Entry, names: Iterable[str]) -> List[int]:
    numbers = {info.name: number for number, info in enumerate(entry.inputs)}
    for name in names:
        if name not in numbers:
            known = ", ".join(f"'{name}'" for name in numbers) or "none"
            raise ValueError(f"entry '{entry.name}' has no input '{name}'; it has {known}")
    return [numbers[name] for name in names]


def find_input(entry: Entry, name: str) -> int:
    """Returns the number of an input."""
    return _numbers(entry, [name])[0]


def numbered(entry: Entry, inputs: Optional[Inputs]) -> Dict[int, Any]:
    """Returns the given inputs by their numbers."""
    if inputs is None:
        return {}
    if isinstance(inputs, Mapping):
        return dict(zip(_numbers(entry, inputs), inputs.values()))
    listed = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    if len(listed) > len(entry.inputs):
        raise ValueError(f"entry '{entry.name}' has {len(entry.inputs)} inputs, but {len(listed)} are given; "
                         f"they are {', '.join(map(str, entry.inputs)) or 'none'}")
    return dict(enumerate(listed))


def find_fitting(entries: Sequence[Entry], given: Mapping[int, Any]) -> Entry:
    """Returns the first entry with the shapes of the given inputs. If there is only one entry, its shapes are not compared."""
    if len(entries) == 1:
        return entries[0]
    arrays = {number: typed(value, entries[0].inputs[number]) for number, value in given.items()}
    for entry in entries:
        if all(array.shape == entry.inputs[number].array_shape for number, array in arrays.items()):
            return entry
    described = ", ".join(_described(entries[0].inputs[number], array.shape) for number, array in arrays.items())
    raise ValueError(f"inputs must have the shapes of an entry, but are {described}; {_listed(entries, arrays)}; fill inputs up to the shapes of "
                     "model.entry_for(...), or compile the model for these shapes, too")


def find_smallest(entries: Sequence[Entry], shapes: Mapping[str, Sequence[int]]) -> Entry:
    """Returns the entry with the fewest elements among those whose inputs have room for arrays of these shapes."""
    numbers = dict(zip(_numbers(entries[0], shapes), shapes.values()))

    def has_room(entry: Entry) -> bool:
        rooms = ((entry.inputs[number].shape, shape) for number, shape in numbers.items())
        return all(len(room) == len(shape) and all(there >= size for there, size in zip(room, shape)) for room, shape in rooms)

    found = [entry for entry in entries if has_room(entry)]
    if not found:
        described = ", ".join(_described(entries[0].inputs[number], shape) for number, shape in numbers.items())
        raise ValueError(f"no entry has room for {described}; {_listed(entries, numbers)}; compile the model for a larger shape")
    return min(found, key=lambda entry: sum(math.prod(entry.inputs[number].shape) for number in numbers))


def _described(info: TensorInfo, shape: Sequence[int]) -> str:
    return f"{info.name}: {tuple(shape)}"


def _listed(entries: Sequence[Entry], numbers: Mapping[int, Any]) -> str:
    """Lists the shapes that some inputs have in each entry."""
    shapes = (", ".join(_described(entry.inputs[number], entry.inputs[number].array_shape) for number in numbers) for entry in entries)
    return "entries are " + ", ".join(f"{entry.name} ({shape})" for entry, shape in zip(entries, shapes))
