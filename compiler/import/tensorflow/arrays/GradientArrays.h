// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradients of TensorArrays, as arrays of their own.
//
// What:  TensorArrayGradV3 becomes a TensorArrayV3 of the same size, whose flow leads from the node that writes it to those that read it.
// Why:   TensorFlow keeps the gradient of an array beside it, in a resource: whatever writes adds to it, and the flows only order that.
//        Here a flow is the array's contents.
// How:   a node outside of loops writes to a new array. One in a loop writes to what the loop carries, in place of the sum of
//        flows that tf.gradients carries.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_GRADIENTARRAYS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_GRADIENTARRAYS_H

#include "mlir/IR/Location.h"
#include "tensorflow.pb.h"
#include "llvm/Support/LogicalResult.h"

namespace nacre::importer::tensorflow_format {

/// Errors are emitted at the node that they concern.
llvm::LogicalResult replaceGradientArrays(tensorflow::GraphDef &graph, mlir::Location modelLoc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_GRADIENTARRAYS_H
