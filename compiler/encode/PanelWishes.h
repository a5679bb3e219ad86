// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The panels that a contraction wants for its right operand: their width, and whether the CPU should use Winograd.
// Why: weights are packed at compile time, other operands by an earlier launch. Kernels want the same layout of both.
// How: the reader of forms tells whether the operand can be packed; the tables of tiles give the width.

#ifndef NACRE_COMPILER_ENCODE_PANELWISHES_H
#define NACRE_COMPILER_ENCODE_PANELWISHES_H

#include "codegen/Target.h"
#include "codegen/cpu/tiles/MachineRows.h"
#include "codegen/form/PlainContraction.h"
#include "dialects/plan/Accuracy.h"
#include "dialects/plan/PlanDialect.h"

namespace nacre::encode {

struct PanelWish {
  unsigned input = 0; ///< Number of the operand to pack.
  int64_t width = 0, groups = 1, parts = 1;
  codegen::DepthGroups depth;                     ///< Steps of the depth that lie side by side; one for floats.
  codegen::cpu::ProductTypes types;               ///< Types that the CPU's tiles multiply.
  bool isUnsignedLeft = false;                    ///< True if the left operand is of unsigned bytes.
  std::optional<codegen::WinogradShape> winograd; ///< Shape of the convolution, if Winograd can compute it.
  int64_t winogradTile = 0;                       ///< Chosen Winograd tile; 0 for direct multiplication.
  double work = 0;
  codegen::LoopedContraction::Cut cut = codegen::LoopedContraction::Cut::None;
};

/// Returns the product of `kernel`. If the kernel computes its left operand itself, the CPU computes it in two halves.
llvm::FailureOr<codegen::PlainContraction> readProduct(plan::KernelOp kernel);

/// Returns the panels that `kernel` wants; `nullopt` if its right operand cannot be packed.
std::optional<PanelWish> readWish(plan::KernelOp kernel, llvm::ArrayRef<codegen::Target> targets, Accuracy accuracy);

/// Limits the Winograd tile of a kernel of bytes to `largest`, the largest exact tile of its weight (ExactTiles.h).
void limitWinograd(PanelWish &wish, int64_t largest, llvm::ArrayRef<codegen::Target> targets);

plan::EncodingAttr encodingOf(mlir::MLIRContext *context, const PanelWish &wish);

/// Marks `kernel` for Winograd on the CPU if it is a filter's gradient that gains by it. Returns whether it did.
bool noteGradient(plan::KernelOp kernel, llvm::ArrayRef<codegen::Target> targets, Accuracy accuracy);

/// Grants `kernel` its wish: sets the encoding of its operand, its grain, and the note for Winograd.
void grant(plan::KernelOp kernel, const PanelWish &wish, llvm::ArrayRef<codegen::Target> targets);

/// Aligns the shares of a kernel for which the CPU packs its own panels to the width of these panels. Otherwise both
/// engines would write the columns between the start of a panel and the start of a share.
void alignShares(plan::KernelOp kernel, llvm::ArrayRef<codegen::Target> targets);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PANELWISHES_H
