# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures as inputs. The numbers are those of nacre/image.hpp and of `nacre-run --input=image=cat.jpg`, to the last bit."""
from __future__ import annotations

import importlib
import logging
import math
import os
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from .resizing import LONGEST_SIDE, Window, resize as resize_window
from .tensors import Array, TensorInfo, empty

if TYPE_CHECKING:
    from typing_extensions import Literal

    from .model import Model
    from .session import Session

log = logging.getLogger("nacre")

#: What says which input is to be filled: a model or a session with one input, one of its inputs, or the shape of floats.
Like = Union["Model", "Session", TensorInfo, Sequence[int]]
PerChannel = Union[float, Sequence[float]]

#: The types of quantized inputs.
SMALL_INTEGERS = ("u8", "i8", "u16", "i16")
_BEYOND_CODES = np.float32(2e6)


def image(picture: Any, like: Like, *, resize: Union[int, Tuple[int, int], None] = None, crop: bool = False, mean: PerChannel = 0.0,
          std: PerChannel = 1.0, range: Optional[float] = None, layout: Optional[Literal["nchw", "nhwc"]] = None,  # pylint: disable=redefined-builtin
          channels: Optional[Literal["rgb", "bgr", "gray"]] = None) -> Array:
    """Returns the array that a picture becomes as an input: (pixel * range / 255 - mean) / std for each channel, in the input's layout,
    and quantized by its scale and zero point. The result equals that of torchvision's Resize, CenterCrop, ToTensor and Normalize.

    - picture: a file that Pillow reads, a picture of Pillow, or an array of uint8: [height, width] of gray values, or [height, width,
      channels] with 1 channel, red, green and blue, or these and alpha, which is ignored. A list of pictures fills a batch;
    - like: a model or a session with one input, an input such as model.inputs[0], or a shape such as (1, 3, 224, 224) of float32;
    - resize: the length of the shorter side, or (height, width) to stretch the picture to;
    - crop: True keeps the center that the input has room for; otherwise sizes must be equal;
    - mean, std: a number, or one for each channel, in the input's order;
    - range: the value of a white pixel before mean and std. By default 1, or 255 for integers with the scale 1;
    - layout: "nchw" or "nhwc"; by default, the axis of 1 or 3 elements holds the channels;
    - channels: "rgb", "bgr" or "gray"; by default, "gray" if there is one channel.

    >>> model = load("libconvnet.so")
    >>> image(numpy.zeros((120, 160, 3), "uint8"), model, resize=96, crop=True, mean=0.5, std=0.25).min()
    -2.0
    """
    info = find_input(like)
    target = _find_target(info, layout, channels)
    pictures = list(picture) if isinstance(picture, (list, tuple)) else [picture]
    if len(pictures) != target.batch:
        raise ValueError(f"input '{info.name}' takes {target.batch} picture{'s' * (target.batch != 1)}, but {len(pictures)} are given")
    table = _make_table(info, target, _per_channel("mean", mean, info, target), _per_channel("std", std, info, target), range)
    made = empty((target.batch, target.channels, target.height, target.width), info.dtype)
    for number, one in enumerate(pictures):
        pixels = _read_pixels(one)
        window = _find_window(pixels, resize, crop, info, target)
        kept = resize_window(_with_channels(pixels, target.channels), window)
        for channel in np.arange(target.channels):
            made[number, channel] = table[channel][kept[:, :, 2 - channel if target.order == "bgr" else channel]]
    if target.is_first:
        return made.reshape(info.shape)
    last = empty(info.shape, info.dtype)
    last.reshape(target.batch, target.height, target.width, target.channels)[...] = made.transpose(0, 2, 3, 1)
    return last


class _Target(NamedTuple):
    """The pictures that an input has room for."""

    batch: int
    channels: int
    height: int
    width: int
    is_first: bool  # The channels come before height and width.
    channel_axis: int
    order: str  # "rgb", "bgr" or "gray".


def find_input(like: Like) -> TensorInfo:
    """Returns the input that is to be filled."""
    if isinstance(like, TensorInfo):
        return like
    inputs = getattr(like, "inputs", None)
    if inputs is None:
        shape = tuple(int(extent) for extent in like)  # type: ignore[union-attr]
        return TensorInfo("input", shape, np.dtype(np.float32), "f32", 4 * math.prod(shape))
    if len(inputs) != 1:
        raise ValueError(f"the model has {len(inputs)} inputs; pass one of them, such as model.inputs[0]; "
                         f"they are {', '.join(map(str, inputs)) or 'none'}")
    found: TensorInfo = inputs[0]
    return found


def _find_target(info: TensorInfo, layout: Optional[str], order: Optional[str]) -> _Target:
    if layout not in (None, "nchw", "nhwc"):
        raise ValueError(f"layout must be 'nchw' or 'nhwc', but is {layout!r}")
    if order not in (None, "rgb", "bgr", "gray"):
        raise ValueError(f"channels must be 'rgb', 'bgr' or 'gray', but is {order!r}")
    rank = len(info.shape)
    if rank not in (3, 4):
        raise ValueError(f"a picture needs an input of 3 or 4 axes (batch, channels, height, width in some order), but input '{info.name}' has {rank}")
    sides = info.shape[-3:]
    may_be_first, may_be_last = sides[0] in (1, 3), sides[2] in (1, 3)
    if layout is None and may_be_first and may_be_last:
        raise ValueError(f"the first and the last axis of input '{info.name}' could both hold channels; pass layout='nchw' or layout='nhwc'")
    is_first = layout == "nchw" or (layout is None and may_be_first)
    if not (may_be_first if is_first else may_be_last):
        where = "before or after" if layout is None else "before" if is_first else "after"
        raise ValueError(f"input '{info.name}' has no axis of 1 or 3 channels {where} height and width")
    channels, height, width = sides if is_first else (sides[2], sides[0], sides[1])
    if not (1 <= height <= LONGEST_SIDE and 1 <= width <= LONGEST_SIDE):
        raise ValueError(f"input '{info.name}' must be 1 to {LONGEST_SIDE} pixels wide and high")
    order = order or ("gray" if channels == 1 else "rgb")
    if (order == "gray") != (channels == 1):
        raise ValueError(f"input '{info.name}' has {channels} channels, so its channels cannot be {'colors' if channels == 1 else 'gray'}")
    batch = info.shape[0] if rank == 4 else 1
    return _Target(batch, channels, height, width, is_first, rank - 3 if is_first else rank - 1, order)


def _per_channel(name: str, given: PerChannel, info: TensorInfo, target: _Target) -> Array:
    numbers = np.asarray(given, np.float32).reshape(-1)
    if len(numbers) not in (1, target.channels):
        expected = f"one number, because input '{info.name}' is gray" if target.channels == 1 else "one number or three"
        raise ValueError(f"{name} must be {expected}, but has {len(numbers)}")
    if not np.isfinite(numbers).all() or (name == "std" and not (numbers > 0).all()):
        raise ValueError(f"{name} must be finite{' and above 0' if name == 'std' else ''}, but is {given!r}")
    return np.broadcast_to(numbers, (target.channels,))


def _make_table(info: TensorInfo, target: _Target, mean: Array, std: Array, white: Optional[float]) -> Array:
    """Returns the element that each of 256 values of a pixel becomes, for each channel. All steps are in single precision."""
    is_code = info.type in SMALL_INTEGERS
    if not is_code and info.type not in ("f32", "f16"):
        raise TypeError(f"input '{info.name}' must hold f32, f16, or integers of 8 or 16 bits to take a picture, but holds {info.type}")
    if white is None:
        white = 255.0 if is_code and info.channel_axis is None and info.scale == 1 else 1.0
    if not 0 < white < math.inf:
        raise ValueError(f"range must be finite and above 0, but is {white!r}")
    if is_code and info.channel_axis not in (None, target.channel_axis):
        raise ValueError(f"input '{info.name}' has a scale for each index of axis {info.channel_axis}, not for each channel")
    scaled = np.arange(256, dtype=np.float32) * np.float32(white) / np.float32(255)
    reals = (scaled - mean[:, None]) / std[:, None]
    if not is_code:
        with np.errstate(over="ignore"):
            table: Array = reals.astype(info.dtype)
        return table
    return quantize_rows(reals, info)


def quantize_rows(reals: Array, info: TensorInfo) -> Array:
    """Returns the codes of reals, a row for each channel, as nacre/elements.hpp computes them."""
    scale = np.asarray(info.scales or [info.scale], np.float32)[:, None]
    zero_point = np.asarray(info.zero_points or [info.zero_point], np.int64)[:, None]
    if not (scale > 0).all():
        raise ValueError(f"input '{info.name}' has a scale that is not above 0")
    limits = np.iinfo(info.dtype)
    steps = reals / scale
    shifted = np.rint(np.clip(steps, -_BEYOND_CODES, _BEYOND_CODES)).astype(np.int64) + zero_point
    codes = np.clip(shifted, limits.min, limits.max)
    # These are beyond all codes, whatever the zero point is.
    codes = np.where(steps > _BEYOND_CODES, limits.max, np.where(steps < -_BEYOND_CODES, limits.min, codes))
    quantized: Array = codes.astype(info.dtype)
    return quantized


def _find_window(pixels: Array, resize: Union[int, Tuple[int, int], None], crop: bool, info: TensorInfo, target: _Target) -> Window:
    height, width = pixels.shape[:2]
    if not (1 <= height <= LONGEST_SIDE and 1 <= width <= LONGEST_SIDE):
        raise ValueError(f"a picture must have 1 to {LONGEST_SIDE} pixels along each side, but is {width} x {height}")
    resized = (height, width) if resize is None else _resized(resize, height, width)
    fits = all(have >= room if crop else have == room for have, room in zip(resized, (target.height, target.width)))
    if not fits:
        advice = "raise resize" if crop else (f"pass resize=({target.height}, {target.width}) to stretch it, or "
                                              "resize=<shorter side> and crop=True to keep its center")
        raise ValueError(f"the picture is {resized[1]} x {resized[0]} pixels{' when resized' * (resized != (height, width))}, but input "
                         f"'{info.name}' takes {'at least ' * crop}{target.width} x {target.height}; {advice}")
    # A rest that is odd is cut as Python rounds its half, which torchvision does, too.
    begin = (round((resized[0] - target.height) / 2), round((resized[1] - target.width) / 2))
    return Window(resized, begin, (target.height, target.width))


def _resized(resize: Union[int, Tuple[int, int]], height: int, width: int) -> Tuple[int, int]:
    sides = (resize,) if isinstance(resize, (int, np.integer)) else tuple(resize)
    if len(sides) not in (1, 2) or not all(isinstance(side, (int, np.integer)) and side > 0 for side in sides):
        raise ValueError(f"resize must be the length of the shorter side or (height, width), but is {resize!r}")
    if len(sides) == 2:
        size = (int(sides[0]), int(sides[1]))
    else:
        shorter = int(sides[0])
        size = (shorter, shorter * width // height) if width > height else (shorter * height // width, shorter)
    if max(size) > LONGEST_SIDE:
        raise ValueError(f"a picture must be resized to at most {LONGEST_SIDE} pixels along each side")
    return size


def _with_channels(pixels: Array, channels: int) -> Array:
    """Makes pixels of one gray value, or of red, green and blue. Gray is made of colors as Pillow makes it (ITU-R 601)."""
    if pixels.shape[2] == channels:
        return pixels
    if channels == 3:
        return np.repeat(pixels, 3, 2)
    sums = pixels.astype(np.uint32) @ np.array([19595, 38470, 7471], np.uint32)
    gray: Array = ((sums + np.uint32(0x8000)) >> np.uint32(16)).astype(np.uint8)[:, :, None]
    return gray


def _read_pixels(picture: Any) -> Array:
    """Returns uint8[height, width, 1 or 3]."""
    if isinstance(picture, (str, os.PathLike)):
        return _decode(os.fspath(picture))
    if hasattr(picture, "convert") and hasattr(picture, "mode"):
        return _pixels_of_pillow(picture)
    array = np.asarray(picture)
    if array.dtype != np.uint8:
        raise TypeError(f"the array of a picture must be of uint8, with values from 0 to 255, but is of {array.dtype}")
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or array.shape[2] not in (1, 3, 4):
        raise ValueError(f"the array of a picture must have the shape (height, width) or (height, width, 1, 3 or 4), but has {np.shape(picture)}")
    return array[:, :, :3]


def _decode(path: str) -> Array:
    try:
        pillow: Any = importlib.import_module("PIL.Image")
    except ImportError:
        raise ImportError(f"Pillow, which reads '{path}', is not installed; install it with 'pip install pillow', or pass the pixels as an "
                          "array of uint8", name="PIL") from None
    try:
        with pillow.open(path) as opened:
            turned = opened.getexif().get(0x112, 1)
            pixels = _pixels_of_pillow(opened)
    except pillow.UnidentifiedImageError:
        raise ValueError(f"'{path}' is not a picture that Pillow reads") from None
    if turned not in (0, 1):
        log.warning("'%s' is stored turned or mirrored (EXIF orientation %s), and is used as it is stored; PIL.ImageOps.exif_transpose turns it",
                    path, turned)
    return pixels


def _pixels_of_pillow(picture: Any) -> Array:
    if picture.mode.startswith("I"):  # Gray values of 16 bits, of which the upper 8 are used.
        deep = np.asarray(picture)
        if picture.mode == "I" and picture.format != "PNG":
            raise TypeError("a picture with 32 bits per pixel has no common range; convert it to an array of uint8")
        return (deep >> 8).astype(np.uint8)[:, :, None]
    if picture.mode == "F":
        raise TypeError("a picture of floats has no common range; convert it to an array of uint8")
    pixels = np.asarray(picture if picture.mode in ("L", "RGB") else picture.convert("RGB"))
    return pixels[:, :, None] if pixels.ndim == 2 else pixels
