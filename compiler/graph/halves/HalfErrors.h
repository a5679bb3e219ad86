// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds operators whose results f16 would change: constants that f16 does not have, numbers that it rounds to 0 or
// infinity, and differences of large numbers. In f16, an epsilon of 1e-12 is 0, and 1e6 is 65504. Kernels compute in
// f32 whatever they don't store, so f32 costs nothing there.
//
// Each operator computes with typical numbers (TypicalNumbers.h), once exactly and once rounded to f16.

#ifndef NACRE_COMPILER_GRAPH_HALVES_HALFERRORS_H
#define NACRE_COMPILER_GRAPH_HALVES_HALFERRORS_H

#include "compiler/graph/halves/TypicalNumbers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace nacre::graph {

/// Attribute of a function. Some of its contractions must multiply f32, which GPUs with matrix units would otherwise
/// round to f16.
constexpr llvm::StringLiteral kWideProducts = "nn.wide_products";

/// Contraction that must multiply f32.
struct WideProduct {
  mlir::Operation *op;
  llvm::StringRef part; ///< Part of its numbers that does not fit f16: operands, weights or results.
  double size;          ///< Root mean square of these numbers.
};

/// Contraction whose weights for some channels are 0 in f16, or almost. Training can switch off channels in this way,
/// so they don't require f32 products.
struct LostChannels {
  mlir::Operation *op;
  int64_t lost, all;
};

struct HalfErrors {
  llvm::DenseSet<mlir::Operation *> wide;
  std::vector<WideProduct> products; ///< Contractions among `wide`.
  std::vector<LostChannels> channels;
};

/// True if most of the numbers fit f16 and differ by more than its steps.
bool fitHalves(const Numbers &numbers);

/// Finds the operators and contractions of `function` that must keep f32. Adds the numbers of all its values to
/// `numbers`.
HalfErrors findHalfErrors(mlir::func::FuncOp function, TypicalNumbers &numbers);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_HALVES_HALFERRORS_H
