# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sounds as inputs. The numbers are those of `nacre-run --input=sound=yes.wav`, to the last bit."""
from __future__ import annotations

import logging
import math
import os
import struct
from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

from .pictures import SMALL_INTEGERS, Like, find_input, quantize_rows
from .tensors import Array, TensorInfo, empty

log = logging.getLogger("nacre")

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_UNKNOWN_SIZE = 0xFFFFFFFF  # Of programs that write to a pipe.
#: How many values of an array's type stand for 1.
_WHOLE = {"i2": 1 << 15, "i4": 1 << 31}


def sound(recording: Any, like: Like, *, rate: Optional[int] = None) -> Array:
    """Returns the array that a recording becomes as an input: samples from -1 to 1, the mean of the channels, quantized by the input's
    scale and zero point. The input has one long axis. Zeros follow a recording that is too short, and the end of a long one is cut off;
    the logger "nacre" says so.

    - recording: a WAV file with samples of 8 to 32 bits or floats, or an array [samples] or [samples, channels] of floats from -1 to 1,
      int16 or int32;
    - like: a model or a session with one input, an input such as model.inputs[0], or a shape such as (1, 16000) of float32;
    - rate: the samples per second that the file must have. Nothing resamples them.

    >>> sound(numpy.array([16384, -32768], "int16"), (1, 4)).tolist()
    [[0.5, -1.0, 0.0, 0.0]]
    """
    info = find_input(like)
    length = _check_input(info)
    is_file = isinstance(recording, (str, os.PathLike))
    name = f"'{os.fspath(recording)}'" if is_file else "the array"
    if is_file:
        found, channels = _read_file(os.fspath(recording), name)
        if rate is not None and rate != found:
            raise ValueError(f"{name} has {found} samples per second, but rate is {rate}; convert it, for example with: "
                             f"ffmpeg -i <file> -ar {rate} <new file>.wav")
    else:
        if rate is not None:
            raise ValueError("rate is checked in WAV files, but an array does not say its own")
        channels = _samples_of_array(recording)
    if len(channels) != length:
        log.warning("%s has %d samples, and input '%s' takes %d: %s", name, len(channels), info.name, length,
                    "zeros follow" if len(channels) < length else "the rest is cut off")
    samples = np.zeros(length, np.float32)
    kept = channels[:length]
    samples[:len(kept)] = sum(kept[:, channel] for channel in range(kept.shape[1])) / kept.shape[1]
    if not np.isfinite(samples).all():
        raise ValueError(f"{name}: sample {int(np.argmin(np.isfinite(samples)))} is infinite or NaN")
    made = empty(info.shape, info.dtype)
    made.reshape(-1)[...] = _elements(samples, info)
    return made


def _check_input(info: TensorInfo) -> int:
    """Returns the number of samples of an input."""
    what = f"input '{info.name}' takes {info.type}[{', '.join(map(str, info.shape))}]"
    if sum(extent != 1 for extent in info.shape) > 1 or not math.prod(info.shape):
        raise ValueError(f"{what}, but samples need an input with one axis longer than 1; compute the input (a spectrogram?) as an array")
    if info.type not in ("f32", "f16", *SMALL_INTEGERS):
        raise TypeError(f"{what}, but samples need f32, f16, or integers of 8 or 16 bits")
    if info.type in ("u8", "u16") and info.scale == 1:
        raise TypeError(f"{what}, unsigned integers without a scale, which no sample is")
    if info.channel_axis is not None:
        raise TypeError(f"{what}, with a scale for each index of axis {info.channel_axis}, which no sample has")
    return math.prod(info.shape)


def _elements(samples: Array, info: TensorInfo) -> Array:
    if info.type not in SMALL_INTEGERS:
        with np.errstate(over="ignore"):
            elements: Array = samples.astype(info.dtype)
        return elements
    if info.scale == 1:  # Integers that have no scale are samples themselves.
        info = info._replace(scale=1 / 32768 if info.type == "i16" else 1 / 128)
    return quantize_rows(samples[None], info).reshape(-1)


def _samples_of_array(recording: Any) -> Array:
    """Returns float64[samples, channels]."""
    array = np.asarray(recording)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or not array.size:
        raise ValueError(f"the array of a sound must have the shape (samples,) or (samples, channels), but has {np.shape(recording)}")
    code = array.dtype.str[1:]
    if code not in _WHOLE and array.dtype.kind != "f":
        raise TypeError(f"the array of a sound must be of floats, int16 or int32, but is of {array.dtype}")
    return array.astype(np.float64) / _WHOLE.get(code, 1)


# --- WAV files ------------------------------------------------------------------------------------------------------


class _Format(NamedTuple):
    is_float: bool
    channels: int
    rate: int
    width: int  # Bytes of a sample.


def _read_file(path: str, name: str) -> Tuple[int, Array]:
    """Returns the samples per second, and float64[samples, channels]."""
    with open(path, "rb") as file:
        content = file.read()
    if content[:4] != b"RIFF" or content[8:12] != b"WAVE":
        raise ValueError(f"{name} is not a WAV file; convert it, for example with: ffmpeg -i <file> <new file>.wav")
    try:
        form, data = _find_samples(content)
    except ValueError as error:
        raise ValueError(f"{name} is a WAV sound that cannot be read: {error}") from None
    return form.rate, _decode(data, form)


def _find_samples(content: bytes) -> Tuple[_Format, bytes]:
    form = None
    at = 12  # After "RIFF", its size and "WAVE".
    while at + 8 <= len(content):
        kind, size = struct.unpack_from("<4sI", content, at)
        left = len(content) - at - 8
        if kind == b"data":
            if form is None:
                raise ValueError("its samples come before their format")
            if size > left and size != _UNKNOWN_SIZE:
                raise ValueError(f"it ends early: {left} of {size} bytes of samples are there")
            frame = form.channels * form.width
            count = min(size, left) // frame
            if not count:
                raise ValueError("it has no samples")
            return form, content[at + 8:at + 8 + count * frame]
        if size > left:
            break
        if kind == b"fmt ":
            form = _read_format(content[at + 8:at + 8 + size])
        at += 8 + size + size % 2
    raise ValueError("it ends before its samples")


def _read_format(chunk: bytes) -> _Format:
    if len(chunk) < 16:
        raise ValueError("its format is not complete")
    kind, channels, rate, _, frame, bits = struct.unpack_from("<HHIIHH", chunk)
    if kind == _EXTENSIBLE and len(chunk) >= 26:
        kind = struct.unpack_from("<H", chunk, 24)[0]
    if not (kind == _PCM and bits in (8, 16, 24, 32) or kind == _FLOAT and bits in (32, 64)):
        raise ValueError(f"its samples have format {kind} with {bits} bits; convert it to 16-bit PCM")
    if not channels or not rate or frame != channels * bits // 8:
        raise ValueError(f"its format contradicts itself: {channels} channels, {rate} samples per second, {frame} bytes for one of each channel")
    return _Format(kind == _FLOAT, channels, rate, bits // 8)


def _decode(data: bytes, form: _Format) -> Array:
    if form.is_float:
        reals = np.frombuffer(data, f"<f{form.width}").astype(np.float64)
    elif form.width == 1:  # The only unsigned ones.
        reals = (np.frombuffer(data, np.uint8).astype(np.float64) - 128) / 128
    else:
        padded = np.zeros((len(data) // form.width, 4), np.uint8)
        padded[:, 4 - form.width:] = np.frombuffer(data, np.uint8).reshape(-1, form.width)
        reals = padded.view("<i4")[:, 0].astype(np.float64) / (1 << 31)
    return reals.reshape(-1, form.channels)
