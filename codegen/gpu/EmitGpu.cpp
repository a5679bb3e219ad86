// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  turns every kernel into compute shaders, with the emitter of its kind.
// Why:   an emitter that makes all decisions itself is fast and predictable. It declines kernels of other forms.
// How:   1. create an empty function. Buffers are added when the emitter asks for them;
//        2. let the kind's emitters fill it, variant by variant;
//        3. write the launch parameters, and check that the last variant runs on every device.

#include "codegen/KernelNotes.h"
#include "codegen/form/EmitterList.h"
#include "codegen/gpu/Bindings.h"
#include "codegen/gpu/Emitters.h"
#include "codegen/gpu/LimitIterations.h"
#include "codegen/gpu/Passes.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/ScalarOps.h"
#include "runtime/include/nacre/model_format.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-emit-gpu"

namespace nacre::codegen::gpu {
#define GEN_PASS_DEF_EMITGPUPASS
#include "codegen/gpu/Passes.h.inc"
} // namespace nacre::codegen::gpu

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::gpu;

namespace {

//===----------------------------------------------------------------------===//
// 1. The function
//===----------------------------------------------------------------------===//

spirv::StorageClassAttr storageClass(MLIRContext *context, spirv::StorageClass name) {
  return spirv::StorageClassAttr::get(context, name);
}

/// A variant under construction.
class Shader {
public:
  /// `number` is the index of the variant among all variants of the kernel.
  Shader(plan::KernelOp kernel, const GpuOptions &options, unsigned variant, unsigned number, bool inPieces)
      : kernel(kernel), context(kernel.getContext()), module(makeModule(number)), function(makeFunction()),
        bindings(kernel, function, inPieces ? options.pieceBytes : 0), body(startBody(options, variant)) {}

  KernelFunction &fill() { return body; }
  void limitLoops();
  const Bindings &getBindings() const { return bindings; }
  mlir::gpu::GPUModuleOp finish();
  void erase() { module.erase(); }

private:
  mlir::gpu::GPUModuleOp makeModule(unsigned number) {
    OpBuilder builder(kernel);
    return mlir::gpu::GPUModuleOp::create(builder, kernel.getLoc(), (kernel.getSymName() + "_" + Twine(number)).str());
  }

  mlir::gpu::GPUFuncOp makeFunction() {
    auto builder = OpBuilder::atBlockBegin(module.getBody());
    auto made = mlir::gpu::GPUFuncOp::create(builder, kernel.getLoc(), "main", builder.getFunctionType({}, {}));
    made->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    builder.setInsertionPointToEnd(&made.getBody().front());
    mlir::gpu::ReturnOp::create(builder, kernel.getLoc());
    return made;
  }

  KernelFunction startBody(const GpuOptions &options, unsigned variant);
  Value shared(int64_t count, Type type);

  plan::KernelOp kernel;
  MLIRContext *context;
  mlir::gpu::GPUModuleOp module;
  mlir::gpu::GPUFuncOp function;
  Bindings bindings;
  int64_t sharedBytes = 0;
  KernelFunction body;
};

KernelFunction Shader::startBody(const GpuOptions &options, unsigned variant) {
  OpBuilder builder(function.getBody().front().getTerminator());
  Location loc = kernel.getLoc();
  KernelFunction made(builder, loc);
  made.options = options;
  made.variant = variant;
  made.liesInVectors = [this](unsigned operand, unsigned width) { return bindings.liesInVectors(operand, width); };
  made.buffer = [this](unsigned operand, unsigned width) { return bindings.buffer(operand, width); };
  made.words = [this](unsigned operand, unsigned words) { return bindings.words(operand, words); };
  made.shared = [this](int64_t count, Type type) { return shared(count, type); };
  made.shareBegin = makePushConstant(builder, loc, 0);
  made.shareEnd = makePushConstant(builder, loc, 1);
  made.group = mlir::gpu::BlockIdOp::create(builder, loc, mlir::gpu::Dimension::x);
  made.row = mlir::gpu::BlockIdOp::create(builder, loc, mlir::gpu::Dimension::y);
  made.invocation = mlir::gpu::ThreadIdOp::create(builder, loc, mlir::gpu::Dimension::x);
  return made;
}

Value Shader::shared(int64_t count, Type type) {
  const auto vector = dyn_cast<VectorType>(type);
  sharedBytes += count * (vector ? vector.getNumElements() : 1) * bytesOfElement(getElementTypeOrSelf(type));
  auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
  return memref::AllocOp::create(builder, kernel.getLoc(),
                                 MemRefType::get({count}, type, MemRefLayoutAttrInterface(),
                                                 storageClass(context, spirv::StorageClass::Workgroup)));
}

/// Excludes emulated GPUs from the variant if an invocation may execute more iterations than these can.
void Shader::limitLoops() {
  constexpr uint32_t kEmulated = 1u << NACRE_GPU_CPU, kAll = 2 * kEmulated - 1;
  if (limitIterations(function))
    return;
  body.families = (body.families ? body.families : kAll) & ~kEmulated;
  if (body.families == 0)
    body.declined = "an invocation may run more iterations than an emulated GPU can";
}

//===----------------------------------------------------------------------===//
// 3. Launch parameters
//===----------------------------------------------------------------------===//

mlir::gpu::GPUModuleOp Shader::finish() {
  Builder builder(context);
  auto set = [&](StringRef name, int64_t value) { function->setAttr(name, builder.getI64IntegerAttr(value)); };
  function->setAttr(spirv::getEntryPointABIAttrName(),
                    spirv::getEntryPointABIAttr(context, {int32_t(body.workgroupSize), 1, 1}));
  function->setAttr(notes::kFlops, builder.getF64FloatAttr(body.flops));
  set(notes::kNeeds, int64_t(body.needs));
  set(notes::kUnitExtent, body.unitExtent);
  set(notes::kGroups, body.groups);
  set(notes::kWorkgroupSize, body.workgroupSize);
  set(notes::kSharedBytes, sharedBytes);
  set(notes::kFamilies, body.families);
  bindings.finish();
  return module;
}

// Limits that all phones with Vulkan 1.1 meet.
constexpr uint32_t kLeastInvocations = 128, kLeastSharedBytes = 16 << 10, kLeastGroups = 65535;

LogicalResult verifyVariant(plan::KernelOp kernel, const GpuKernelCode &variant, bool last) {
  if (variant.groups > kLeastGroups || llvm::divideCeil(kernel.getCutExtent(), variant.unitExtent) > kLeastGroups)
    return kernel.emitError(
               "a GPU variant must be launched with at most 65535 workgroups in each dimension, but needs ")
           << variant.groups << " by " << llvm::divideCeil(kernel.getCutExtent(), variant.unitExtent);
  if (last && (variant.workgroupSize > kLeastInvocations || variant.sharedBytes > kLeastSharedBytes))
    return kernel.emitError("the last GPU variant must run on any device, but has ")
           << variant.workgroupSize << " invocations and " << variant.sharedBytes << " bytes of shared memory";
  return success();
}

//===----------------------------------------------------------------------===//
// 2. The emitters
//===----------------------------------------------------------------------===//

constexpr plan::EncodingKind kPanels[] = {plan::EncodingKind::Panel};

constexpr EmitterEntry<Emitter> kEmitters[] = {
    {"contraction", plan::KernelKind::Contraction, emitContraction, kPanels, /*knowsGroups=*/true},
    {"attention", plan::KernelKind::Attention, emitAttention},
    {"separable", plan::KernelKind::Separable, emitSeparable, kPanels},
    {"row", plan::KernelKind::Row, emitRow},
    {"row", plan::KernelKind::Nest, emitRow},
    {"transpose", plan::KernelKind::Permute, emitTranspose},
    {"transpose", plan::KernelKind::Nest, emitTranspose},
    {"team", plan::KernelKind::Serial, emitTeam},
    {"serial", plan::KernelKind::Serial, emitSerial},
    {"points", std::nullopt, emitPoints, kPanels, /*knowsGroups=*/true},
};

/// Returns all variants of one emitter, or the reason why it declines. A device may be unable to bind a large operand.
/// Then one more variant, of the portable form, binds it in pieces.
FailureOr<EmittedKernel> emitVariants(plan::KernelOp kernel, const GpuOptions &options, Emitter emit) {
  EmittedKernel emitted;
  bool inPieces = false;
  for (unsigned variant = 0, variants = 1; variant < variants;) {
    Shader shader(kernel, options, variant, emitted.variants.size(), inPieces);
    if (succeeded(emit(kernel, shader.fill())))
      shader.fill().declined = shader.getBindings().obstacle();
    else if (shader.fill().declined.empty())
      shader.fill().declined = "not its form";
    if (shader.fill().declined.empty())
      shader.limitLoops();
    if (!shader.fill().declined.empty()) {
      emitted.declined = shader.fill().declined;
      shader.erase();
      if (inPieces) // Other variants serve devices that can bind the operands whole.
        return emitted;
      for (mlir::gpu::GPUModuleOp former : emitted.variants)
        former.erase();
      emitted.variants.clear();
      return emitted;
    }
    variants = shader.fill().variants;
    const bool isLast = variant + 1 == variants;
    const bool addPieces = isLast && !inPieces && shader.getBindings().isAnyLargerThan(options.pieceBytes);
    emitted.variants.push_back(shader.finish());
    if (failed(verifyVariant(kernel, readVariant(emitted.variants.back()), isLast)))
      return failure();
    if (addPieces)
      inPieces = true;
    else
      ++variant;
  }
  return emitted;
}

struct EmitGpu : codegen::gpu::impl::EmitGpuPassBase<EmitGpu> {
  using EmitGpuPassBase::EmitGpuPassBase;

  void runOnOperation() override {
    GpuOptions options;
    options.precision = precision;
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<plan::KernelOp>())) {
      FailureOr<EmittedKernel> emitted = emitKernel(kernel, options);
      if (failed(emitted))
        return signalPassFailure();
      if (emitted->variants.empty())
        kernel->setAttr(notes::kDeclined, StringAttr::get(kernel.getContext(), emitted->declined));
      else
        kernel.erase();
    }
  }
};

} // namespace

FailureOr<EmittedKernel> nacre::codegen::gpu::emitKernel(plan::KernelOp kernel, const GpuOptions &options) {
  plan::expandScalars(kernel); // Shaders have no instructions for them.
  EmittedKernel declined;
  for (const EmitterEntry<Emitter> &candidate : emittersFor(kernel, ArrayRef(kEmitters))) {
    FailureOr<EmittedKernel> emitted = emitVariants(kernel, options, candidate.emit);
    if (failed(emitted) || !emitted->variants.empty())
      return emitted;
    LDBG() << candidate.name << " declines " << kernel.getSymName() << ": " << emitted->declined;
    declined.declined += (declined.declined.empty() ? "" : "; ") + candidate.name.str() + ": " + emitted->declined;
  }
  return declined;
}

GpuKernelCode nacre::codegen::gpu::readVariant(mlir::gpu::GPUModuleOp module) {
  auto function = *module.getOps<mlir::gpu::GPUFuncOp>().begin();
  auto integer = [&](StringRef name) { return function->getAttrOfType<IntegerAttr>(name).getInt(); };
  GpuKernelCode code;
  for (int64_t operand : function->getAttrOfType<DenseI64ArrayAttr>(notes::kBindings).asArrayRef())
    code.bindings.push_back(operand);
  code.flops = function->getAttrOfType<FloatAttr>(notes::kFlops).getValueAsDouble();
  code.needs = integer(notes::kNeeds);
  code.unitExtent = integer(notes::kUnitExtent);
  code.groups = integer(notes::kGroups);
  code.workgroupSize = integer(notes::kWorkgroupSize);
  code.sharedBytes = integer(notes::kSharedBytes);
  code.families = integer(notes::kFamilies);
  code.shifted = integer(notes::kShifted);
  code.pieceBytes = integer(notes::kPieceBytes);
  return code;
}

void nacre::codegen::registerGpuPasses() { codegen::gpu::registerGpuPasses(); }
