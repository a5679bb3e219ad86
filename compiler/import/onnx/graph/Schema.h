// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reader wants of ONNX's messages, for the wire scan.

#ifndef NACRE_COMPILER_IMPORT_ONNX_GRAPH_SCHEMA_H
#define NACRE_COMPILER_IMPORT_ONNX_GRAPH_SCHEMA_H

#include "compiler/import/protobuf/WireScan.h"

namespace nacre::importer::onnx_format {

/// The messages that a file may hold.
enum class WireRoot : uint8_t { Model, Tensor };

/// Scans `file`, the serialized message named by `root`. A tensor with payloads names them by its field `segment`, which
/// ONNX reserves for tensors split over several messages and nothing writes.
llvm::Expected<WireSkeleton> scanWire(llvm::StringRef file, WireRoot root, uint64_t memoryBudget);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_GRAPH_SCHEMA_H
