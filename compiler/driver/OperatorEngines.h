// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries the engines that placement has chosen for launches back to the operators that the launches were made of.
//
// The kernels that can be formed depend on the engine (dialects/plan/Notes.h), and the best engine depends on the cost
// of its kernels. A first plan has kernels that either engine can compute. It decides which engine computes each
// operator. Then kernels are formed again.
//
// In a copy of the module, each operator's location contains the operator's index. Launches have the locations of their
// operators.

#ifndef NACRE_COMPILER_DRIVER_OPERATORENGINES_H
#define NACRE_COMPILER_DRIVER_OPERATORENGINES_H

#include "dialects/plan/Notes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"

namespace nacre {

class OperatorEngines {
public:
  /// Returns a copy of `prepared`, which contains functions of `nn` operators. The copy's operators are numbered.
  static mlir::OwningOpRef<mlir::ModuleOp> copyNumbered(mlir::ModuleOp prepared);

  /// Reads the engine of each operator from the plan that was made from a numbered copy.
  explicit OperatorEngines(mlir::ModuleOp placed);

  /// Returns true if the GPU has a share of some launch.
  bool hasGpu() const { return onGpu; }

  /// Adds notes with the engines to the operators of `prepared`, from which the copy was made.
  void note(mlir::ModuleOp prepared) const;

private:
  llvm::DenseMap<int64_t, plan::Engine> engines; ///< Engines. The key is the operator's index.
  bool onGpu = false;
};

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_OPERATORENGINES_H
