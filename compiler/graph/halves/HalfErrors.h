// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the operators whose results f16 would change: constants that it does not have, numbers that it rounds to 0 or infinity, differences
//        of large numbers.
// Why:   an epsilon of 1e-12 is 0 in f16, and 1e6 is 65504. Kernels compute in f32 what they do not store, so that f32 costs nothing there.
// How:   each operator computes with typical numbers (TypicalNumbers.h), once as they are and once rounded to f16.

#ifndef NACRE_COMPILER_GRAPH_HALVES_HALFERRORS_H
#define NACRE_COMPILER_GRAPH_HALVES_HALFERRORS_H

#include "compiler/graph/halves/TypicalNumbers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace nacre::graph {

/// On a function: some of its contractions must multiply f32, which GPUs with matrix units would otherwise round to f16.
constexpr llvm::StringLiteral kWideProducts = "nn.wide_products";

/// A contraction that must multiply f32.
struct WideProduct {
  mlir::Operation *op;
  llvm::StringRef part; ///< Of its numbers: which f16 does not have.
  double size;          ///< Their root mean square.
};

/// A contraction whose weights for some of its channels are almost 0 in f16, or 0. Networks have such channels where training
/// has switched them off, so that the others are no reason to multiply f32.
struct LostChannels {
  mlir::Operation *op;
  int64_t lost, all;
};

struct HalfErrors {
  llvm::DenseSet<mlir::Operation *> wide;
  std::vector<WideProduct> products; ///< Some of `wide`.
  std::vector<LostChannels> channels;
};

/// Returns whether most of these are numbers of f16, and differ by more than its steps.
bool fitHalves(const Numbers &numbers);

/// Finds the operators of `function` that must keep f32 and their products. Adds the numbers of all of its values to `numbers`.
HalfErrors findHalfErrors(mlir::func::FuncOp function, TypicalNumbers &numbers);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_HALVES_HALFERRORS_H
