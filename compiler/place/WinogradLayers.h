// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which of the transformed filters on offer are taken, if so much is computed by the CPU alone.
// Why:   placement predicts by it, and settles by it: one text, so that what is predicted is what is compiled.
// How:   kernels and weights that meet at a launch are of one class, which takes an offer as a whole, or none; a class
//        that the GPU reads takes none. The policy is codegen/encoding/WinogradGrowth.h's.

#ifndef NACRE_COMPILER_PLACE_WINOGRADLAYERS_H
#define NACRE_COMPILER_PLACE_WINOGRADLAYERS_H

#include "dialects/plan/Notes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nacre::place {

/// What kernels, and weights with them, take of what they are offered.
using WinogradChoice = llvm::DenseMap<mlir::Operation *, plan::WinogradOffer>;

class WinogradLayers {
public:
  /// All weights of `module` may grow by `bytes`. Its launches name kernels.
  WinogradLayers(mlir::ModuleOp module, const mlir::SymbolTable &symbols, double bytes);

  /// `isAlone`: the CPU computes all of a launch.
  WinogradChoice choose(llvm::function_ref<bool(plan::LaunchOp)> isAlone);

private:
  mlir::ModuleOp module;
  const mlir::SymbolTable &symbols;
  const double bytes;
  llvm::EquivalenceClasses<mlir::Operation *> classes;
};

} // namespace nacre::place

#endif // NACRE_COMPILER_PLACE_WINOGRADLAYERS_H
