// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What optimizers of TensorFlow change: the variable that is trained, and its slots, which are their first operands.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_TRAINEDOPERANDS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_TRAINEDOPERANDS_H

#include "llvm/ADT/StringRef.h"

namespace nacre::importer::tensorflow_format {

/// Returns how many variables the operator changes, its first operands, if it is an optimizer's; otherwise 0. The first is trained.
size_t countTrainedOperands(llvm::StringRef op);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_TRAINEDOPERANDS_H
