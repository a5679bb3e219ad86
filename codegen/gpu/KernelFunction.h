// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the compute shader of a kernel, while an emitter fills its body.
// Why:   all emitters access buffers, the share and the invocation's position in the same way. They also describe the
//        division of the work in the same way.
// How:   the shader is a gpu.func with flat memrefs in the StorageBuffer class. Push constants give the share.
//        CompileKernel.cpp adds the code around the body, and lowers the function to SPIR-V.

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

  mlir::OpBuilder builder; ///< Inserts operations before the function's return.
  mlir::Location loc;
  GpuOptions options;
  unsigned variant = 0; ///< Index of the variant to emit. The emitter sets `variants`, the number of variants.

  /// Returns the whole operand of the launch with index `operand`. Its type is `memref<Nxelement>`, or `memref<N/width
  /// x vector<width x element>>` with a width of 2 or 4 if liesInVectors is true. 16-bit elements may also have width
  /// 8, as vectors of four i32.
  ///
  /// A kernel may access one operand with several widths, which share a binding. N is dynamic for an operand with a
  /// variable offset. Index 0 is always the beginning of the operand.
  std::function<mlir::Value(unsigned operand, unsigned width)> buffer;
  /// Returns the operand with index `operand`, which has elements of one byte, as words: `memref<N/4 x i32>`, or
  /// vectors if `words` is 2 or 4. liesInVectors must be true for as many bytes.
  std::function<mlir::Value(unsigned operand, unsigned words)> words;
  /// True if `operand` can be read and written in vectors of `width` elements, because its size and its offset are
  /// multiples of `width`.
  std::function<bool(unsigned operand, unsigned width)> liesInVectors;
  /// Allocates an array `memref<count x type>` that the invocations of a workgroup share. `type` is a scalar or a
  /// vector of at most 4 elements.
  std::function<mlir::Value(int64_t count, mlir::Type type)> shared;

  // Values of type index, which has 32 bits on the device.
  mlir::Value shareBegin, shareEnd; ///< The GPU's share of the cut axis.
  mlir::Value group;                ///< Index of the workgroup among the `groups` workgroups of its row.
  /// Index of the row of workgroups. The row computes [shareBegin + row * unitExtent, ... + unitExtent) of the cut
  /// axis.
  mlir::Value row;
  mlir::Value invocation; ///< Index of the invocation in the workgroup: 0 to workgroupSize - 1.

  // The emitter sets these members.
  /// Number of variants, the best first. The last variant must run on any device, with at most 128 invocations and 16
  /// KiB of shared memory.
  unsigned variants = 1;
  int64_t unitExtent = 1;
  int64_t groups = 1;
  int64_t workgroupSize = 64;
  double flops = 0;
  uint64_t needs = 0;    ///< Bit mask (NACRE_GPU_NEED) of needs, in addition to those of the types of operands.
  uint32_t families = 0; ///< Bit mask of GPU families, as in nacre_gpu_variant.
  std::string declined;  ///< Reason why the emitter declines, if it does.
};

/// Function that fills the body. It fails if the emitter does not support the kernel's form. Its output is then
/// discarded.
using Emitter = llvm::LogicalResult (*)(plan::KernelOp kernel, KernelFunction &function);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_KERNELFUNCTION_H
