# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays and the properties that models require: names, shapes, types, alignment."""
from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _native
from ._native import ElementType

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    Array = NDArray[Any]
    DType = np.dtype[Any]
else:
    Array, DType = np.ndarray, np.dtype

_NUMPY = {ElementType.F32: np.float32, ElementType.U8: np.uint8, ElementType.I8: np.int8, ElementType.U16: np.uint16,
          ElementType.I16: np.int16, ElementType.I32: np.int32, ElementType.I64: np.int64, ElementType.BOOL: np.bool_,
          ElementType.F16: np.float16, ElementType.F64: np.float64, ElementType.U32: np.uint32, ElementType.U64: np.uint64,
          ElementType.BF16: np.uint16}
_PACKED = {ElementType.U4, ElementType.I4, ElementType.F4E2M1, ElementType.U2, ElementType.I2}


class TensorInfo(NamedTuple):
    """An input, an output or a tensor of the state.

    `type` is the model's element type, such as "f32" or "bf16"; `dtype` is the NumPy type of its arrays. They differ if NumPy
    does not have the type: bf16 is stored as uint16 codes (to_bfloat16, from_bfloat16), 8-bit floats as uint8 codes, and 4- and
    2-bit elements as a flat uint8 array of packed bytes, with the first element in the lowest bits.
    """

    name: str
    shape: Tuple[int, ...]
    dtype: DType
    type: str
    nbytes: int
    open_axes: Tuple[int, ...] = ()  #: Axes whose size depends on the data; `shape` has the maximum.
    scale: float = 1.0  #: Quantized tensors: real = scale * (stored - zero_point). If each channel has its own scale: 0.
    zero_point: int = 0
    channel_axis: Optional[int] = None  #: The axis whose indices have scales and zero points of their own.
    scales: Tuple[float, ...] = ()  #: One for each index of `channel_axis`.
    zero_points: Tuple[int, ...] = ()

    @property
    def array_shape(self) -> Tuple[int, ...]:
        """The shape of its array: `shape`, or the number of bytes for packed elements."""
        return (self.nbytes,) if ElementType[self.type.upper()] in _PACKED else self.shape

    def dequantize(self, stored: Any) -> Array:
        """Converts an array of this tensor to reals, float32: scale * (stored - zero_point).

        >>> info = TensorInfo("x", (3,), np.dtype("int8"), "i8", 3, scale=0.5, zero_point=-1)
        >>> info.dequantize([-1, 0, 3]).tolist()
        [0.0, 0.5, 2.0]
        """
        scale, zero_point = self._quantization()
        reals: Array = (np.asarray(stored, self.dtype).astype(np.int64) - zero_point).astype(np.float32) * scale
        return reals

    def quantize(self, reals: Any) -> Array:
        """Converts reals to an array of this tensor: real / scale + zero_point, rounded to nearest even and clamped to the type.

        >>> info = TensorInfo("x", (4,), np.dtype("int8"), "i8", 4, scale=0.5, zero_point=-1)
        >>> info.quantize([0, 0.5, 2, 1000]).tolist()
        [-1, 0, 3, 127]
        """
        scale, zero_point = self._quantization()
        limits = np.iinfo(self.dtype)
        unbounded = np.rint(np.asarray(reals, np.float32) / scale).astype(np.float64) + zero_point
        stored: Array = np.clip(np.nan_to_num(unbounded, nan=0.0), limits.min, limits.max).astype(self.dtype)
        return stored

    def _quantization(self) -> Tuple[Any, Any]:
        """Returns scale and zero point, shaped to be broadcast to the tensor."""
        if self.dtype.kind not in "iu" or self.type != _spelled(self.dtype):
            raise TypeError(f"'{self.name}' must have integers of 8 bits or more to be converted, but is of {self.type}")
        if self.channel_axis is None:
            return np.float32(self.scale), np.int64(self.zero_point)
        shape = [-1 if axis == self.channel_axis else 1 for axis in range(len(self.shape))]
        return np.asarray(self.scales, np.float32).reshape(shape), np.asarray(self.zero_points, np.int64).reshape(shape)

    def __repr__(self) -> str:
        """Leaves out what few tensors have: open axes and quantization."""
        given = (f"{name}={getattr(self, name)!r}" for name in self._fields
                 if name not in self._field_defaults or getattr(self, name) != self._field_defaults[name])
        return f"TensorInfo({', '.join(given)})"

    def __str__(self) -> str:
        return f"{self.name}: {self.type}[{', '.join(map(str, self.shape))}]"


def read_tensor_info(info: Any) -> TensorInfo:
    """Converts a nacre_tensor_info or nacre_state_info."""
    kind = ElementType(info.type)
    shape = tuple(info.dims[axis] for axis in range(info.rank))
    open_axes = tuple(axis for axis in range(info.rank) if getattr(info, "open_axes", 0) >> axis & 1)
    known = TensorInfo(_native.text(info.name), shape, np.dtype(_NUMPY.get(kind, np.uint8)), kind.name.lower(), info.bytes, open_axes,
                       getattr(info, "scale", 1.0), getattr(info, "zero_point", 0))
    if not getattr(info, "channels", None):
        return known
    channels = info.channels[:shape[info.channel_axis]]
    return known._replace(channel_axis=info.channel_axis, scales=tuple(channel.scale for channel in channels),
                          zero_points=tuple(channel.zero_point for channel in channels))


def empty(shape: Sequence[int], dtype: DTypeLike = np.float32) -> Array:
    """Like numpy.empty, but the address is a multiple of 64, so that models read the array without a copy.

    >>> array = empty((2, 3), "float32")
    >>> array.ctypes.data % 64, array.shape
    (0, (2, 3))
    """
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise TypeError(f"dtype must be numeric or boolean, but is {dtype}")
    size = math.prod(shape) * dtype.itemsize
    block = np.empty(size + _native.ALIGNMENT, np.uint8)
    begin = -block.ctypes.data % _native.ALIGNMENT
    return block[begin:begin + size].view(dtype).reshape(tuple(shape))


def to_bfloat16(array: Any) -> Array:
    """Converts numbers to uint16 codes of bfloat16, rounded to nearest, ties to even.

    >>> [hex(code) for code in to_bfloat16([1.0, -2.5])]
    ['0x3f80', '0xc020']
    """
    floats = np.ascontiguousarray(array, np.float32)
    bits = floats.view(np.uint32).reshape(np.shape(array))
    rounded = ((bits + (0x7FFF + (bits >> 16 & 1)).astype(np.uint32)) >> 16).astype(np.uint16)
    quiet = (bits >> 16 | 0x40).astype(np.uint16)
    return np.where(np.isnan(floats).reshape(np.shape(array)), quiet, rounded)


def from_bfloat16(codes: Array) -> Array:
    """Converts uint16 codes of bfloat16 to float32, exactly.

    >>> from_bfloat16(to_bfloat16([1.0, -2.5])).tolist()
    [1.0, -2.5]
    """
    return np.asarray(np.asarray(codes, np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)


#: How files become inputs. run() takes none, because a picture has no meaning without the mean and the deviation of the training.
_FILES = ("a picture becomes an input by nacre.image(file, model, mean=..., std=...), a sound by nacre.sound(file, model), "
          "and numpy.load reads .npy files")


def fitting(value: Any, info: TensorInfo, what: str = "input") -> Array:
    """Returns `value` as an array with the tensor's type and shape, or raises an error that states the expected ones.

    Lists and plain numbers are converted, and integers to integers of another size, if nothing is lost. An array of any other type is
    refused, because a cast would hide a mistake or lose digits.
    """
    array = typed(value, info, what)
    if array.shape != info.array_shape:
        held = "" if info.array_shape == info.shape else f", the bytes of its packed elements ({info.type})"
        raise ValueError(f"{what} '{info.name}' must have the shape {info.array_shape}{held}, but has {array.shape}")
    return array


def typed(value: Any, info: TensorInfo, what: str = "input") -> Array:
    """Returns `value` as an array with the tensor's type; its shape may be another."""
    if isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"{what} '{info.name}' must be an array of {info.dtype}, but is {_excerpt(value)}; {_FILES}")
    # Pillow's pictures have the interface, but not always the method.
    array = np.asarray(value) if hasattr(value, "__array__") or hasattr(value, "__array_interface__") else _converted(value, info, what)
    if array.dtype == info.dtype:
        return array
    if array.dtype.kind in "iu" and info.dtype.kind in "iu" and info.type == _spelled(info.dtype):
        return _resized(array, info, what)
    raise TypeError(f"{what} '{info.name}' must be of {info.dtype}, but is of {array.dtype}; {_cure(array, info)}")


def _spelled(dtype: DType) -> str:
    """Returns the model's type whose values NumPy's type has, for integers: "i64"; codes have another."""
    return f"{dtype.kind}{8 * dtype.itemsize}"


def _resized(array: Array, info: TensorInfo, what: str) -> Array:
    """Converts integers to another size; labels are often int32 where a model has int64."""
    limits = np.iinfo(info.dtype)
    if array.size and (int(array.min()) < limits.min or int(array.max()) > limits.max):
        worst = array.min() if int(array.min()) < limits.min else array.max()
        raise TypeError(f"{what} '{info.name}' must be of {info.dtype}, which cannot hold {worst}")
    return array.astype(info.dtype)


def _converted(value: Any, info: TensorInfo, what: str) -> Array:
    """Converts lists and plain numbers; the type must not narrow them."""
    try:
        plain = np.asarray(value)
    except ValueError as error:  # Rows of different lengths.
        raise ValueError(f"{what} '{info.name}': {_excerpt(value)} is not an array: {error}") from None
    if plain.dtype.kind not in "biuf":
        return plain
    array = plain.astype(info.dtype)
    if info.dtype.kind != "f" and not np.array_equal(array, plain):
        raise TypeError(f"{what} '{info.name}' must be of {info.dtype}, which cannot hold {_excerpt(value)}")
    return array


def _excerpt(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _cure(array: Array, info: TensorInfo) -> str:
    if array.dtype.kind in "USO":
        return "compiled models accept only numbers; convert strings and objects to numbers first"
    if array.dtype == np.uint8 and info.dtype.kind == "f" and array.ndim in (2, 3):
        return f"a picture becomes an input by nacre.image(picture, model, mean=..., std=...), another array by array.astype('{info.dtype}')"
    if info.type == "bf16":
        return "NumPy has no bfloat16; convert the array to codes with nacre.to_bfloat16(array)"
    if info.dtype == np.uint8 and info.type != "u8":
        return f"NumPy has no {info.type}: pass its codes"
    return f"use array.astype('{info.dtype}')"
