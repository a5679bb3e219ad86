// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds operators whose results a 16-bit type would change. The reasons are constants that it cannot represent, values
// that it rounds to 0 or infinity, and differences of large values. In f16, an epsilon of 1e-12 is 0, and 1e6 becomes
// 65504. bf16 has the range of f32, but an eighth of the digits of f16.
// Exponentials may exceed any range, and logarithms need the smallest probabilities.
// Kernels compute in f32 and only store 16 bits, so f32 costs nothing for values that stay in a kernel.
//
// Each operator is computed on samples (TypicalNumbers.h) twice, exactly and with rounding. The results are
// compared.

#ifndef NACRE_COMPILER_GRAPH_HALVES_HALFERRORS_H
#define NACRE_COMPILER_GRAPH_HALVES_HALFERRORS_H

#include "compiler/graph/halves/TypicalNumbers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace nacre::graph {

/// Attribute of a function with contractions that must multiply f32: an array of pairs of a location and the reason.
/// Without it, GPUs with matrix units round operands to f16.
constexpr llvm::StringLiteral kWideProducts = "nn.wide_products";

/// Contraction that must multiply f32.
struct WideProduct {
  mlir::Operation *op;
  std::string reason;     ///< Reason, as the end of a sentence about the node.
  llvm::StringRef remedy; ///< Change of the model by which it would be fp16.
};

/// Contraction with channels whose weights are 0 or almost 0 in f16. Training can switch off channels in this way. So
/// these channels don't require f32 products.
struct LostChannels {
  mlir::Operation *op;
  int64_t lost, all;
};

struct HalfErrors {
  llvm::DenseSet<mlir::Operation *> wide;
  std::vector<WideProduct> products; ///< Contractions in `wide` that must multiply f32.
  std::vector<LostChannels> channels;
};

/// True if most of the samples fit `half` and differ by more than its rounding steps.
bool fitHalves(const Numbers &numbers, const HalfFormat &half);

/// Finds the operators and contractions of `function` that must keep f32, if other values are stored as `half`. Adds
/// the samples of all values to `numbers`. If `addsHalves`, a CPU may add up products in fp16, and no GPU computes
/// them.
HalfErrors findHalfErrors(mlir::func::FuncOp function, const HalfFormat &half, bool addsHalves,
                          TypicalNumbers &numbers);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_HALVES_HALFERRORS_H
