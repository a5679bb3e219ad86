// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists that a loop carries as stacks.
//
// A stack is a carried list that gets or loses one row in each iteration. Its type differs in each iteration, so a loop
// cannot carry it. Its rows can be stacked results of the loop, or scanned operands. Gradients of loops need this:
// their loop takes the rows that the first loop has pushed, the last one first. A list is a stack if the body only
// pushes to it once, or only takes from it once, and passes the rest on.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_CARRIEDSTACKS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_CARRIEDSTACKS_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::tensorflow_format {

struct CarriedStack {
  enum class Use : uint8_t { None, Grows, Shrinks } use = Use::None;
  std::string node; ///< the node that pushes or takes
};

/// Returns one entry for each carried value of a loop.
std::vector<CarriedStack> findCarriedStacks(const GraphView &condition, const GraphView &body);

/// Rows that a loop takes from a list or pushes to one, one in each iteration, as a tensor. A list to take from has the
/// row of the last iteration first. Rows known without the loop are not stored: one row for all iterations, or a
/// sequence.
struct StackRows {
  struct Numbers {
    int64_t first, step; ///< number in the first iteration, and increment
    mlir::Type element;
  };
  mlir::Value rows = {}, same = {};
  std::optional<size_t> listed = {}; ///< length of a list of `same`, if each row is such a list
  std::optional<Numbers> numbers = {};

  bool areKnown() const { return same || numbers; }
  /// Returns the row of iteration `iteration`, a scalar, or null if only the loop knows it.
  mlir::Value find(NnBuilder &nn, mlir::Value iteration) const;
};

/// Returns the values of a carried integer scalar, if each iteration adds the same number to it.
std::optional<StackRows::Numbers> findCounter(mlir::Value initial, mlir::Value before, mlir::Value next);

struct TakenStack {
  StackRows taken;
  mlir::Value rest;       ///< the array without these rows
  mlir::Value count = {}; ///< number of rows, an i64 scalar, if the number of iterations is only known at run time

  /// Returns the row of iteration `iteration`, or null if the rows are scanned.
  mlir::Value find(NnBuilder &nn, mlir::Value iteration) const;
};

/// Takes the last `count` rows of an array, as rows to be scanned in the order of iterations. If `isReversed`, the last
/// row is first. The error names `taking`, the node that takes rows.
mlir::FailureOr<TakenStack> takeStack(OperandBinder &node, mlir::Value array, int64_t count, bool isReversed,
                                      llvm::StringRef taking);

/// Takes rows for a loop whose number of iterations is only known at run time. Each iteration picks its row from the
/// end, so the rest of the array is unknown.
mlir::FailureOr<TakenStack> takeOpenStack(OperandBinder &node, mlir::Value array);

/// Returns the rows that a loop pushes, as far as they are known before the loop is built. `row` is the row of one
/// iteration. `before` and `next` are the carried values in an iteration and in the next one; `initial` are those of
/// the first.
mlir::FailureOr<StackRows> findPushed(OperandBinder &node, mlir::Value row, mlir::Block *body,
                                      llvm::ArrayRef<mlir::Value> initial, llvm::ArrayRef<mlir::Value> before,
                                      llvm::ArrayRef<mlir::Value> next);

/// Returns the array with `count` more rows, or null after an error.
mlir::Value growStack(OperandBinder &node, mlir::Value array, const StackRows &pushed, int64_t count);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_CARRIEDSTACKS_H
