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

/// The rows that a loop takes from a list, or pushes to one, an iteration each: a tensor of them, of which a list has the last
/// iteration's first; or what is known without the loop, so that nothing need be stored: one row for all, or numbers.
struct StackRows {
  struct Numbers {
    int64_t first, step; ///< of the first iteration, and added in each
    mlir::Type element;
  };
  mlir::Value rows = {}, same = {};
  std::optional<size_t> listed = {}; ///< the row of all is a list of `same`, as often
  std::optional<Numbers> numbers = {};

  bool areKnown() const { return same || numbers; }
  /// The row of iteration `iteration`, a scalar, where it is known without the loop; null otherwise.
  mlir::Value find(NnBuilder &nn, mlir::Value iteration) const;
};

/// The integer scalar that a carried value is in each iteration, if every iteration adds as much to it.
std::optional<StackRows::Numbers> findCounter(mlir::Value initial, mlir::Value before, mlir::Value next);

struct TakenStack {
  StackRows taken;
  mlir::Value rest;       ///< the array without these rows
  mlir::Value count = {}; ///< of rows to pick from, where a run decides how many iterations there are: a scalar of i64

  /// The row of iteration `iteration`; null where it is one that is scanned.
  mlir::Value find(NnBuilder &nn, mlir::Value iteration) const;
};

/// Takes the `count` last rows of an array, as rows to be scanned in the order of iterations, or from the last to the first if
/// `isReversed`. The error names `taking`, the node that takes rows.
mlir::FailureOr<TakenStack> takeStack(OperandBinder &node, mlir::Value array, int64_t count, bool isReversed,
                                      llvm::StringRef taking);

/// The same for a loop of which a run decides how many iterations there are, each of which picks its row from the end. What is
/// left is not known.
mlir::FailureOr<TakenStack> takeOpenStack(OperandBinder &node, mlir::Value array);

/// What is known of a row that the body of a loop pushes in each iteration, before the loop is built; `rows` is the row itself.
/// `before` and `next` are the carried values in an iteration and in the next one, `initial` those of the first.
mlir::FailureOr<StackRows> findPushed(OperandBinder &node, mlir::Value row, mlir::Block *body,
                                      llvm::ArrayRef<mlir::Value> initial, llvm::ArrayRef<mlir::Value> before,
                                      llvm::ArrayRef<mlir::Value> next);

/// Returns the array with `count` more rows; null after an error.
mlir::Value growStack(OperandBinder &node, mlir::Value array, const StackRows &pushed, int64_t count);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_ARRAYS_CARRIEDSTACKS_H
