// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  compiles all variants of a kernel to SPIR-V.
// How:   1. copy the kernel into a separate context;
//        2. emit its variants, and simplify them together;
//        3. convert each variant to SPIR-V and serialize it. Drop variants that are not valid SPIR-V, and keep the
//           reason;
//        4. for variants with 64-bit integers or dot products, append copies that do without them, after all other
//           variants.

#include "codegen/Backend.h"
#include "codegen/KernelCopy.h"
#include "codegen/gpu/EmulateInt64.h"
#include "codegen/gpu/LowerToSpirv.h"
#include "codegen/gpu/ParseGpuTile.h"
#include "codegen/gpu/Passes.h"
#include "codegen/gpu/WriteOutDots.h"
#include "dialects/plan/PlanDialect.h"
#include "runtime/include/nacre/model_format.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::gpu;

namespace {

LogicalResult cleanUp(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  return passes.run(module);
}

std::string printed(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, OpPrintingFlags().useLocalScope());
  return text + "\n";
}

FailureOr<GpuKernelCode> compileVariant(mlir::gpu::GPUModuleOp module, GpuEmit emit) {
  GpuKernelCode code = readVariant(module);
  if (emit == GpuEmit::GpuDialect) {
    code.text = printed(module);
    return code;
  }
  FailureOr<SpirvModule> lowered = lowerToSpirv(module);
  if (failed(lowered))
    return failure();
  code.needs |= lowered->needs;
  if (emit == GpuEmit::SpirvDialect)
    code.text = printed(lowered->module);
  else if (failed(serialize(*lowered, code.code)))
    return failure();
  return code;
}

/// Returns a copy of a variant, which is inserted next to it.
mlir::gpu::GPUModuleOp copyOf(mlir::gpu::GPUModuleOp variant) {
  OpBuilder builder(variant);
  auto copy = cast<mlir::gpu::GPUModuleOp>(builder.clone(*variant));
  copy.setName((variant.getName() + "_words").str());
  return copy;
}

constexpr uint64_t kDots =
    NACRE_GPU_NEED(NACRE_GPU_DOT_SIGNED) | NACRE_GPU_NEED(NACRE_GPU_DOT_UNSIGNED) | NACRE_GPU_NEED(NACRE_GPU_DOT_MIXED);

/// Rewrites `variant`, whose code is `code`, for devices without 64-bit integers or dot products. Returns false if this
/// is not useful, or not possible.
bool makePortable(mlir::gpu::GPUModuleOp variant, const GpuKernelCode &code) {
  // The variants that all families use serve these devices. Emulated GPUs have dot products.
  constexpr uint32_t emulated = 1u << NACRE_GPU_CPU, all = 2 * emulated - 1;
  const bool hasDots = (code.needs & kDots) && (code.families == 0 || (code.families | emulated) == all);
  if (hasDots)
    writeOutDots(variant);
  return ((code.needs & NACRE_GPU_NEED(NACRE_GPU_INT_64)) && emulateInt64(variant)) || hasDots;
}

class KernelContext : public MLIRContext {
public:
  KernelContext() : MLIRContext(Threading::DISABLED) {
    loadDialect<plan::PlanDialect, arith::ArithDialect, mlir::gpu::GPUDialect, linalg::LinalgDialect, math::MathDialect,
                memref::MemRefDialect, scf::SCFDialect, spirv::SPIRVDialect, tensor::TensorDialect,
                vector::VectorDialect>();
  }
};

LogicalResult compile(KernelCopy &copy, const GpuOptions &options, GpuEmit emit, GpuKernel &result) {
  FailureOr<EmittedKernel> emitted = emitKernel(copy.kernel(), options);
  if (failed(emitted))
    return failure();
  result.declined = emitted->declined;
  if (emitted->variants.empty())
    return success();
  copy.kernel().erase();
  if (failed(cleanUp(*copy.module)))
    return failure();
  SmallVector<GpuKernelCode> portable; // Copies for devices that lack an instruction.
  for (auto [number, variant] : llvm::enumerate(emitted->variants)) {
    copy.messages.clear();
    mlir::gpu::GPUModuleOp again = emit == GpuEmit::GpuDialect ? nullptr : copyOf(variant);
    FailureOr<GpuKernelCode> code = compileVariant(variant, emit);
    if (again && succeeded(code) && makePortable(again, *code))
      if (FailureOr<GpuKernelCode> other = compileVariant(again, emit); succeeded(other))
        portable.push_back(std::move(*other));
    if (succeeded(code))
      result.variants.push_back(std::move(*code));
    else
      result.declined += (result.declined.empty() ? "variant " : "; variant ") + std::to_string(number) +
                         " is not valid SPIR-V: " + copy.messages;
  }
  result.variants.append(portable.begin(), portable.end());
  return success();
}

} // namespace

FailureOr<GpuKernel> codegen::compileGpuKernel(plan::KernelOp kernel, const GpuOptions &options, GpuEmit emit) {
  if (!options.tile.empty())
    if (llvm::Error fault = parseGpuTile(options.tile).takeError())
      return kernel.emitError("cannot be compiled with the tile ") << llvm::toString(std::move(fault));
  thread_local KernelContext context;
  KernelCopy copy(context);
  GpuKernel result;
  if (failed(copy.read(kernel, kernel.getSymName())) || failed(compile(copy, options, emit, result)))
    return kernel.emitError("cannot be compiled for GPUs: ") << copy.messages;
  return result;
}
