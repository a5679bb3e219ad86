#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses include lines that break the layers: phases know dialects, never one another.

tools/*.cpp -> compiler/driver/Pipeline.h -> compiler/<phase>/Passes.h -> dialects/* -> MLIR
                                      compiler/<phase> -> codegen/MachineModel.h -> the standard library alone
                                      compiler/encode -> codegen/form and the tables of tiles, to ask them
                                      compiler/place, compiler/schedule -> compiler/price -> dialects/*, codegen/MachineModel.h
                    -> codegen/Backend.h -> codegen/{cpu,gpu} -> codegen/form -> dialects, LLVM
codegen, and tools/package, tools/diff and tools/run/phone, which read what it wrote -> runtime/include/nacre/model_format.h (and what it includes), the bridge
        to the runtime
codegen/package -> runtime/src/slots.h and runtime/features.def, the table of functions that it writes
tools/run, tools/try, tools/tune, samples -> nacre/runtime.h alone; runtime -> the C library alone
whoever writes or opens libraries -> runtime/inspect/library_check.h; tools/run -> runtime/inspect/devices.h
compiler/import, tools/run -> compiler/import/npy, compiler/import/protobuf/Wire.h, dialects/nn/FloatFormats.h -> the standard library alone
tools/run, tools/tune, tools/try -> tools/measure -> the C library alone
tools/run, tools/tune -> tools/phone -> tools/process -> tools/Failure.h
whoever names or writes files -> dialects/NamedFiles.h, dialects/OutputFile.h -> the C library alone
whoever prints counts or numbers -> dialects/Count.h, dialects/NumberText.h -> the standard library alone
tools/eval, tools/diff -> compiler/evaluate -> dialects: what a model means, beside the phases and seen by none of them
tools/translate -> compiler/state -> compiler/import: trained weights back into a model
"""
import re

import tree

# For each room (the longest prefix of a path counts): what its includes of this repository may begin with.
# A room may always include itself.
# A trailing * stands for one file name, so "codegen/*" does not open codegen's folders.
BRIDGE = ("runtime/include/nacre/model_format.h", "runtime/include/nacre/weights_format.h", "runtime/include/nacre/runtime.h")
INSPECT = ("runtime/inspect/library_check.h",)
DEVICES = ("runtime/inspect/devices.h",)
PUBLIC = ("runtime/include/nacre/runtime.h", "runtime/include/nacre/elements.hpp", "runtime/include/nacre/image.hpp", "nacre/runtime.h", "nacre/runtime.hpp", "nacre/image.hpp")
ALLOWED = {
    "dialects/": (),
    "compiler/driver/": ("compiler/", "codegen/*", "codegen/package/", "dialects/"),
    "compiler/options/": ("compiler/import/options/", "compiler/train/TrainingOptions.h", "dialects/"),
    "compiler/report/": ("compiler/options/", "compiler/import/model/ImportedNodes.h", "compiler/graph/InFloats.h", "compiler/price/", "compiler/place/", "compiler/schedule/", "codegen/*", "codegen/package/", "dialects/"),
    "codegen/": ("dialects/", "codegen/", *BRIDGE),
    "codegen/form/": ("dialects/", "codegen/form/"),
    "runtime/": ("nacre/",),
    "tools/package/": ("tools/*", "dialects/NamedFiles.h", "dialects/OutputFile.h", "runtime/include/nacre/weights_format.h", "runtime/include/nacre/info.h"),
    "tools/": ("tools/*", "compiler/driver/", "compiler/options/", "compiler/report/", "dialects/"),
    "tools/process/": ("tools/Failure.h",),
    "tools/phone/": ("tools/Failure.h", "tools/PrintableText.h", "tools/process/"),
    "tools/run/": (*PUBLIC, *INSPECT, *DEVICES, "tools/Failure.h", "tools/PrintableText.h", "tools/phone/", "tools/process/", "tools/NearestName.h", "tools/OutOfMemory.h", "tools/ResponseFile.h", "tools/StandardStreams.h", "compiler/import/npy/", "compiler/import/protobuf/Wire.h", "dialects/Count.h",
                   "dialects/NamedFiles.h", "dialects/NumberText.h", "dialects/OutputFile.h", "dialects/nn/FloatFormats.h", "tools/measure/"),
    "tools/run/phone/": (*BRIDGE, *INSPECT, "tools/run/", "tools/phone/", "tools/process/", "dialects/NamedFiles.h"),
    "tools/measure/": (*PUBLIC, *INSPECT),
    "tools/tune/": ("tools/Failure.h", "tools/PrintableText.h", "tools/measure/", "tools/phone/", "tools/process/", "tools/NearestName.h", "tools/OutOfMemory.h", "tools/ResponseFile.h", "tools/StandardStreams.h", "dialects/NamedFiles.h", "dialects/OutputFile.h"),
    "tools/try/": (*PUBLIC, *INSPECT, "tools/measure/"),
    "tools/translate/": ("tools/*", "compiler/import/Import.h", "compiler/state/WriteTrained.h", "dialects/*"),  # one phase alone, without the compiler around it
    # What models mean, and the parts of nacre-run that read, write and compare tensors; element types as libraries number them.
    "tools/eval/": ("tools/*", "tools/run/", "compiler/driver/", "compiler/options/", "compiler/evaluate/", "codegen/package/ElementTypes.h", "dialects/"),
    "tools/diff/": ("tools/*", "tools/run/", "tools/eval/", "compiler/driver/", *BRIDGE),  # whose tables say what a library stores as fp16
    "tools/kernel/": ("tools/*", "codegen/*", "dialects/"),  # one kernel alone
    "samples/": PUBLIC,
    "test/": ("",),
}
PHASES = ("import", "train", "graph", "kernels", "encode", "place", "schedule")
ALLOWED["compiler/evaluate/"] = ("dialects/",)
ALLOWED["compiler/state/"] = ("compiler/import/", "dialects/")
ALLOWED.update({f"compiler/{phase}/": ("dialects/", "codegen/MachineModel.h") for phase in PHASES})
# The standard library alone: nacre-run, which has no LLVM, reads .npy files, tensors of ONNX and small floats by them, too.
ALLOWED["compiler/import/npy/"] = ALLOWED["compiler/import/protobuf/Wire.h"] = ALLOWED["dialects/OutputFile."] = ALLOWED["dialects/nn/FloatFormats.h"] = ()
ALLOWED["dialects/NamedFiles."] = ("dialects/OutputFile.h",)
# What a launch computes is counted once, for all who predict times.
ALLOWED["compiler/price/"] = ("dialects/", "codegen/MachineModel.h")
ALLOWED["compiler/place/"] += ("compiler/price/",)
ALLOWED["compiler/schedule/"] += ("compiler/price/",)
# Prices are those of a target.
ALLOWED["compiler/schedule/"] += ("codegen/Target.h", "codegen/TargetOptions.h")
# Of code generation one phase sees what is pure: which encodings there are, and what they come to.
TILES = "codegen/cpu/tiles/"
ALLOWED["compiler/encode/"] += ("codegen/Target.h", "codegen/TargetOptions.h", "codegen/form/",
                                 f"{TILES}MachineRows.h", f"{TILES}ScratchProduct.h", f"{TILES}TileTables.h", "codegen/cpu/depthwise/TapProducts.h", "codegen/cpu/winograd/WinogradTables.h")
ALLOWED.update({f"codegen/{room}/": ("dialects/", "codegen/*", "codegen/form/", *BRIDGE) for room in ("cpu", "gpu", "package")})
ALLOWED["codegen/package/"] += (*INSPECT, "runtime/src/slots.h", "runtime/features.def")

# Our own headers are named by these first folders; everything else is a library.
OURS = ("dialects/", "compiler/", "codegen/", "runtime/", "tools/", "test/", "samples/", "nacre/")

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)


def is_allowed(name, room):
    return any(name.startswith(prefix) if not prefix.endswith("*") else
               name.startswith(prefix[:-1]) and "/" not in name[len(prefix) - 1:] for prefix in (room, *ALLOWED[room]))


def room_of(path):
    return max((room for room in ALLOWED if path.startswith(room)), key=len, default=None)


def problems_of(path, text):
    room = room_of(path)
    if room is None:
        return
    for match in INCLUDE.finditer(text):
        quote, name = match.groups()
        where = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
        if name == "mlir/Conversion/Passes.h":
            yield f"{where}: includes {name}, which costs 15 s; name the passes in a textual pipeline instead"
        elif room == "runtime/" and name.startswith(("llvm/", "mlir/")):
            yield f"{where}: the runtime includes {name}; it must build without LLVM"
        elif name.startswith(OURS):
            if not is_allowed(name, room):
                yield f"{where}: {room} must not include {name}; move what is shared to where both may look; the rules are at the top of tools/dev/check_includes.py"
        elif quote == '"' and "/" not in name and not name.endswith(".pb.h") and room not in ("runtime/", "test/", "samples/"):
            yield f'{where}: includes "{name}"; write the path from the root of the repository'


def main():
    sources = [path for path in tree.files() if path.endswith((".h", ".hpp", ".c", ".cpp", ".def"))]
    tree.finish([problem for path in sources for problem in problems_of(path, tree.read(path) or "")])


if __name__ == "__main__":
    main()
