// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  one kernel in, one blob of machine code out.
// Why:   the driver compiles kernels one by one, in parallel, and needs nothing else of code generation.
// How:   every call has MLIR and LLVM contexts of its own, so calls share no state; equal kernels give equal bytes.

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

/// What a kernel is compiled to: an ELF object, or text for a reader.
enum class Emit { Object, Assembly, LlvmIr, LlvmDialect };

/// One variant of a kernel. The object defines one hidden function, of type nacre_kernel_function.
struct KernelCode {
  llvm::SmallVector<char, 0> object; ///< Emit::Object
  std::string text;                  ///< The others
  int64_t unitExtent = 1;            ///< As in nacre_cpu_variant
  int64_t unitsPerBlock = 1;
  uint64_t scratchBytes = 0;
  uint32_t unitNanoseconds = 0;
  uint64_t needs = 0;
  double flops = 0;         ///< Multiplications and additions of the whole kernel, as they are written
  double executedFlops = 0; ///< As it does them: fewer by Winograd's method
  bool fallback = false;    ///< No emitter took it: LLVM's vectorizers did what they could
  std::string declinedBy;   ///< Then: the emitters of its kind, joined by commas; empty: there is none
};

/// Storages and weights lie at multiples of this where a GPU may take part: the most that Vulkan may ask of a storage
/// buffer.
constexpr int64_t kGpuBufferAlignment = 256;

/// What GPU variants are compiled for.
struct GpuOptions {
  GpuPrecision precision = GpuPrecision::F32;
  Accuracy accuracy = Accuracy::Fast;
  bool mayBePlayed = true; ///< The device may be a CPU that plays a GPU: variants for those too.
  bool mayBePhone = false; ///< It may be a phone's: variants for those too.
  std::string tile;        ///< For contractions, instead of the tables' choice: see parseGpuTile.
  /// What every device binds as one buffer: larger operands have a variant, too, that binds them in such pieces. A
  /// multiple of kGpuBufferAlignment.
  uint32_t pieceBytes = 128 << 20;
};

/// What a kernel is compiled to for GPUs: SPIR-V, or text for a reader.
enum class GpuEmit { Binary, GpuDialect, SpirvDialect };

/// One GPU variant of a kernel; as in nacre_gpu_variant.
struct GpuKernelCode {
  llvm::SmallVector<uint32_t, 0> code; ///< GpuEmit::Binary
  std::string text;                    ///< The others
  llvm::SmallVector<uint8_t> bindings; ///< The launch's operand of each binding
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

/// Notes on every kernel of what the origins of its operands, in all launches, are multiples. Comes before the first
/// compileGpuKernel: code for GPUs reads what may lie anywhere in another way.
void noteAlignments(mlir::ModuleOp module);

/// Compiles `kernel` for GPUs: its variants, the best first. None where no GPU emitter takes it, or where what they
/// emit is no SPIR-V: the CPU computes it then. Failure means a fault of ours, reported at the kernel.
struct GpuKernel {
  llvm::SmallVector<GpuKernelCode, 0> variants;
  std::string declined; ///< Why there are none, or what the variants lack that are missing.
};
llvm::FailureOr<GpuKernel> compileGpuKernel(plan::KernelOp kernel, const GpuOptions &options,
                                            GpuEmit emit = GpuEmit::Binary);

/// Registers the passes of code generation, for nacre-opt.
void registerPasses();
void registerGpuPasses();

/// A bound of scratch that every kernel exceeds.
constexpr int64_t kOnlyScratch = -1;

/// Compiles `kernel`, whose module may be read by other threads meanwhile, into a function named `symbol`. Errors are
/// reported at the kernel. If it needs more than `mostScratchBytes`, only that is found out: there is no code.
llvm::FailureOr<KernelCode> compileKernel(plan::KernelOp kernel, const Target &target, Emit emit,
                                          llvm::StringRef symbol, int64_t mostScratchBytes = INT64_MAX);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_BACKEND_H
