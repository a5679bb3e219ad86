// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of TensorFlow's messages that the reader needs, for the wire scan.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_SCHEMA_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_SCHEMA_H

#include "compiler/import/protobuf/WireScan.h"

namespace nacre::importer::tensorflow_format {

/// The messages that a file may hold.
enum class WireRoot : uint8_t { Graph, MetaGraph, SavedModel, Objects, Tensor, BundleHeader, BundleEntry };

/// Scans `file`, a serialized message of kind `root`. Tensors name their payloads in the field `payloads`, which
/// TensorFlow does not have.
llvm::Expected<WireSkeleton> scanWire(llvm::StringRef file, WireRoot root, uint64_t memoryBudget);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_SCHEMA_H
