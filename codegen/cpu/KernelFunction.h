// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the function that a kernel becomes, while an emitter fills its body.
// Why:   all emitters share one signature and one way to say how the work is divided.
// How:   func.func @kernel(flat storages..., scratch, share_begin, share_end, begin, end); docs/phases/kernels.md says
//        what a share and a unit are. nacre-wrap-kernel later gives it the runtime's signature.

#ifndef NACRE_CODEGEN_CPU_KERNELFUNCTION_H
#define NACRE_CODEGEN_CPU_KERNELFUNCTION_H

#include "codegen/Target.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace nacre::plan {
class KernelOp;
} // namespace nacre::plan

namespace nacre::codegen::cpu {

struct KernelFunction {
  const Target &target;
  mlir::OpBuilder builder; ///< Inserts before the function's return.
  mlir::Location loc;

  /// The kernel's arguments, in order: `memref<Nxelement>`, N the elements of the whole storage. They do not alias.
  llvm::SmallVector<mlir::Value> buffers;
  mlir::Value scratch; ///< `memref<Nxi8>`, this thread's; N is known when the emitter returns, so use memref.view.
  /// Of type index: the CPU's share of the cut axis, and the units of it to compute.
  mlir::Value shareBegin, shareEnd, begin, end;

  // What an emitter says about its work.
  int64_t unitExtent = 1;    ///< Elements of the cut axis in a block of units.
  int64_t unitsPerBlock = 1; ///< Units in a block.
  uint64_t scratchBytes = 0;
  double flops = 0;                                   ///< Of the whole kernel.
  std::optional<double> executedFlops = std::nullopt; ///< Where a method takes fewer products, Winograd's: of those.
  double unitCost = 0;                                ///< Nanoseconds of one unit, roughly.
  std::string declinedBy = {};                        ///< Emitters that were asked before, joined by commas.
  bool fallback = false;
  /// Whether machine code must have the order in which instructions were emitted; else LLVM schedules them.
  bool keepsOrder = false;
};

/// Fills the body. Failure means that the kernel's form is not the emitter's; what it emitted is thrown away.
using Emitter = llvm::LogicalResult (*)(plan::KernelOp kernel, KernelFunction &function);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_KERNELFUNCTION_H
