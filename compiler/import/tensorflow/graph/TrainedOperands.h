// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables that TensorFlow's optimizers change: the trained variable and its slots. They are the first operands of
// an optimizer.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_TRAINEDOPERANDS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_TRAINEDOPERANDS_H

#include "llvm/ADT/StringRef.h"

namespace nacre::importer::tensorflow_format {

/// Returns the number of first operands that an optimizer changes; 0 for other operators. The first operand is the
/// trained variable.
size_t countTrainedOperands(llvm::StringRef op);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_TRAINEDOPERANDS_H
