// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schema for the wire scan: the fields of ONNX's messages that the reader needs.

#ifndef NACRE_COMPILER_IMPORT_ONNX_GRAPH_SCHEMA_H
#define NACRE_COMPILER_IMPORT_ONNX_GRAPH_SCHEMA_H

#include "compiler/import/protobuf/WireScan.h"

namespace nacre::importer::onnx_format {

/// Kinds of messages that a file can contain.
enum class WireRoot : uint8_t { Model, Tensor };

/// Scans `file`, a serialized message of kind `root`. The field `segment` of a tensor refers to its payloads. ONNX
/// reserves that field for tensors that are split over several messages, and no exporter writes it.
llvm::Expected<WireSkeleton> scanWire(llvm::StringRef file, WireRoot root, uint64_t memoryBudget);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_GRAPH_SCHEMA_H
