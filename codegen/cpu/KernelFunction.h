// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the function of a kernel, while an emitter fills its body.
// Why:   all emitters share one signature and one way to divide the work.
// How:   func.func @kernel(flat storages..., scratch, share_begin, share_end, begin, end); docs/phases/kernels.md
//        explains shares and units. nacre-wrap-kernel later changes it to the runtime's signature.

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
  mlir::OpBuilder builder; ///< Inserts before the function's return
  mlir::Location loc;

  /// The kernel's arguments, in order: `memref<Nxelement>`, where N is the number of elements of the whole storage.
  /// They do not alias.
  llvm::SmallVector<mlir::Value> buffers;
  mlir::Value scratch; ///< `memref<Nxi8>` of this thread; N is known when the emitter returns, so use memref.view
  /// The CPU's share of the cut axis, and the units of it to compute, of type index.
  mlir::Value shareBegin, shareEnd, begin, end;

  // Results of the emitter.
  int64_t unitExtent = 1;    ///< Elements of the cut axis in a block of units
  int64_t unitsPerBlock = 1; ///< Units in a block
  uint64_t scratchBytes = 0;
  double flops = 0; ///< Operations of the whole kernel
  /// Operations of a method that needs fewer (Winograd)
  std::optional<double> executedFlops = std::nullopt;
  double unitCost = 0;         ///< Nanoseconds of one unit, roughly
  std::string declinedBy = {}; ///< Emitters that declined, joined by commas
  bool fallback = false;
  /// True if machine code must keep the order in which instructions were emitted; else LLVM schedules them.
  bool keepsOrder = false;
};

/// Fills the body. Failure means that the emitter does not take the kernel's form; its output is discarded.
using Emitter = llvm::LogicalResult (*)(plan::KernelOp kernel, KernelFunction &function);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_KERNELFUNCTION_H
