// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the panels that a contraction wants for its right operand: their width, and whether the CPU should use
// Winograd.
// Why: weights are packed at compile time, other operands by an earlier launch. Kernels want the same layout of both.
// How: the form of the kernel shows whether the operand can be packed. The tables of tiles give the width.

#ifndef NACRE_COMPILER_ENCODE_PANELS_PANELWISHES_H
#define NACRE_COMPILER_ENCODE_PANELS_PANELWISHES_H

#include "codegen/Target.h"
#include "codegen/cpu/tiles/MachineRows.h"
#include "codegen/form/PlainContraction.h"
#include "compiler/encode/panels/PanelPrices.h"
#include "dialects/plan/Accuracy.h"
#include "dialects/plan/PlanDialect.h"

namespace nacre::encode {

/// Operand that a kernel wants in panels, in the layout that it prefers.
struct PanelWish : PanelLayout {
  unsigned input = 0;                             ///< Index of the operand to pack.
  PanelReading reading;                           ///< Work of a launch.
  codegen::cpu::ProductTypes types;               ///< Types that the CPU's tiles multiply.
  bool isUnsignedLeft = false;                    ///< True if the left operand has unsigned bytes.
  std::optional<codegen::WinogradShape> winograd; ///< Shape of the convolution, if Winograd can compute it.
  int64_t winogradTile = 0;                       ///< Chosen Winograd tile; 0 for direct multiplication.
  codegen::cpu::ProductTypes winogradTypes;       ///< Types of the products of transformed floats.
  double work = 0;
  codegen::LoopedContraction::Cut cut = codegen::LoopedContraction::Cut::None;
};

/// Returns the product of `kernel`. The kernel may compute its left operand itself, in two halves on the CPU.
llvm::FailureOr<codegen::PlainContraction> readProduct(plan::KernelOp kernel);

/// Returns the panels that `kernel` wants. Returns `nullopt` if its right operand cannot be packed.
std::optional<PanelWish> readWish(plan::KernelOp kernel, llvm::ArrayRef<codegen::Target> targets, Accuracy accuracy);

/// Lets a kernel of bf16 read single steps instead of words, for engines that cannot read words. They are multiplied as
/// f32.
void takeSingleSteps(PanelWish &wish, llvm::ArrayRef<codegen::Target> targets);

/// Limits the Winograd tile of a kernel of bytes to `largest`, the largest tile that is exact for its weight
/// (ExactTiles.h).
void limitWinograd(PanelWish &wish, int64_t largest, llvm::ArrayRef<codegen::Target> targets);

/// Returns the offer of `kernel`, whose wish is `wish`, to read `layout`. The preferred layout is its cheapest. Returns
/// `nullopt` if the kernel cannot read `layout` on all targets. `repeats`: launches in a loop read the operand again.
std::optional<PanelOffer> offerOf(plan::KernelOp kernel, const PanelWish &wish, const PanelLayout &layout, bool repeats,
                                  llvm::ArrayRef<codegen::Target> targets);

plan::EncodingAttr encodingOf(mlir::MLIRContext *context, const PanelLayout &layout);

/// Marks `kernel` for Winograd on the CPU if it is the gradient of a filter and becomes faster. Returns true if it was
/// marked.
bool noteGradient(plan::KernelOp kernel, llvm::ArrayRef<codegen::Target> targets, Accuracy accuracy);

/// Applies `wish` to `kernel`: sets the encoding of its operand, its grain, and the note for Winograd.
void grant(plan::KernelOp kernel, const PanelWish &wish, llvm::ArrayRef<codegen::Target> targets);
/// Gives `kernel` the layout `chosen` instead of the layout that it prefers.
void grant(plan::KernelOp kernel, PanelWish wish, const PanelLayout &chosen, llvm::ArrayRef<codegen::Target> targets);

/// Aligns the shares of a kernel for which the CPU packs its own panels to the width of these panels. Otherwise both
/// engines would write the columns between the start of a panel and the start of a share.
void alignShares(plan::KernelOp kernel, llvm::ArrayRef<codegen::Target> targets);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PANELS_PANELWISHES_H
