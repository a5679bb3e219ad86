// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables that TensorFlow's optimizers change: the trained variable and its slots, which are the first operands.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_TRAINEDOPERANDS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_TRAINEDOPERANDS_H

#include "llvm/ADT/StringRef.h"

namespace nacre::importer::tensorflow_format {

/// Returns how many of its first operands an optimizer changes; 0 for other operators. The first one is trained.
size_t countTrainedOperands(llvm::StringRef op);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_TRAINEDOPERANDS_H
