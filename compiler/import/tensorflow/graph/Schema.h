// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of TensorFlow's messages that the reader needs, for the wire scan.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_SCHEMA_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_SCHEMA_H

#include "compiler/import/protobuf/WireScan.h"

namespace nacre::importer::tensorflow_format {

/// The kinds of messages that a file may contain.
enum class WireRoot : uint8_t { Graph, MetaGraph, SavedModel, Objects, Tensor, BundleHeader, BundleEntry };

/// Scans `file`, a serialized message of kind `root`. In the result, a tensor refers to its payloads by the field
/// `payloads`, which only Nacre's messages have.
llvm::Expected<WireSkeleton> scanWire(llvm::StringRef file, WireRoot root, uint64_t memoryBudget);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_SCHEMA_H
