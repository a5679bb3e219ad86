// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes lists that represent complex numbers (compiler/import/tensorflow/complex/Pairs.h), so that messages can
// say so. Users know complex tensors in their graphs, but no lists.

#ifndef NACRE_COMPILER_IMPORT_MESSAGES_COMPLEXVALUES_H
#define NACRE_COMPILER_IMPORT_MESSAGES_COMPLEXVALUES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"

namespace nacre::importer {

/// Marks a list of a real and an imaginary part. Does nothing if `list` is null.
void markComplex(mlir::Value list);

bool isComplex(mlir::Value value);

/// End of a message that rejects such a list.
inline constexpr llvm::StringLiteral complexAdvice = "holds complex numbers; apply Real, Imag or ComplexAbs first";

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MESSAGES_COMPLEXVALUES_H
