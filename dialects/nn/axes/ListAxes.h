// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers with which operators state their iteration axes.

#ifndef NACRE_DIALECTS_NN_AXES_LISTAXES_H
#define NACRE_DIALECTS_NN_AXES_LISTAXES_H

#include "dialects/nn/Axes.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include <utility>

namespace nacre::nn {

/// Collects the axes of one operator. All its operands and results are named by index.
class AxisList {
public:
  /// Index of an operand or result, and one of its axes.
  using Place = std::pair<unsigned, int64_t>;

  explicit AxisList(mlir::Operation *op) : op(op) {}

  /// Adds an axis of the operands `operands` and the results `results`. All other values lack it.
  void add(AxisKind kind, llvm::ArrayRef<Place> operands, llvm::ArrayRef<Place> results);
  /// Adds an axis along which elements are independent.
  void addParallel(llvm::ArrayRef<Place> operands, llvm::ArrayRef<Place> results) {
    add(AxisKind::Parallel, operands, results);
  }
  /// Like add(), for an axis along which operands may have size 1.
  void addBroadcast(AxisKind kind, llvm::ArrayRef<Place> operands, llvm::ArrayRef<Place> results);
  /// Adds axis `axis` of all operands and all results.
  void addOfAll(AxisKind kind, int64_t axis);
  /// Adds axis `axis` of result 0, and of all operands those axes that are aligned with it from the last axis on.
  /// Operands may have size 1 along it.
  void addAligned(AxisKind kind, int64_t axis);

  Axes take() { return std::move(axes); }

private:
  mlir::Operation *op;
  Axes axes;
};

/// Returns the axes of an operator whose values all have the same axes. `kindOf` returns the kind of each.
Axes sameAxes(mlir::Operation *op, llvm::function_ref<AxisKind(int64_t)> kindOf);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_AXES_LISTAXES_H
