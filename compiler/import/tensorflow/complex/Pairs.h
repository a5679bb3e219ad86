// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex numbers, which are an element type of TensorFlow but not of `nn`.
//
// During the import, a complex tensor is a list of two tensors of one shape: the real and the imaginary parts.
// Operators that only pass values on, such as Identity, accept lists. Other operators report an error.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_COMPLEX_PAIRS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_COMPLEX_PAIRS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::tensorflow_format {

struct ComplexPair {
  mlir::Value real, imaginary;
};

/// Returns the real and imaginary parts of the operand `index`. Reports an error if the operand is not complex.
mlir::FailureOr<ComplexPair> getPair(OperandBinder &node, size_t index);

void setPair(OperandBinder &node, ComplexPair pair);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_COMPLEX_PAIRS_H
