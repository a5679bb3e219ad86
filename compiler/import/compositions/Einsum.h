// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Einstein's summation: labels name the axes of the operands, those that the result has not are summed over.
//
// What: "ij,jk->ik" is a matrix product. Repeated labels of one operand take a diagonal, an ellipsis stands for axes that
//       broadcast, capitals are labels of their own. Without an arrow the result has the labels that occur once, sorted,
//       behind the ellipsis.
// How:  1. the text becomes lists of labels, checked against the shapes of the operands,
//       2. diagonals, and sums over what one operand alone has,
//       3. operands join from the left to the right, two at a time, each time by one matrix product.

#ifndef NACRE_COMPILER_IMPORT_COMPOSITIONS_EINSUM_H
#define NACRE_COMPILER_IMPORT_COMPOSITIONS_EINSUM_H

#include "compiler/import/builder/NnBuilder.h"

#include "llvm/Support/Error.h"

namespace nacre::importer {

/// A label for each axis: letters are their characters, the axes of an ellipsis, counted from its last, -1, -2, ...
using EinsumLabels = llvm::SmallVector<int>;

struct EinsumTerms {
  llvm::SmallVector<EinsumLabels> operands;
  EinsumLabels result;
  llvm::SmallVector<int64_t> shape; ///< of the result
};

/// Reads an equation about operands of `shapes`. An error says what must hold of the equation, in words that follow its
/// name.
llvm::Expected<EinsumTerms> parseEinsum(llvm::StringRef equation, llvm::ArrayRef<Ints> shapes);

/// Null after an error, as where an intermediate product does not fit into memory.
mlir::Value einsum(NnBuilder &nn, const EinsumTerms &terms, mlir::ValueRange operands);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_COMPOSITIONS_EINSUM_H
