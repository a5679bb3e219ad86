// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what the left operand of a contraction is made of where no storage holds it.
// Why:   an emitter may compute what it loads: a scale and a shift, or a normalization, then take no pass over memory.
// How:   a map of several operands, element by element, and of numbers of each row, which are sums over that row; or of sums
//        over windows, which are Lhs's: a depthwise convolution.

#ifndef NACRE_CODEGEN_FORM_CONTRACTIONPROLOGUE_H
#define NACRE_CODEGEN_FORM_CONTRACTIONPROLOGUE_H

#include "codegen/form/KernelForm.h"

namespace nacre::codegen {

struct ContractionPrologue {
  /// What an argument of a body is.
  struct Argument {
    unsigned operand = 0;              ///< Of the contraction, if it is one.
    std::optional<unsigned> statistic; ///< Else a number of the row,
    bool isWindow = false;             ///< or the sum over the window.
  };
  /// An element of a window and its weight: how far they are from the first ones.
  struct Tap {
    int64_t lhs = 0, filter = 0;
  };
  /// A sum over a row's elements of what its body makes of them, and of the numbers before it.
  struct Statistic {
    const Work *work = nullptr;
    llvm::SmallVector<Argument, 4> arguments;
  };
  llvm::SmallVector<Statistic, 2> statistics;
  llvm::SmallVector<Tap, 0> taps; ///< Of windows, in the order in which they are added up; empty where there are none.
  unsigned filter = 0;            ///< The operand that is their weights. They move with the reduction alone.
  const Work *map = nullptr;      ///< Null where sums over windows are the left operand.
  llvm::SmallVector<Argument, 6> arguments; ///< Of the map.
  mlir::Type elementType;                   ///< Of what is made.
  std::optional<unsigned> written;          ///< The operand that it is written to as well.

  bool reads(unsigned operand) const;
  std::optional<unsigned> firstOperand() const;
};

/// What the operations of `form` before `product` make of `left`, which it reads. `add` makes an operand of what one of
/// them, whose loops have these sizes, reads. None for what is no such map.
std::optional<ContractionPrologue>
readPrologue(const KernelForm &form, unsigned product, const Input &left,
             llvm::function_ref<std::optional<unsigned>(const Input &, llvm::ArrayRef<int64_t>)> add);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_CONTRACTIONPROLOGUE_H
