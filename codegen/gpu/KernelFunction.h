// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the compute shader that a kernel becomes, while an emitter fills its body.
// Why:   all emitters share one way to reach buffers, the share and the invocation's place, and to say how the work is
//        divided.
// How:   a gpu.func of flat memrefs in the StorageBuffer class; the share comes from push constants. What surrounds the
//        body, and all of SPIR-V, is CompileKernel.cpp's.

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
  unsigned variant = 0; ///< Which of the kernel's variants to emit; the emitter says below how many there are.

  /// Operand `operand` of the launch, whole: `memref<Nxelement>`, or `memref<N/width x vector<width x element>>` of
  /// 2 or 4 lanes, where it lies in such vectors; of 16-bit elements eight too, as a vector of four i32. All kinds of
  /// one operand may be used in one kernel; they share a binding. Of an operand that may begin anywhere N is dynamic;
  /// indices count from where it begins all the same.
  std::function<mlir::Value(unsigned operand, unsigned width)> buffer;
  /// Whether `operand` may be read and written `width` elements at a time: it has a multiple of them, and begins on
  /// one.
  std::function<bool(unsigned operand, unsigned width)> liesInVectors;
  /// An array that a workgroup's invocations share: `memref<count x type>`; `type` is a scalar or a vector of up to 4.
  std::function<mlir::Value(int64_t count, mlir::Type type)> shared;

  // Of type index (32 bits wide on the device).
  mlir::Value shareBegin, shareEnd; ///< The GPU's share of the cut axis.
  mlir::Value group;                ///< Which of the `groups` of its row of workgroups.
  mlir::Value row;        ///< Which row: it computes [shareBegin + row * unitExtent, ... + unitExtent) of the axis.
  mlir::Value invocation; ///< Within the workgroup: 0 to workgroupSize.

  // What an emitter says about its work.
  unsigned variants = 1; ///< The best first. The last one must run on any device: 128 invocations, 16 KiB shared.
  int64_t unitExtent = 1;
  int64_t groups = 1;
  int64_t workgroupSize = 64;
  double flops = 0;
  uint64_t needs = 0;    ///< NACRE_GPU_NEED bits beyond those that the types of operands ask for.
  uint32_t families = 0; ///< As in nacre_gpu_variant.
  std::string declined;  ///< Why an emitter that failed did.
};

/// Fills the body. Failure means that the kernel's form is not the emitter's; what it emitted is thrown away.
using Emitter = llvm::LogicalResult (*)(plan::KernelOp kernel, KernelFunction &function);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_KERNELFUNCTION_H
