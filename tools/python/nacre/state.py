# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state that a model keeps between runs."""
from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any, Iterator, List, Mapping, NamedTuple, NoReturn, Sequence, Union

import numpy as np

from . import _native
from ._library import Library
from .errors import RunError
from .tensors import Array, TensorInfo, fitting, read_tensor_info

#: Roles by name: "recurrent", "weight", "moment", "statistic", "counter"; one or several. None means all.
Roles = Union[str, Sequence[str], None]

# Values computed by training; a recurrent network's memory may be infinite on purpose.
_TRAINED = ("weight", "moment", "statistic")


class StateInfo(NamedTuple):
    """A tensor of the state, and its purpose."""

    tensor: TensorInfo
    role: str


def describe_state(library: Library, count: int) -> List[StateInfo]:
    described = []
    for index in range(count):
        info = _native.StateInfo()
        library.state.describe(library.address, index, ctypes.sizeof(info), ctypes.byref(info))
        described.append(StateInfo(read_tensor_info(info), _native.StateRole(info.role).name.lower()))  # type: ignore[union-attr]
    return described


def role_bits(roles: Roles) -> int:
    """
    >>> role_bits(["weight", "statistic"])
    10
    """
    if roles is None:
        return _native.STATE_ALL
    bits = 0
    for role in [roles] if isinstance(roles, str) else roles:
        if role.upper() not in _native.StateRole.__members__:
            known = ", ".join(name.lower() for name in _native.StateRole.__members__)
            raise ValueError(f"roles are {known}; '{role}' is not one")
        bits |= int(_native.StateRole[role.upper()])
    return bits


def _path_bytes(path: Union[str, "os.PathLike[str]"]) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:  # C would take what is before it.
        raise ValueError("the path must not contain the character 0")
    return encoded


class State(Mapping[str, Array]):
    """The state that a model keeps between runs: `state["h"]` copies the tensor "h", `state["h"] = array` writes it.

    It belongs to a session (Session.state) or is shared by several (Model.new_state). One run or call at a time can use a state;
    a second one raises RunError and changes nothing.
    """

    def __init__(self, library: Library, pointer: Any, owner: object = None) -> None:
        self.pointer = pointer
        self.of = library
        self._functions = library.state
        self._owner = owner  # A session whose state it is.
        if owner is None:
            self._destroy = weakref.finalize(self, _destroy, library, pointer)
            self._destroy.atexit = False
        model = _native.ModelInfo()
        library.functions.model_describe(library.address, ctypes.sizeof(model), ctypes.byref(model))
        self.tensors: List[StateInfo] = describe_state(library, model.variable_count)
        self._numbers = {info.tensor.name: number for number, info in enumerate(self.tensors)}

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, name: str) -> Array:
        number = self._numbers[name]
        info = self.tensors[number].tensor
        array = np.empty(info.array_shape, info.dtype)
        self._check(self._functions.copy(self.pointer, number, array.ctypes.data, info.nbytes, 0))
        return array

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self._numbers:
            raise KeyError(f"the model has no state '{name}'; it has {', '.join(self._numbers) or 'nothing'}")
        number = self._numbers[name]
        info = self.tensors[number].tensor
        array = np.ascontiguousarray(fitting(value, info, "state")).reshape(info.array_shape)
        self._check(self._functions.copy(self.pointer, number, array.ctypes.data, info.nbytes, 1))

    def reset(self, roles: Roles = None) -> None:
        """Resets the tensors of these roles to their initial values: to begin another sequence, or to restart training."""
        self._check(self._functions.reset(self.pointer, role_bits(roles)))

    def save(self, path: Union[str, "os.PathLike[str]"], roles: Roles = None, *, finite: bool = True) -> None:
        """Saves the tensors of these roles to a safetensors file, atomically.

        If training has made a value infinite or NaN, this raises ValueError and keeps the old file; finite=False saves it.
        """
        if finite:
            self._require_finite(role_bits(roles))
        self._check(self._functions.save(self.pointer, _path_bytes(path), role_bits(roles)))

    def _require_finite(self, roles: int) -> None:
        for tensor, role in self.tensors:
            if not (role in _TRAINED and roles & role_bits(role) and np.issubdtype(tensor.dtype, np.floating)):
                continue
            if not np.isfinite(self[tensor.name]).all():
                raise ValueError(f"'{tensor.name}' must be finite to be saved; lower the learning rate, clip gradients, or load the last "
                                 "saved state")

    def load(self, path: Union[str, "os.PathLike[str]"], roles: Roles = None) -> None:
        """Loads the tensors of these roles; the whole file is checked before anything changes."""
        self._check(self._functions.load(self.pointer, _path_bytes(path), role_bits(roles)))

    def copy_from(self, other: State) -> None:
        """Copies another state of the same model to this one."""
        if other.of is not self.of:
            raise ValueError("the states must belong to the same model")
        self._check(self._functions.copy_all(other.pointer, self.pointer))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a state cannot be pickled, because it is memory of this process; save it with state.save(path), and load that file")

    def _check(self, status: int) -> None:
        if status:
            raise RunError(status, _native.text(self._functions.reason(self.pointer)))


def _destroy(library: Library, pointer: Any) -> None:
    library.state.destroy(pointer)


def create_state(library: Library) -> State:
    options = _native.SessionOptions()
    options.struct_size = ctypes.sizeof(options)
    reason = ctypes.create_string_buffer(1024)
    options.reason, options.reason_capacity = ctypes.addressof(reason), len(reason)
    pointer = _native.StatePointer()
    status = library.state.create(library.address, library.asked_version(options), ctypes.byref(options), ctypes.byref(pointer))
    if status:
        raise RunError(status, _native.text(reason.value))
    return State(library, pointer)
