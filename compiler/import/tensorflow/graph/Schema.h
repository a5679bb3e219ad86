// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reader wants of TensorFlow's messages, for the wire scan.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_SCHEMA_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_SCHEMA_H

#include "compiler/import/protobuf/WireScan.h"

namespace nacre::importer::tensorflow_format {

/// The messages that a file may hold.
enum class WireRoot : uint8_t { Graph, MetaGraph, SavedModel, Objects, Tensor, BundleHeader, BundleEntry };

/// Scans `file`, the serialized message named by `root`. A tensor with payloads names them by its field `payloads`, which
/// is ours.
llvm::Expected<WireSkeleton> scanWire(llvm::StringRef file, WireRoot root, uint64_t memoryBudget);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_SCHEMA_H
