// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the work of a launch by its kernel's body: operations and bytes, and the part that is proportional to a share
// of the cut axis.
// Why: placement, the schedule and the report predict times. All of them must count the same operations, and
//      distinguish products by their types.
// How: the counts are plain numbers. place/CostModel.h converts them to seconds on a device, and LaunchPrice.h to
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
  double whole = 0;   ///< Bytes that every share reads or writes completely.

  double of(double share) const { return share > 0 ? divided * share + whole : 0; }
};

/// Largest speeds of products on a CPU, relative to f32, that a device reaches.
struct RateLimits {
  double integers = std::numeric_limits<double>::infinity();
  double halves = std::numeric_limits<double>::infinity();
};

/// Multiplications and additions of contractions.
struct Products {
  double flops = 0;
  /// Speed of these products on a CPU, relative to the same products of f32 (plan::setProductRate). It is not 1 for
  /// bytes and doubles, nor for halves that are not widened.
  double rate = 1;
  bool areOfIntegers = false;
  bool areOfHalves = false; ///< True if all factors are f16.
  double winogradGain = 1;  ///< Factor by which Winograd reduces the CPU's operations.

  /// Returns the number of f32 operations that take a CPU the same time. `limits` bound the rate.
  double cpuFlops(const RateLimits &limits = {}) const;
};

struct LaunchWork {
  WorkForm form = WorkForm::Pointwise;
  Products products;
  double flops = 0;     ///< Other simple operations.
  double functions = 0; ///< Evaluations of exp, tanh and the like.
  double points = 0;    ///< Number of elements of the output, which a GPU divides among its invocations.
  double accesses = 0;  ///< Elements that iterations of its loops read and write, with repetitions. For a
                        ///< product, only its results count, because tiles keep the rest in registers.
  Traffic tensors;      ///< Traffic of tensors. Another launch has just written them, so they are probably in a cache.
  Traffic weights;
  /// Size of all weights that are read between two reads of these weights, including these: the weights of a run or of
  /// a loop.
  double rivals = 0;
};

/// Returns the work of one iteration of a launch. `rivals` is the size of the weights of all launches between two
/// iterations. Bodies that do not have the forms of docs/phases/kernels.md are counted as far as possible.
LaunchWork readWork(plan::LaunchOp launch, plan::KernelOp kernel, double rivals);

/// Returns the size in bytes of all weights that the launches inside an operation read.
double weightBytes(mlir::Operation *launches);

} // namespace nacre::price

#endif // NACRE_COMPILER_PRICE_LAUNCHWORK_H
