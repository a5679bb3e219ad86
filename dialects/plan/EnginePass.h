// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the base class of passes that change only what some engines compute (EnginePass.td).
// Why:   kernels have forms that only one engine has code for, and functions may have operators of both engines. A pass
//        that lists its operators here cannot forget the test. It asks of neighbors only whether they are alike.

#ifndef NACRE_DIALECTS_PLAN_ENGINEPASS_H
#define NACRE_DIALECTS_PLAN_ENGINEPASS_H

#include "dialects/plan/Notes.h"

#include "mlir/Pass/Pass.h"

namespace nacre::plan {

/// True if the same engine computes `a` and `b`, or if neither has an engine yet.
inline bool haveSameEngine(mlir::Operation *a, mlir::Operation *b) { return engineOf(a) == engineOf(b); }

/// A pass on operations of type `Unit` that changes only what one of `engines` computes.
template <typename Unit, Engine... engines> class EnginePass : public mlir::OperationPass<Unit> {
protected:
  explicit EnginePass(mlir::TypeID id) : mlir::OperationPass<Unit>(id) {}
  EnginePass(const EnginePass &) = default;

  /// True if the pass may change `op`.
  static bool isGiven(mlir::Operation *op) {
    const Engine engine = engineOf(op);
    return ((engine == engines) || ...);
  }

  /// Returns the operations of type `Op` that the pass may change, in their order.
  template <typename Op> llvm::SmallVector<Op> listGiven() {
    llvm::SmallVector<Op> given;
    this->getOperation()->walk([&](Op op) {
      if (isGiven(op))
        given.push_back(op);
    });
    return given;
  }

  /// Returns the operations of any of these types that the pass may change, in their order.
  template <typename First, typename Second, typename... More> llvm::SmallVector<mlir::Operation *> listGiven() {
    llvm::SmallVector<mlir::Operation *> given;
    this->getOperation()->walk([&](mlir::Operation *op) {
      if (mlir::isa<First, Second, More...>(op) && isGiven(op))
        given.push_back(op);
    });
    return given;
  }
};

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_ENGINEPASS_H
