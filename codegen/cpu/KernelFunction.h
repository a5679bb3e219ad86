// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the function of a kernel whose body an emitter fills.
// Why:   all emitters share one signature and one way to divide the work into units.
// How:   the function is func.func @kernel(flat storages..., scratch, share_begin, share_end, begin, end).
//        docs/phases/kernels.md explains shares and units. nacre-wrap-kernel later changes it to the runtime's
//        signature.

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

  /// Arguments of the kernel, in order. Each is a `memref<Nxelement>` of a whole storage, where N is its number of
  /// elements. The arguments do not alias.
  llvm::SmallVector<mlir::Value> buffers;
  mlir::Value scratch; ///< A `memref<Nxi8>` of this thread. N is unknown until the emitter returns, so use memref.view
  /// Range [shareBegin, shareEnd) of the cut axis that the CPU computes, and the range [begin, end) of its units that
  /// this call computes. All are of type index.
  mlir::Value shareBegin, shareEnd, begin, end;

  // Values that the emitter sets.
  int64_t unitExtent = 1;    ///< Number of indices of the cut axis in a block of units
  int64_t unitsPerBlock = 1; ///< Number of units in a block
  uint64_t scratchBytes = 0;
  double flops = 0; ///< Arithmetic operations of the whole kernel
  /// Arithmetic operations that are executed, if the method needs fewer (Winograd)
  std::optional<double> executedFlops = std::nullopt;
  double unitCost = 0;         ///< Estimated nanoseconds of one unit
  std::string declinedBy = {}; ///< Names of the emitters that declined, joined by commas
  bool fallback = false;
  /// True if machine code must keep the order in which instructions are emitted. Otherwise, LLVM schedules them.
  bool keepsOrder = false;
};

/// Emits the body of a kernel's function. Fails if the emitter declines the kernel's form; the caller then discards the
/// body.
using Emitter = llvm::LogicalResult (*)(plan::KernelOp kernel, KernelFunction &function);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_KERNELFUNCTION_H
