// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the compute shader of a kernel, while an emitter fills its body.
// Why:   all emitters access buffers, the share and the invocation's position in the same way, and describe the
//        division of the work in the same way.
// How:   a gpu.func of flat memrefs in the StorageBuffer class; the share comes from push constants. CompileKernel.cpp
//        adds the code around the body, and lowers it to SPIR-V.

#ifndef NACRE_CODEGEN_GPU_KERNELFUNCTION_H
#define NACRE_CODEGEN_GPU_KERNELFUNCTION_H

#include "codegen/Backend.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>

namespace nacre::plan {
class KernelOp;
} // namespace nacre::plan

namespace nacre::codegen::gpu {

struct KernelFunction {
  KernelFunction(mlir::OpBuilder builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder builder; ///< Inserts before the function's return.
  mlir::Location loc;
  GpuOptions options;
  unsigned variant = 0; ///< Number of the variant to emit. The emitter sets `variants`, their count.

  /// Returns the whole operand `operand` of the launch. It is `memref<Nxelement>`, or
  /// `memref<N/width x vector<width x element>>` of 2 or 4 lanes if liesInVectors. 16-bit elements may also have width
  /// 8, as vectors of four i32.
  ///
  /// A kernel may use several widths of one operand; they share a binding. N is dynamic for an operand with a variable
  /// offset. Indices count from the operand's beginning in any case.
  std::function<mlir::Value(unsigned operand, unsigned width)> buffer;
  /// True if `operand` can be read and written `width` elements at a time: its size and its offset are multiples of
  /// `width`.
  std::function<bool(unsigned operand, unsigned width)> liesInVectors;
  /// Allocates an array that a workgroup's invocations share: `memref<count x type>`. `type` is a scalar or a vector of
  /// up to 4.
  std::function<mlir::Value(int64_t count, mlir::Type type)> shared;

  // Values of type index (32 bits wide on the device).
  mlir::Value shareBegin, shareEnd; ///< The GPU's share of the cut axis.
  mlir::Value group;                ///< Number of the workgroup among the `groups` of its row.
  /// Number of the row of workgroups. It computes [shareBegin + row * unitExtent, ... + unitExtent) of the cut axis.
  mlir::Value row;
  mlir::Value invocation; ///< Number of the invocation in the workgroup: 0 to workgroupSize.

  // Set by the emitter.
  /// Number of variants, the best first. The last must run on any device: 128 invocations, 16 KiB of shared memory.
  unsigned variants = 1;
  int64_t unitExtent = 1;
  int64_t groups = 1;
  int64_t workgroupSize = 64;
  double flops = 0;
  uint64_t needs = 0;    ///< NACRE_GPU_NEED bits, in addition to those that the types of operands require.
  uint32_t families = 0; ///< Bits of GPU families, as in nacre_gpu_variant.
  std::string declined;  ///< The reason, if the emitter declines.
};

/// Fills the body. Fails if the emitter does not support the kernel's form; then its output is discarded.
using Emitter = llvm::LogicalResult (*)(plan::KernelOp kernel, KernelFunction &function);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_KERNELFUNCTION_H
