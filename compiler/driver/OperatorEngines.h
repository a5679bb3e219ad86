// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries the engines that placement has chosen for launches back to the operators that the launches were made of.
//
// The kernels that can be formed depend on the engine (dialects/plan/Notes.h), and the best engine depends on the price
// of its kernels. A first plan, of kernels for either engine, decides which engine computes each operator. Then kernels
// are formed again.
//
// In a copy of the module, each operator's location gets a number. Launches have the locations of their operators.

#ifndef NACRE_COMPILER_DRIVER_OPERATORENGINES_H
#define NACRE_COMPILER_DRIVER_OPERATORENGINES_H

#include "dialects/plan/Notes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"

namespace nacre {

class OperatorEngines {
public:
  /// Returns a copy of `prepared`, functions of `nn` operators, whose operators are numbered.
  static mlir::OwningOpRef<mlir::ModuleOp> copyNumbered(mlir::ModuleOp prepared);

  /// Reads who computes what from the plan that a numbered copy has become.
  explicit OperatorEngines(mlir::ModuleOp placed);

  /// Returns true if the GPU has a share of some launch.
  bool hasGpu() const { return onGpu; }

  /// Notes the engines on the operators of `prepared`, of which the copy was made.
  void note(mlir::ModuleOp prepared) const;

private:
  llvm::DenseMap<int64_t, plan::Engine> engines; ///< Engines by number of the operator.
  bool onGpu = false;
};

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_OPERATORENGINES_H
