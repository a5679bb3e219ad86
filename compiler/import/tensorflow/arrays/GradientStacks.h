// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stacks of loops' gradients, as lists.
//
// What:  StackV2, StackPushV2 and StackPopV2 become EmptyTensorList, TensorListPushBack and TensorListPopBack.
// Why:   a stack is a resource that a loop changes and the gradient's loop reads, with no edge between them. A list is a value, which
//        both loops carry like any other.
// How:   the loop that pushes carries the list from the stack to an Exit, where the loop that pops takes it over.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_GRADIENTSTACKS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_GRADIENTSTACKS_H

#include "mlir/IR/Location.h"
#include "tensorflow.pb.h"
#include "llvm/Support/LogicalResult.h"

namespace nacre::importer::tensorflow_format {

/// Errors are emitted at the node that they concern.
llvm::LogicalResult replaceGradientStacks(tensorflow::GraphDef &graph, mlir::Location modelLoc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_GRADIENTSTACKS_H
