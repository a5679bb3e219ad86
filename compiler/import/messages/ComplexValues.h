// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes lists that represent complex numbers (compiler/import/tensorflow/complex/Pairs.h) in messages. Users'
// graphs have complex tensors, not lists.

#ifndef NACRE_COMPILER_IMPORT_MESSAGES_COMPLEXVALUES_H
#define NACRE_COMPILER_IMPORT_MESSAGES_COMPLEXVALUES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"

namespace nacre::importer {

/// Marks a list of the real and the imaginary parts; does nothing for null.
void markComplex(mlir::Value list);

bool isComplex(mlir::Value value);

/// Completes a message that refuses such a list.
inline constexpr llvm::StringLiteral complexAdvice = "holds complex numbers; apply Real, Imag or ComplexAbs first";

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MESSAGES_COMPLEXVALUES_H
