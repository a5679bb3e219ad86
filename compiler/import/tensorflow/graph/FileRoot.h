// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of TensorFlow's messages a file holds.
//
// Why:  a graph, a graph with its signatures and a saved model are all files of protobuf without a mark, called .pb as often as
//       not; their first fields tell.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_FILEROOT_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_FILEROOT_H

#include "compiler/import/tensorflow/graph/Schema.h"

#include <optional>

namespace nacre::importer::tensorflow_format {

/// The message that a file, of bytes or of text, holds, be it damaged or cut off; nothing where it begins like none of them.
std::optional<WireRoot> findRoot(llvm::StringRef bytes);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_FILEROOT_H
