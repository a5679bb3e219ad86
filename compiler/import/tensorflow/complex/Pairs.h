// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex numbers, which TensorFlow has as an element type and `nn` has not.
//
// What: a tensor of them is a list of two tensors of one shape, the real and the imaginary parts, while the model is imported.
// Why:  operators that only pass values on, such as Identity, take lists already, and others refuse them in plain words.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_COMPLEX_PAIRS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_COMPLEX_PAIRS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::tensorflow_format {

struct ComplexPair {
  mlir::Value real, imaginary;
};

/// Operand `index` as complex numbers; reports an error if it does not hold any.
mlir::FailureOr<ComplexPair> getPair(OperandBinder &node, size_t index);

void setPair(OperandBinder &node, ComplexPair pair);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_COMPLEX_PAIRS_H
