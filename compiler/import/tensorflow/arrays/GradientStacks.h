// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the stacks that gradients of loops use into lists.
//
// StackV2, StackPushV2 and StackPopV2 become EmptyTensorList, TensorListPushBack and TensorListPopBack. A stack is a
// resource: a loop changes it and the gradient's loop reads it, with no edge between them. A list is a value that both
// loops can carry. The loop that pushes carries the list from the former stack to an Exit. The value of the Exit enters
// the loop that pops.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_GRADIENTSTACKS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_GRADIENTSTACKS_H

#include "mlir/IR/Location.h"
#include "tensorflow.pb.h"
#include "llvm/Support/LogicalResult.h"

namespace nacre::importer::tensorflow_format {

/// Replaces all stacks of `graph`. Errors are emitted at the node they concern.
llvm::LogicalResult replaceGradientStacks(tensorflow::GraphDef &graph, mlir::Location modelLoc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_GRADIENTSTACKS_H
