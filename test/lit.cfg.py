# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What:  which files are lit tests, and the programs they may call by bare name.
# Why:   folders of other rings (unit, conformance, ...) hold files that lit must not take for tests.
import os

import lit.formats
from lit.llvm import llvm_config

config.name = "Nacre"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unit", "runtime", "conformance", "bench", "e2e", "fuzz", "size", "lint"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params.get("exec_root", config.nacre_build)

llvm_config.with_environment("PATH", [config.nacre_tools_dir, config.llvm_tools_dir], append_path=True)
llvm_config.use_default_substitutions()
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"  # lit hands on few variables of its own environment.
programs = ["nacre-opt", "nacre-kernel", "nacre-lsp-server", "nacre-translate", "nacre-compile", "nacre-run"]
llvm_config.add_tool_substitutions([p for p in programs if os.path.exists(os.path.join(config.nacre_tools_dir, p))],
                                   [config.nacre_tools_dir])
config.substitutions.append(("%python", config.nacre_python))
# Operators' definitions are read by: %mlir_tblgen -gen-op-doc -dialect=nn %source_root/dialects/nn/NnOps.td
source_root = os.path.dirname(config.test_source_root)
include_folders = [source_root, os.path.join(os.path.dirname(config.llvm_tools_dir), "include")]
config.substitutions.append(("%mlir_tblgen", " ".join(["mlir-tblgen", *(f"-I{folder}" for folder in include_folders)])))
config.substitutions.append(("%source_root", source_root))

# A text model under test becomes an .onnx file by: %onnx < model.textproto > %t.onnx
schema = os.path.join(os.path.dirname(config.test_source_root), "compiler", "import", "onnx")
# One of TensorFlow Lite becomes %t/model.tflite by: flatc --binary -o %t %tflite_schema %t/model.json
tables = os.path.join(os.path.dirname(config.test_source_root), "compiler", "import", "tflite", "tflite.fbs")
config.substitutions.append(("%tflite_schema", tables))
config.substitutions.append(("%onnx_tensor", f"protoc --encode=onnx.TensorProto -I{schema} onnx.proto"))
config.substitutions.append(("%onnx", f"protoc --encode=onnx.ModelProto -I{schema} onnx.proto"))
caffe_schema = os.path.join(os.path.dirname(config.test_source_root), "compiler", "import", "caffe")
config.substitutions.append(("%caffe", f"protoc --encode=caffe.NetParameter -I{caffe_schema} caffe.proto"))
if config.nacre_qemu:
    config.available_features.add("qemu-aarch64")
