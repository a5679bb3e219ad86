// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields of ONNX's messages that the reader needs, for the wire scan.

#ifndef NACRE_COMPILER_IMPORT_ONNX_GRAPH_SCHEMA_H
#define NACRE_COMPILER_IMPORT_ONNX_GRAPH_SCHEMA_H

#include "compiler/import/protobuf/WireScan.h"

namespace nacre::importer::onnx_format {

/// Kinds of messages that a file may hold.
enum class WireRoot : uint8_t { Model, Tensor };

/// Scans `file`, the serialized message named by `root`. A tensor's field `segment` names its payloads. ONNX reserves
/// that field for tensors split over several messages, and no exporter writes it.
llvm::Expected<WireSkeleton> scanWire(llvm::StringRef file, WireRoot root, uint64_t memoryBudget);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_GRAPH_SCHEMA_H
