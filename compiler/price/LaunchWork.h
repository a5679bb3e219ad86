// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the work of a launch in its kernel's body: operations and bytes, and the part that is proportional to a share
// of the cut axis.
// Why: placement, the schedule and the report predict times. They must count the same operations, and products by their
//      types.
// How: the counts are plain numbers. place/CostModel.h turns them into seconds on a device, LaunchPrice.h into
//      nanoseconds on a class of cores.

#ifndef NACRE_COMPILER_PRICE_LAUNCHWORK_H
#define NACRE_COMPILER_PRICE_LAUNCHWORK_H

#include "codegen/MachineModel.h"
#include "dialects/plan/PlanDialect.h"

#include <limits>

namespace nacre::price {

using codegen::WorkForm;

/// Bytes that a launch reads or writes.
struct Traffic {
  double divided = 0; ///< Bytes divided in proportion to a share of the cut axis.
  double whole = 0;   ///< Bytes that every share touches completely.

  double of(double share) const { return share > 0 ? divided * share + whole : 0; }
};

/// Multiplications and additions of contractions.
struct Products {
  double flops = 0;
  /// Factor by which a CPU takes fewer cycles than for the same products of f32. It differs from 1 for bytes and
  /// doubles (plan::setProductRate).
  double rate = 1;
  bool areOfIntegers = false;
  double winogradGain = 1; ///< Factor by which Winograd reduces the CPU's operations.

  /// Returns the operations on f32 that take a CPU as long. `mostRate` bounds the rate of integers.
  double cpuFlops(double mostRate = std::numeric_limits<double>::infinity()) const;
};

struct LaunchWork {
  WorkForm form = WorkForm::Pointwise;
  Products products;
  double flops = 0;     ///< Other simple operations.
  double functions = 0; ///< Evaluations of exp, tanh and the like.
  double points = 0;    ///< Elements of the output: what a GPU divides among its invocations.
  double accesses = 0;  ///< Elements that the iterations of its loops read and write, as often as they do; for a
                        ///< product only its results, since tiles hold the rest in registers.
  Traffic tensors;      ///< Likely to be in a cache: another launch has just written them.
  Traffic weights;
  /// Bytes of all weights read between two reads of these, including these: those of a run or of a loop.
  double rivals = 0;
};

/// Returns the work of one iteration of a launch. `rivals` are the weight bytes of all launches between two iterations.
/// Bodies in other forms than docs/phases/kernels.md describes are counted as far as possible.
LaunchWork readWork(plan::LaunchOp launch, plan::KernelOp kernel, double rivals);

/// Returns the bytes of all weights that the launches inside an operation read.
double weightBytes(mlir::Operation *launches);

} // namespace nacre::price

#endif // NACRE_COMPILER_PRICE_LAUNCHWORK_H
