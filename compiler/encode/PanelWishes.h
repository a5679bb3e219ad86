// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what a contraction would like of the operand that gives its columns: panels of which width, and whether the CPU should
//        compute it by Winograd then.
// Why:   weights are packed when a model is compiled, other operands by a launch before; kernels wish the same of both.
// How:   the reader of forms says whether the operand can be packed, the tables of tiles how wide.

#ifndef NACRE_COMPILER_ENCODE_PANELWISHES_H
#define NACRE_COMPILER_ENCODE_PANELWISHES_H

#include "codegen/Target.h"
#include "codegen/cpu/contraction/MachineRows.h"
#include "codegen/form/PlainContraction.h"
#include "dialects/plan/Accuracy.h"
#include "dialects/plan/PlanDialect.h"

namespace nacre::encode {

struct PanelWish {
  unsigned input = 0; ///< The operand.
  int64_t width = 0, groups = 1, parts = 1;
  codegen::DepthGroups depth;                     ///< Of bytes: the steps of the depth that lie side by side.
  codegen::cpu::ProductTypes types;               ///< That tiles of registers multiply.
  bool isUnsignedLeft = false;                    ///< Of bytes.
  std::optional<codegen::WinogradShape> winograd; ///< Of a kernel that may be computed so,
  int64_t winogradTile = 0;                       ///< and is, in such tiles; 0 where not.
  double work = 0;
  codegen::LoopedContraction::Cut cut = codegen::LoopedContraction::Cut::None;
};

/// The product of `kernel`. One whose left operand is made by the kernel the CPU computes in halves.
llvm::FailureOr<codegen::PlainContraction> readProduct(plan::KernelOp kernel);

/// None where the operand cannot be packed.
std::optional<PanelWish> readWish(plan::KernelOp kernel, llvm::ArrayRef<codegen::Target> targets, Accuracy accuracy);

/// The same for a kernel of bytes, whose weight allows tiles up to `largest` (ExactTiles.h).
void limitWinograd(PanelWish &wish, int64_t largest, llvm::ArrayRef<codegen::Target> targets);

plan::EncodingAttr encodingOf(mlir::MLIRContext *context, const PanelWish &wish);

/// Notes that the CPU computes `kernel` by Winograd if it is the gradient of a filter that gains by it.
bool noteGradient(plan::KernelOp kernel, llvm::ArrayRef<codegen::Target> targets, Accuracy accuracy);

/// Lets `kernel` have what it wishes: the encoding of its operand, the grain, and the note of Winograd.
void grant(plan::KernelOp kernel, const PanelWish &wish, llvm::ArrayRef<codegen::Target> targets);

/// Lets shares of a kernel that the CPU packs panels for itself begin with such a panel. Otherwise both engines would write the columns
/// between its beginning and that of the share.
void alignShares(plan::KernelOp kernel, llvm::ArrayRef<codegen::Target> targets);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PANELWISHES_H
