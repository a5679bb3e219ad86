#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The structures that the package copies from nacre/runtime.h and the check of libraries are those of the headers, to the byte and to the number.

A C program prints what the compiler makes of the header; the parameters of the functions are read off its text.
"""
import ctypes
import enum
import os
import re
import unittest

import packaged
from nacre import _native

INCLUDE = os.path.join(packaged.ROOT, "runtime", "include")
INSPECT = "runtime/inspect/library_check.h"
STRUCTURES = {"nacre_model_info": _native.ModelInfo, "nacre_state_info": _native.StateInfo, "nacre_entry_info": _native.EntryInfo,
              "nacre_channel_info": _native.ChannelInfo, "nacre_tensor_info": _native.TensorInfo, "nacre_launch_info": _native.LaunchInfo, "nacre_launch_time": _native.LaunchTime,
              "nacre_session_info": _native.SessionInfo, "nacre_device_info": _native.DeviceInfo, "nacre_memory_info": _native.MemoryInfo,
              "nacre_session_options": _native.SessionOptions, "nacre_functions": _native.Functions,
              "nacre_state_functions": _native.StateFunctions, "nacre_weights": _native.Weights,
              "nacre_weights_functions": _native.WeightsFunctions, "nacre_model": _native.ModelHead,
              "nacre_library_facts": _native.LibraryFacts}
NUMBERS = {_native.Status: "NACRE_", _native.GpuChoice: "NACRE_GPU_", _native.StateRole: "NACRE_STATE_", _native.ElementType: "NACRE_",
           _native.LibraryVerdict: "NACRE_LIBRARY_"}
ENUMERATIONS = {"nacre_status": _native.Status, "nacre_gpu_choice": _native.GpuChoice, "nacre_state_role": _native.StateRole,
                "nacre_element_type": _native.ElementType, "nacre_library_verdict": _native.LibraryVerdict}


def header_text():
    """The headers, without comments."""
    texts = []
    paths = [os.path.join(INCLUDE, "nacre", name) for name in ("info.h", "runtime.h", "describe.h", "executor.h", "state.h", "weights.h")]
    for path in (*paths, os.path.join(packaged.ROOT, INSPECT)):
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    return re.sub(r"/\*.*?\*/", "", "\n".join(texts), flags=re.DOTALL)


def kind_of_c(parameter):
    """What a parameter or a result is passed as."""
    if "*" in parameter:
        return "text" if parameter.startswith("const char") else "pointer"
    word = parameter.replace("const ", "").split()[0]
    return {"size_t": "8", "uint32_t": "4", "nacre_status": "4 signed", "nacre_log_level": "4 signed", "void": "nothing"}[word]


def kind_of_ctypes(declared):
    if declared is None:
        return "nothing"
    if declared is ctypes.c_char_p:
        return "text"
    if declared is ctypes.c_void_p or issubclass(declared, ctypes._Pointer):  # pylint: disable=protected-access
        return "pointer"
    return {ctypes.c_size_t: "8", ctypes.c_uint32: "4", ctypes.c_int: "4 signed"}[declared]


class LayoutTest(packaged.PackageTest):
    def asked(self):
        """{C expression: the number that the package has for it}."""
        numbers = {f"NACRE_{name}": getattr(_native, name) for name in ("API_VERSION", "ALIGNMENT", "STATE_ALL")}
        for kind, prefix in NUMBERS.items():
            numbers.update({prefix + member.name: member.value for member in kind})
        for name, structure in STRUCTURES.items():
            numbers[f"sizeof({name})"] = ctypes.sizeof(structure)
            for field, *_ in structure._fields_:  # pylint: disable=protected-access
                numbers[f"offsetof({name}, {field})"] = getattr(structure, field).offset
                numbers[f"sizeof((({name} *)0)->{field})"] = getattr(structure, field).size
        return numbers

    def test_every_offset_size_and_number_is_the_headers(self):
        asked = self.asked()
        self.assertGreater(len(asked), 250)
        prints = "\n".join(f'  printf("%llu\\n", (unsigned long long)({expression}));' for expression in asked)
        with open(self.path("layout.c"), "w", encoding="utf-8") as file:
            file.write(f"#include <nacre/runtime.h>\n#include <{INSPECT}>\n#include <stdio.h>\nint main(void) {{\n{prints}\n  return 0;\n}}\n")
        self.call(os.environ.get("CC", "cc"), "-std=c99", "-I", INCLUDE, "-I", packaged.ROOT, self.path("layout.c"), "-o", self.path("layout"))
        answers = [int(line) for line in self.call(self.path("layout")).split()]
        self.assertEqual(dict(zip(asked, answers)), asked)

    def test_no_field_is_left_out(self):
        text = header_text()
        for name, structure in STRUCTURES.items():
            body = re.search(rf"(?:typedef )?struct {name} \{{(.*?)\n\}}", text, re.DOTALL)[1]
            in_header = [found[0] or found[1] for found in
                         re.findall(r"\(\*(\w+)\)\(|(\w+)(?:\[\w+\])?;", re.sub(r"\)\([^;]*\);", ")(", body))]
            self.assertEqual([field for field, *_ in structure._fields_], in_header, name)  # pylint: disable=protected-access

    def test_no_number_is_left_out(self):
        text = header_text()
        for name, kind in ENUMERATIONS.items():
            body = re.search(rf"typedef enum {name} \{{(.*?)\}}", text, re.DOTALL)[1]
            self.assertTrue(issubclass(kind, enum.IntEnum) or issubclass(kind, enum.IntFlag))
            self.assertEqual([NUMBERS[kind] + member.name for member in kind], re.findall(r"(NACRE_\w+) =", body), name)

    def test_it_asks_of_models_what_the_header_asks(self):
        self.assertEqual(_native.OLDEST_VERSION, int(re.search(r"#define NACRE_OLDEST_API_VERSION (\d+)", header_text())[1]))

    def test_functions_take_what_the_header_says(self):
        text, checked = header_text(), 0
        for name, structure in (("nacre_functions", _native.Functions), ("nacre_state_functions", _native.StateFunctions),
                                ("nacre_weights_functions", _native.WeightsFunctions)):
            body = re.search(rf"struct {name} \{{(.*?)\n\}};", text, re.DOTALL)[1]
            declared = dict(structure._fields_)  # pylint: disable=protected-access
            for result, field, parameters in re.findall(r"([\w *]+?)\(\*(\w+)\)\((.*?)\);", body, re.DOTALL):
                ours = declared[field]
                self.assertEqual(kind_of_ctypes(ours._restype_), kind_of_c(result.strip()), field)  # pylint: disable=protected-access
                self.assertEqual([kind_of_ctypes(parameter) for parameter in ours._argtypes_],  # pylint: disable=protected-access
                                 [kind_of_c(" ".join(parameter.split())) for parameter in parameters.split(",")], field)
                checked += 1
        self.assertEqual(checked, 38)


if __name__ == "__main__":
    unittest.main()
