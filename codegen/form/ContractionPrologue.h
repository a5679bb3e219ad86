// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the computation of a contraction's left operand, if no storage holds that operand.
// Why:   an emitter computes the elements as it loads them. A scale and a shift, or a normalization, then need no pass
//        over memory.
// How:   an elementwise map of several operands and of numbers of each row, which are sums over that row. Or sums over
//        windows of Lhs, for a depthwise convolution.

#ifndef NACRE_CODEGEN_FORM_CONTRACTIONPROLOGUE_H
#define NACRE_CODEGEN_FORM_CONTRACTIONPROLOGUE_H

#include "codegen/form/KernelForm.h"

namespace nacre::codegen {

struct ContractionPrologue {
  /// Source of an argument of a body: an operand, a statistic or a window.
  struct Argument {
    unsigned operand = 0;              ///< Operand of the contraction, if the argument is neither of the others.
    std::optional<unsigned> statistic; ///< Number of the row's statistic, if the argument is one.
    bool isWindow = false;             ///< True if the argument is the sum over the window.
  };
  /// Offsets of a window's element and of its weight from the first ones.
  struct Tap {
    int64_t lhs = 0, filter = 0;
  };
  /// A sum over a row of the results of its body, which may read earlier statistics.
  struct Statistic {
    const Work *work = nullptr;
    llvm::SmallVector<Argument, 4> arguments;
  };
  llvm::SmallVector<Statistic, 2> statistics;
  llvm::SmallVector<Tap, 0> taps; ///< Taps of a window in the order of summation; empty if there are no windows.
  unsigned filter = 0;            ///< Operand with the weights of the taps. Only depth loops move it.
  const Work *map = nullptr;      ///< Null if the left operand is the sums over windows themselves.
  llvm::SmallVector<Argument, 6> arguments; ///< Arguments of the map.
  mlir::Type elementType;                   ///< Element type of the computed left operand.
  std::optional<unsigned> written;          ///< Operand to which the left operand is also written.

  bool reads(unsigned operand) const;
  std::optional<unsigned> firstOperand() const;
};

/// Returns how the operations of `form` before `product` compute `left`, its left operand. `add` makes an operand of a
/// stored input of an operation with the given loop sizes. Returns `nullopt` if these operations are not such a map.
std::optional<ContractionPrologue>
readPrologue(const KernelForm &form, unsigned product, const Input &left,
             llvm::function_ref<std::optional<unsigned>(const Input &, llvm::ArrayRef<int64_t>)> add);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_CONTRACTIONPROLOGUE_H
