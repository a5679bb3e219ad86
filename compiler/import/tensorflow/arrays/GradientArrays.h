// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the gradients of TensorArrays into separate arrays.
//
// TensorArrayGradV3 becomes a TensorArrayV3 of the same size. TensorFlow stores the gradient of an array next to the
// array, in a resource. All writers add to it, and flows (scalars from one node to the next) only order the writers. In
// Nacre, a flow is the contents of the array, so it must lead from each node that writes the array to the readers.
//
// A node outside of loops writes to a new array. A node in a loop writes to the array that the loop carries. This array
// replaces the sum of flows that the loop of tf.gradients carries.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_GRADIENTARRAYS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_GRADIENTARRAYS_H

#include "mlir/IR/Location.h"
#include "tensorflow.pb.h"
#include "llvm/Support/LogicalResult.h"

namespace nacre::importer::tensorflow_format {

/// Replaces the gradients of all TensorArrays of `graph`. Errors are emitted at the node they concern.
llvm::LogicalResult replaceGradientArrays(tensorflow::GraphDef &graph, mlir::Location modelLoc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_GRADIENTARRAYS_H
