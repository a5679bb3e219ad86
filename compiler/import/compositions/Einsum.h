// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Einstein's summation: labels name the axes of the operands. Axes whose label is not in the result are summed.
//
// `ij,jk->ik` is a matrix product. If an operand repeats a label, its diagonal is taken. An ellipsis stands for axes
// that broadcast. Upper-case letters are different labels than lower-case ones. Without an arrow, the result has the
// axes of the ellipsis, and then the labels that occur once, sorted.
//
// The text is parsed to lists of labels, which are checked against the shapes of the operands. Then diagonals are
// taken, and axes that only one operand has are summed. At last, operands are joined from left to right, each by one
// matrix product.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_EINSUM_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_EINSUM_H

#include "compiler/import/builder/NnBuilder.h"

#include "llvm/Support/Error.h"

namespace nacre::importer {

/// Labels of the axes of a tensor. A label is the character of a letter. The axes of an ellipsis are -1, -2, ... from
/// the last one.
using EinsumLabels = llvm::SmallVector<int>;

struct EinsumTerms {
  llvm::SmallVector<EinsumLabels> operands;
  EinsumLabels result;
  llvm::SmallVector<int64_t> shape; ///< shape of the result
};

/// Parses an equation for operands of `shapes`. The text of an error is meant to follow the name of the equation: "must
/// have ...".
llvm::Expected<EinsumTerms> parseEinsum(llvm::StringRef equation, llvm::ArrayRef<Ints> shapes);

/// Returns the result, or null after an error. For example, an intermediate product may not fit into memory.
mlir::Value einsum(NnBuilder &nn, const EinsumTerms &terms, mlir::ValueRange operands);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_EINSUM_H
