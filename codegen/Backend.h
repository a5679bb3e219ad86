// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  compiles one kernel to one blob of machine code.
// Why:   the driver compiles kernels one by one, in parallel. This is the only part of code generation that it calls.
// How:   each call has separate MLIR and LLVM contexts, so calls share no state. Equal kernels give equal bytes.

#ifndef NACRE_CODEGEN_BACKEND_H
#define NACRE_CODEGEN_BACKEND_H

#include "codegen/Target.h"
#include "dialects/plan/Accuracy.h"
#include "dialects/plan/GpuPrecision.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/LogicalResult.h"
#include <cstdint>
#include <string>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace nacre::plan {
class KernelOp;
} // namespace nacre::plan

namespace nacre::codegen {

/// Output of compileKernel: an ELF object, or text to read.
enum class Emit { Object, Assembly, LlvmIr, LlvmDialect };

/// One variant of a kernel. The object defines one hidden function, of type nacre_kernel_function.
struct KernelCode {
  llvm::SmallVector<char, 0> object; ///< Output of Emit::Object.
  std::string text;                  ///< Output of the other values of Emit.
  /// This member and the next three have the meaning of the members of nacre_cpu_variant.
  int64_t unitExtent = 1;
  int64_t unitsPerBlock = 1;
  uint64_t scratchBytes = 0;
  uint32_t unitNanoseconds = 0;
  uint64_t needs = 0;
  double flops = 0;         ///< Multiplications and additions of the whole kernel, by its definition.
  double executedFlops = 0; ///< Operations that the code executes. Winograd's method needs fewer than `flops`.
  bool fallback = false;    ///< True if all emitters declined. The code is then plain loops, vectorized only by LLVM.
  /// Emitters of the kernel's kind, separated by commas, if `fallback` is true. Empty if the kind has no emitter.
  std::string declinedBy;
};

/// Alignment of storages and weights that a GPU may use: the largest that Vulkan lets a device require.
constexpr int64_t kGpuBufferAlignment = 256;

/// Options of GPU variants.
struct GpuOptions {
  GpuPrecision precision = GpuPrecision::F32;
  Accuracy accuracy = Accuracy::Fast;
  bool mayBePlayed = true; ///< True if the device may be a CPU that emulates a GPU. Adds variants for such CPUs.
  bool mayBePhone = false; ///< True if the device may be a phone's GPU. Adds variants for such GPUs.
  std::string tile;        ///< Tile for contractions, which overrides the choice of the tables. See parseGpuTile.
  /// Size of a buffer in bytes that every device can bind. A kernel with a larger operand has an additional variant,
  /// which binds the operand in pieces of this size. A multiple of kGpuBufferAlignment.
  uint32_t pieceBytes = 128 << 20;
};

/// Output of compileGpuKernel: SPIR-V, or text to read.
enum class GpuEmit { Binary, GpuDialect, SpirvDialect };

/// One GPU variant of a kernel, with the members of nacre_gpu_variant.
struct GpuKernelCode {
  llvm::SmallVector<uint32_t, 0> code; ///< Output of GpuEmit::Binary.
  std::string text;                    ///< Output of the other values of GpuEmit.
  llvm::SmallVector<uint8_t> bindings; ///< Index of the launch's operand for each binding.
  uint64_t needs = 0;
  int64_t unitExtent = 1;
  uint32_t groups = 1;
  uint32_t workgroupSize = 1;
  uint32_t sharedBytes = 0;
  uint32_t families = 0;
  uint32_t shifted = 0;
  uint32_t pieceBytes = 0;
  double flops = 0;
};

/// Writes the alignment of each operand, over all launches, on every kernel. Must precede the first compileGpuKernel,
/// because GPU code depends on the alignment of operands with variable offsets.
void noteAlignments(mlir::ModuleOp module);

/// Compiles `kernel` for GPUs and returns its variants, the best first. There are no variants if all GPU emitters
/// decline, or if the emitted code is not valid SPIR-V. The CPU then computes the kernel. A failure is a defect of the
/// compiler, which is reported at the kernel.
struct GpuKernel {
  llvm::SmallVector<GpuKernelCode, 0> variants;
  std::string declined; ///< Reason why there are no variants, or why some are missing.
};
llvm::FailureOr<GpuKernel> compileGpuKernel(plan::KernelOp kernel, const GpuOptions &options,
                                            GpuEmit emit = GpuEmit::Binary);

/// Registers the passes of code generation, for nacre-opt.
void registerPasses();
void registerGpuPasses();

/// Limit of scratch that every kernel exceeds, so that compileKernel only returns the need.
constexpr int64_t kOnlyScratch = -1;

/// Compiles `kernel` into a function named `symbol`. Other threads may read the kernel's module meanwhile. Reports
/// errors at the kernel. If the kernel needs more than `mostScratchBytes` of scratch, the result has only
/// `scratchBytes` and no code.
llvm::FailureOr<KernelCode> compileKernel(plan::KernelOp kernel, const Target &target, Emit emit,
                                          llvm::StringRef symbol, int64_t mostScratchBytes = INT64_MAX);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_BACKEND_H
