// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists that a loop carries as stacks.
//
// What:  which carried lists get a row in each iteration, and which lose one.
// Why:   such a list has another type in each iteration, so no loop can carry it. Its rows can be the loop's stacked results, or its
//        scanned operands. The gradients of loops need these: a loop pushes what the gradient's loop takes back, from the last on.
// How:   a list is a stack if the body only pushes to it, or only takes from it, once, and hands on the rest.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_CARRIEDSTACKS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_CARRIEDSTACKS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::tensorflow_format {

struct CarriedStack {
  enum class Use : uint8_t { None, Grows, Shrinks } use = Use::None;
  std::string node; ///< that pushes or takes
};

/// Returns one for each carried value of a loop.
std::vector<CarriedStack> findCarriedStacks(const GraphView &condition, const GraphView &body);

/// Returns the `count` last rows of an array as a tensor, the last one first if `isReversed`, and the array without these rows;
/// nulls after an error, which names `taking`, the node that takes rows.
std::pair<mlir::Value, mlir::Value> splitStack(OperandBinder &node, mlir::Value array, int64_t count, bool isReversed,
                                               llvm::StringRef taking);

/// Returns the array with more rows, those of a tensor; null after an error.
mlir::Value growStack(OperandBinder &node, mlir::Value array, mlir::Value rows);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_CARRIEDSTACKS_H
