// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the kind of message in a TensorFlow file.
//
// A graph, a MetaGraph and a saved model are protobuf files without a magic number, and all of them may be named .pb.
// Only their first fields differ.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_FILEROOT_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_FILEROOT_H

#include "compiler/import/tensorflow/graph/Schema.h"

#include <optional>

namespace nacre::importer::tensorflow_format {

/// Returns the kind of message in a file, in binary or text form, even if the file is damaged or cut off. Returns
/// nullopt if the file does not begin like any of these messages.
std::optional<WireRoot> findRoot(llvm::StringRef bytes);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_FILEROOT_H
