// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  carries what placement has chosen for launches back to the operators that these were made of.
// Why:   which kernels can be formed depends on the engine (dialects/plan/Notes.h), and which engine is best on what its kernels
//        cost: a first plan, of kernels for either engine, says who computes what, and kernels are formed anew.
// How:   in a copy of the module each operator's location gets a number; launches have the locations of their operators.

#ifndef NACRE_COMPILER_OPERATORENGINES_H
#define NACRE_COMPILER_OPERATORENGINES_H

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

  /// Whether the GPU has a share of some launch.
  bool hasGpu() const { return onGpu; }

  /// Notes the engines on the operators of `prepared`, of which the copy was made.
  void note(mlir::ModuleOp prepared) const;

private:
  llvm::DenseMap<int64_t, plan::Engine> engines; ///< By number.
  bool onGpu = false;
};

} // namespace nacre

#endif // NACRE_COMPILER_OPERATORENGINES_H
