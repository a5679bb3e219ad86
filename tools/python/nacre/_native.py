# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Declares nacre/runtime.h for ctypes: structures, enumerations and the function table, with the header's names.

Why:  A model's .so exports one structure with a function table, so nothing needs to be linked or built here.
How:  test/python/layout_test.py compiles a C program that prints the header's offsets, sizes and numbers, and compares them
      with this file. It also compares the parameters of each function with the header's text.
"""
from __future__ import annotations

import ctypes
import enum
from ctypes import CFUNCTYPE, POINTER, c_char, c_char_p, c_float, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

API_VERSION = 10
OLDEST_VERSION = 6  # Of models that this runs (docs/compatibility.md).
ALIGNMENT = 64
STATE_ALL = 0xFFFFFFFF


class Status(enum.IntEnum):
    """The status of a runtime call."""

    OK = 0
    BAD_ARGUMENT = 1
    OUT_OF_MEMORY = 2
    UNSUPPORTED = 3
    FAILED = 4
    CANCELLED = 5
    TOO_MANY_ITERATIONS = 6


class GpuChoice(enum.IntEnum):
    IF_USEFUL = 0
    NEVER = 1
    REQUIRED = 2


class StateRole(enum.IntFlag):
    RECURRENT = 1
    WEIGHT = 2
    MOMENT = 4
    STATISTIC = 8
    COUNTER = 16


class ElementType(enum.IntEnum):
    F32 = 1
    U8 = 2
    I8 = 3
    U16 = 4
    I16 = 5
    I32 = 6
    I64 = 7
    BOOL = 9
    F16 = 10
    F64 = 11
    U32 = 12
    U64 = 13
    BF16 = 16
    F8E4M3FN = 17
    F8E4M3FNUZ = 18
    F8E5M2 = 19
    F8E5M2FNUZ = 20
    U4 = 21
    I4 = 22
    F4E2M1 = 23
    F8E8M0 = 24
    U2 = 25
    I2 = 26


class LibraryVerdict(enum.IntEnum):
    """The answer of nacre_library_check, in runtime/inspect/library_check.h."""

    GOOD = 0
    UNREADABLE = 1
    UNKNOWN_FORMAT = 2
    OTHER_MACHINE = 3
    DAMAGED = 4


class LibraryFacts(ctypes.Structure):
    _fields_ = [("code_bytes", c_uint64), ("system_error", c_int32), ("symbol", c_char * 1024), ("build_id", c_char * 65),
                ("reason", c_char * 256)]


class ModelInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("compiler", c_char_p), ("target", c_char_p), ("entry_count", c_uint32),
                ("kernel_count", c_uint32), ("weight_bytes", c_uint64), ("state_bytes", c_uint64), ("variable_count", c_uint32)]


class StateInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_int), ("rank", c_uint32), ("dims", POINTER(c_int64)), ("bytes", c_uint64),
                ("role", c_int)]


class EntryInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("input_count", c_uint32), ("output_count", c_uint32), ("launch_count", c_uint32),
                ("arena_bytes", c_uint64)]


class ChannelInfo(ctypes.Structure):
    _fields_ = [("scale", c_float), ("zero_point", c_int32)]


class TensorInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_int), ("rank", c_uint32), ("dims", POINTER(c_int64)), ("bytes", c_uint64),
                ("scale", c_float), ("zero_point", c_int32), ("open_axes", c_uint32), ("channels", POINTER(ChannelInfo)),
                ("channel_axis", c_uint32)]


class LaunchInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("kernel", c_char_p), ("kind", c_char_p)]


class LaunchTime(ctypes.Structure):
    _fields_ = [("begin", c_uint64), ("total", c_uint64), ("executions", c_uint64), ("cpu_total", c_uint64),
                ("gpu_total", c_uint64), ("cpu_share", c_int64), ("gpu_share", c_int64), ("cut_extent", c_int64)]


class SessionInfo(ctypes.Structure):
    _fields_ = [("device", c_char * 256), ("threads", c_uint32), ("gpu_launches", c_uint32), ("cpu_launches", c_uint32),
                ("submissions", c_uint32), ("pipelines", c_uint32), ("barriers", c_uint32), ("gpu_bytes", c_uint64),
                ("gpu_open_time", c_uint64), ("gpu_pipelines_time", c_uint64), ("gpu_weights_time", c_uint64),
                ("gpu_recording_time", c_uint64), ("gpu_measuring_time", c_uint64)]


class DeviceInfo(ctypes.Structure):
    _fields_ = [("name", c_char * 256), ("tier", c_uint32), ("usable", c_uint32), ("unified", c_uint32), ("is_cpu", c_uint32),
                ("report", c_char * 1024)]


class MemoryInfo(ctypes.Structure):
    _fields_ = [("block_bytes", c_uint64), ("arena_bytes", c_uint64), ("input_bytes", c_uint64), ("output_bytes", c_uint64),
                ("state_bytes", c_uint64), ("scratch_bytes", c_uint64), ("threads", c_uint32)]


# Sessions, states and executors are opaque here; only a model's head is read.
SessionPointer = c_void_p
StatePointer = c_void_p
ModelPointer = c_void_p

LogFunction = CFUNCTYPE(None, c_void_p, c_int, c_char_p)


class SessionOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("entry", c_char_p), ("threads", c_uint32), ("profile", c_uint32), ("gpu", c_int),
                ("allocator", c_void_p), ("executor", c_void_p), ("log", LogFunction), ("log_user", c_void_p),
                ("cache_folder", c_char_p), ("weights", c_void_p), ("weights_bytes", c_size_t), ("reason", c_void_p),
                ("reason_capacity", c_size_t), ("gpu_cut", c_uint32), ("gpu_device", c_uint32), ("gpu_sequential", c_uint32),
                ("gpu_background", c_uint32), ("gpu_self_test", c_uint32), ("tune_budget_ms", c_uint32), ("state", StatePointer),
                ("max_iterations", c_uint64), ("all_entries", c_uint32)]


def _describes(info: type, *indices: type) -> Any:
    return CFUNCTYPE(c_int, ModelPointer, *indices, c_size_t, POINTER(info))


class StateFunctions(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("of_session", CFUNCTYPE(c_int, SessionPointer, POINTER(StatePointer))),
        ("describe", _describes(StateInfo, c_uint32)),
        ("find", CFUNCTYPE(c_int, StatePointer, c_char_p, POINTER(c_uint32))),
        ("copy", CFUNCTYPE(c_int, StatePointer, c_uint32, c_void_p, c_size_t, c_uint32)),
        ("reset", CFUNCTYPE(c_int, StatePointer, c_uint32)),
        ("reason", CFUNCTYPE(c_char_p, StatePointer)),
        ("create", CFUNCTYPE(c_int, ModelPointer, c_uint32, POINTER(SessionOptions), POINTER(StatePointer))),
        ("destroy", CFUNCTYPE(None, StatePointer)),
        ("copy_all", CFUNCTYPE(c_int, StatePointer, StatePointer)),
        ("save", CFUNCTYPE(c_int, StatePointer, c_char_p, c_uint32)),
        ("load", CFUNCTYPE(c_int, StatePointer, c_char_p, c_uint32)),
    ]


class Weights(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("bytes", c_size_t), ("hash", c_uint64)]


class WeightsFunctions(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("open", CFUNCTYPE(c_int, ModelPointer, c_char_p, c_size_t, POINTER(Weights), c_void_p, c_size_t)),
        ("check", CFUNCTYPE(c_int, ModelPointer, c_void_p, c_size_t, c_uint32, c_void_p, c_size_t)),
        ("close", CFUNCTYPE(None, c_void_p, c_size_t)),
    ]


class Functions(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("api_version", c_uint32),
        ("model_describe", _describes(ModelInfo)),
        ("entry_describe", _describes(EntryInfo, c_uint32)),
        ("input_describe", _describes(TensorInfo, c_uint32, c_uint32)),
        ("output_describe", _describes(TensorInfo, c_uint32, c_uint32)),
        ("launch_describe", _describes(LaunchInfo, c_uint32, c_uint32)),
        ("session_memory", CFUNCTYPE(c_int, ModelPointer, c_uint32, POINTER(SessionOptions), c_size_t, POINTER(MemoryInfo))),
        ("session_create", CFUNCTYPE(c_int, ModelPointer, c_uint32, POINTER(SessionOptions), POINTER(SessionPointer))),
        ("session_destroy", CFUNCTYPE(None, SessionPointer)),
        ("session_input", CFUNCTYPE(c_int, SessionPointer, c_uint32, POINTER(c_void_p))),
        ("session_output", CFUNCTYPE(c_int, SessionPointer, c_uint32, POINTER(c_void_p))),
        ("session_find_input", CFUNCTYPE(c_int, SessionPointer, c_char_p, POINTER(c_uint32))),
        ("session_find_output", CFUNCTYPE(c_int, SessionPointer, c_char_p, POINTER(c_uint32))),
        ("session_bind_input", CFUNCTYPE(c_int, SessionPointer, c_uint32, c_void_p)),
        ("session_bind_output", CFUNCTYPE(c_int, SessionPointer, c_uint32, c_void_p)),
        ("session_run", CFUNCTYPE(c_int, SessionPointer)),
        ("session_launch_time", CFUNCTYPE(c_int, SessionPointer, c_uint32, c_size_t, POINTER(LaunchTime))),
        ("session_reason", CFUNCTYPE(c_char_p, SessionPointer)),
        ("executor_create", CFUNCTYPE(c_int, c_uint32, c_void_p, POINTER(c_void_p))),
        ("executor_destroy", CFUNCTYPE(None, c_void_p)),
        ("session_describe", CFUNCTYPE(c_int, SessionPointer, c_size_t, POINTER(SessionInfo))),
        ("device_describe", _describes(DeviceInfo, c_uint32)),
        ("session_output_dims", CFUNCTYPE(c_int, SessionPointer, c_uint32, POINTER(c_int64))),
        ("state", POINTER(StateFunctions)),
        ("session_cancel", CFUNCTYPE(c_int, SessionPointer)),
        ("weights", POINTER(WeightsFunctions)),
        ("session_use", CFUNCTYPE(c_int, SessionPointer, c_uint32)),
    ]


class ModelHead(ctypes.Structure):
    """nacre_model. The fields after the head are private to the compiler."""

    _fields_ = [("functions", POINTER(Functions))]


def text(value: bytes) -> str:
    """Decodes a name. Names in models may not be valid UTF-8; encoded(text(b)) is b."""
    return (value or b"").decode("utf-8", "surrogateescape")


def encoded(value: str) -> bytes:
    return value.encode("utf-8", "surrogateescape")
