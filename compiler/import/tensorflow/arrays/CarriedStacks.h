// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists that a loop carries as stacks.
//
// A stack is a carried list that gains or loses one row in each iteration. So its type changes, and a loop cannot carry
// it. Instead, pushed rows become stacked results of the loop, and taken rows become scanned operands. Gradients of
// loops need stacks: their loop takes the rows that the first loop pushed, in reverse order. A list is a stack if the
// body does nothing with it but push one row, or take one row.

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

/// Rows that a loop takes from a list or pushes to a list, one in each iteration. A list from which rows are taken has
/// the row of the last iteration first. Rows that are known without the loop are not stored as a tensor. These are one
/// row for all iterations, or an arithmetic sequence of numbers.
struct StackRows {
  struct Numbers {
    int64_t first, step; ///< number in the first iteration, and its increment in each iteration
    mlir::Type element;
  };
  mlir::Value rows = {}, same = {};
  std::optional<size_t> listed = {}; ///< set if each row is a list: its length. All its elements are `same`
  std::optional<Numbers> numbers = {};

  bool areKnown() const { return same || numbers; }
  /// Returns the row of the iteration `iteration`, which is a scalar value. Returns null if the row is only known
  /// inside the loop.
  mlir::Value find(NnBuilder &nn, mlir::Value iteration) const;
};

/// Returns the sequence of a carried integer scalar if each iteration adds the same number to it; otherwise nullopt.
std::optional<StackRows::Numbers> findCounter(mlir::Value initial, mlir::Value before, mlir::Value next);

struct TakenStack {
  StackRows taken;
  mlir::Value rest;       ///< the array without the taken rows
  mlir::Value count = {}; ///< number of rows, an i64 scalar; only set if the number of iterations is only known at run
                          ///< time

  /// Returns the row of the iteration `iteration`, or null if the rows are a scanned operand.
  mlir::Value find(NnBuilder &nn, mlir::Value iteration) const;
};

/// Takes the last `count` rows of an array, as rows that a loop scans in the order of its iterations. If `isReversed`,
/// the array's last row comes first. Errors name `taking`, the node that takes rows.
mlir::FailureOr<TakenStack> takeStack(OperandBinder &node, mlir::Value array, int64_t count, bool isReversed,
                                      llvm::StringRef taking);

/// Takes rows for a loop whose number of iterations is only known at run time. Each iteration reads its row from the
/// end of the array. It is unknown which rows remain after the loop.
mlir::FailureOr<TakenStack> takeOpenStack(OperandBinder &node, mlir::Value array);

/// Returns the rows that a loop pushes, as far as they are known before the loop is built. `row` is the row of one
/// iteration. The carried values are `before` in an iteration, `next` in the following iteration, and `initial` in the
/// first one.
mlir::FailureOr<StackRows> findPushed(OperandBinder &node, mlir::Value row, mlir::Block *body,
                                      llvm::ArrayRef<mlir::Value> initial, llvm::ArrayRef<mlir::Value> before,
                                      llvm::ArrayRef<mlir::Value> next);

/// Returns the array with `count` rows of `pushed` added, or null after an error.
mlir::Value growStack(OperandBinder &node, mlir::Value array, const StackRows &pushed, int64_t count);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_CARRIEDSTACKS_H
