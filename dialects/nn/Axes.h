// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what happens along each axis of an operator.
// Why:   layouts, counts, batches, slices and quantized values pass through operators axis by axis. They all ask here,
//        so an operator states this once (AxesInterface in NnInterfaces.td).
// How:   an operator iterates over a space of axes. Each axis of an operand or a result is part of exactly one axis of
//        this space, and each axis of the space has a kind. For example, the product of 2x5x8 and 8x16 has four axes:
//
//          operands  results  kind
//          0, -      0        Parallel   batches: the right operand has no such axis
//          1, -      1        Parallel   rows
//          -, 1      2        Parallel   columns
//          2, 0      -        Reduced    products are added up, so the result has no such axis
//
//        test/meaning draws nodes of all operators, and compares each kind with the results of the interpreter.

#ifndef NACRE_DIALECTS_NN_AXES_H
#define NACRE_DIALECTS_NN_AXES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nacre::nn {

/// Kind of an iteration axis: the way in which results follow from operands along it.
enum class AxisKind {
  /// Index i of the results depends only on index i of the operands, and for all i in the same way. So the results of a
  /// part of the operands are this part of the results.
  Parallel,
  /// All elements along the axis are combined, in any order. A result that has the axis, too, has one element along it
  /// (a reduction that keeps its axes), or follows the order of the operand (softmax).
  Reduced,
  /// Elements are combined, and their indices decide how: windows, sums up to each element, positions of the largest.
  Windowed,
  /// Values of an operand decide which elements are read, written or kept.
  Gathered,
  /// Elements are copied to other indices, which only shapes and attributes decide.
  Reordered
};

/// Axis of an operator's iteration space.
struct Axis {
  static constexpr int64_t absent = -1;

  llvm::SmallVector<int64_t, 3> operands; ///< Axis of each operand, or `absent`.
  llvm::SmallVector<int64_t, 1> results;  ///< Axis of each result, or `absent`.
  AxisKind kind = AxisKind::Parallel;
  bool broadcasts = false; ///< True if an operand may have size 1 along it, and has this element at every index.

  bool isParallel() const { return kind == AxisKind::Parallel; }
};

using Axes = llvm::SmallVector<Axis, 4>;

/// Returns the iteration axes of `op`. Empty if `op` states none, as operators with regions.
Axes getIterationAxes(mlir::Operation *op);

/// Returns the iteration axis that contains `axis` of the operand with index `operand`, or null.
const Axis *findAxisOfOperand(llvm::ArrayRef<Axis> axes, unsigned operand, int64_t axis);
/// Returns the iteration axis that contains `axis` of the result with index `result`, or null.
const Axis *findAxisOfResult(llvm::ArrayRef<Axis> axes, unsigned result, int64_t axis);

// Axes by the traits in OperatorFacts.h.

/// Returns the axes of an operator whose operands broadcast to its result.
Axes axesOfBroadcast(mlir::Operation *op);
/// Returns the axes of an operator whose values all have the same axes. Those in `reduced` are reduced.
Axes axesReducing(mlir::Operation *op, llvm::ArrayRef<int64_t> reduced);

} // namespace nacre::nn

#endif // NACRE_DIALECTS_NN_AXES_H
