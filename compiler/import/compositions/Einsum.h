// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Einstein's summation: labels name the axes of the operands. Axes whose label is not in the result are summed.
//
// `ij,jk->ik` is a matrix product. Labels that one operand repeats take a diagonal. An ellipsis stands for axes that
// broadcast. Capital letters are separate labels. Without an arrow, the result has the axes of the ellipsis, then the
// labels that occur once, sorted.
//
// How:  1. parse the text to lists of labels, and check them against the shapes of the operands,
//       2. take diagonals, and sum the axes that only one operand has,
//       3. join operands from left to right, each by one matrix product.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_EINSUM_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_EINSUM_H

#include "compiler/import/builder/NnBuilder.h"

#include "llvm/Support/Error.h"

namespace nacre::importer {

/// Labels of the axes: a letter's character, or -1, -2, ... for the axes of an ellipsis, counted from the last.
using EinsumLabels = llvm::SmallVector<int>;

struct EinsumTerms {
  llvm::SmallVector<EinsumLabels> operands;
  EinsumLabels result;
  llvm::SmallVector<int64_t> shape; ///< shape of the result
};

/// Parses an equation for operands of `shapes`. The text of an error follows the equation's name: "must have ...".
llvm::Expected<EinsumTerms> parseEinsum(llvm::StringRef equation, llvm::ArrayRef<Ints> shapes);

/// Returns the result, or null after an error, for example if an intermediate product does not fit into memory.
mlir::Value einsum(NnBuilder &nn, const EinsumTerms &terms, mlir::ValueRange operands);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_EINSUM_H
