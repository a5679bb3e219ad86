// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the computation of a contraction's left operand, if that operand is in no storage.
// Why:   an emitter computes the elements as it loads them. Then a scale and a shift, or a normalization, needs no
//        separate pass over memory.
// How:   a prologue is one of two things: an elementwise map of several operands and of statistics, which are sums over
//        each row; or sums over windows of Lhs, for a depthwise convolution.

#ifndef NACRE_CODEGEN_FORM_CONTRACTIONPROLOGUE_H
#define NACRE_CODEGEN_FORM_CONTRACTIONPROLOGUE_H

#include "codegen/form/KernelForm.h"

namespace nacre::codegen {

struct ContractionPrologue {
  /// Source of an argument of a body: an operand, a statistic or a sum over a window.
  struct Argument {
    /// Index of the contraction's operand, if the argument is neither a statistic nor a window.
    unsigned operand = 0;
    std::optional<unsigned> statistic; ///< Index of the statistic, if the argument is a statistic.
    bool isWindow = false;             ///< True if the argument is the sum over the window.
  };
  /// Offsets of an element of a window and of its weight from the first element and the first weight.
  struct Tap {
    int64_t lhs = 0, filter = 0;
  };
  /// A sum over a row of the results of `work`, whose body may read earlier statistics.
  struct Statistic {
    const Work *work = nullptr;
    llvm::SmallVector<Argument, 4> arguments;
  };
  llvm::SmallVector<Statistic, 2> statistics;
  llvm::SmallVector<Tap, 0> taps; ///< Taps of a window in the order of summation; empty if there are no windows.
  unsigned filter = 0;            ///< Index of the operand with the weights of the taps. Only depth loops move it.
  const Work *map = nullptr;      ///< Null if the sums over windows are the left operand.
  llvm::SmallVector<Argument, 6> arguments; ///< Arguments of the map.
  mlir::Type elementType;                   ///< Element type of the computed left operand.
  std::optional<unsigned> written;          ///< Index of the operand to which the left operand is also written.

  bool reads(unsigned operand) const;
  std::optional<unsigned> firstOperand() const;
};

/// Returns how the operations of `form` before `product` compute its left operand `left`. `add` adds a stored input of
/// an operation, with the sizes of its loops, as an operand. Returns `nullopt` if these operations cannot be a
/// prologue.
std::optional<ContractionPrologue>
readPrologue(const KernelForm &form, unsigned product, const Input &left,
             llvm::function_ref<std::optional<unsigned>(const Input &, llvm::ArrayRef<int64_t>)> add);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_CONTRACTIONPROLOGUE_H
