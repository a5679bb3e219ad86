// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  turns every kernel into compute shaders, by the emitter of its kind.
// Why:   an emitter that decides everything itself is fast and predictable; one that does not fit declines.
// How:   1. make an empty function; buffers are added as the emitter asks for them;
//        2. let the kind's emitters fill it, variant by variant;
//        3. record how the function is launched, and whether any device can.

#include "codegen/PackWeights.h"
#include "codegen/gpu/Emitters.h"
#include "codegen/gpu/InlineBody.h"
#include "codegen/gpu/Passes.h"
#include "dialects/plan/PlanDialect.h"
#include "runtime/include/nacre/model_format.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
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
  Shader(plan::KernelOp kernel, const GpuOptions &options, unsigned variant)
      : kernel(kernel), context(kernel.getContext()), module(makeModule(variant)), function(makeFunction()),
        alignments(readAlignments(kernel)), body(startBody(options, variant)) {}

  KernelFunction &fill() { return body; }
  mlir::gpu::GPUModuleOp finish();
  void erase() { module.erase(); }
  bool canBeBound();

private:
  mlir::gpu::GPUModuleOp makeModule(unsigned variant) {
    OpBuilder builder(kernel);
    return mlir::gpu::GPUModuleOp::create(builder, kernel.getLoc(), (kernel.getSymName() + "_" + Twine(variant)).str());
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
  Value pushConstant(OpBuilder &builder, int64_t number);
  Value buffer(unsigned operand, unsigned width);
  Value shared(int64_t count, Type type);
  bool isShifted(unsigned operand) const { return alignments[operand] < kGpuBufferAlignment; }
  int64_t bytesOf(unsigned operand);
  uint32_t shift();

  plan::KernelOp kernel;
  MLIRContext *context;
  mlir::gpu::GPUModuleOp module;
  mlir::gpu::GPUFuncOp function;
  llvm::MapVector<std::pair<unsigned, unsigned>, Value> buffers; ///< By operand and width.
  SmallVector<int64_t> bindings;                                 ///< Operands.
  SmallVector<int64_t> alignments;                               ///< Of the operands.
  int64_t sharedBytes = 0;
  KernelFunction body;
};

KernelFunction Shader::startBody(const GpuOptions &options, unsigned variant) {
  OpBuilder builder(function.getBody().front().getTerminator());
  Location loc = kernel.getLoc();
  KernelFunction made(builder, loc);
  made.options = options;
  made.variant = variant;
  for (unsigned operand = 0; operand < kernel.getBody().getNumArguments(); ++operand)
    made.elements.push_back(countStoredElements(kernel, operand));
  made.liesInVectors = [this](unsigned operand, unsigned width) {
    return body.elements[operand] % width == 0 && alignments[operand] % (width * bytesOf(operand)) == 0;
  };
  made.buffer = [this](unsigned operand, unsigned width) { return buffer(operand, width); };
  made.shared = [this](int64_t count, Type type) { return shared(count, type); };
  made.shareBegin = pushConstant(builder, 0);
  made.shareEnd = pushConstant(builder, 1);
  made.group = mlir::gpu::BlockIdOp::create(builder, loc, mlir::gpu::Dimension::x);
  made.row = mlir::gpu::BlockIdOp::create(builder, loc, mlir::gpu::Dimension::y);
  made.invocation = mlir::gpu::ThreadIdOp::create(builder, loc, mlir::gpu::Dimension::x);
  return made;
}

Value Shader::pushConstant(OpBuilder &builder, int64_t number) {
  auto placeholder =
      UnrealizedConversionCastOp::create(builder, kernel.getLoc(), TypeRange{builder.getIndexType()}, ValueRange());
  placeholder->setAttr(kPushConstant, builder.getI64IntegerAttr(number));
  return placeholder.getResult(0);
}

int64_t Shader::bytesOf(unsigned operand) {
  auto tensor = cast<RankedTensorType>(kernel.getBody().getArgument(operand).getType());
  return llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}

Value Shader::buffer(unsigned operand, unsigned width) {
  Value &value = buffers[{operand, width}];
  if (value)
    return value;
  auto tensor = cast<RankedTensorType>(kernel.getBody().getArgument(operand).getType());
  const int64_t elements = body.elements[operand];
  Type element = storedType(tensor.getElementType());
  assert((width == 1 || width == 2 || width == 4 || (width == 8 && element.getIntOrFloatBitWidth() == 16)) &&
         (width == 1 || body.liesInVectors(operand, width)) && "a storage is read in whole vectors");
  if (width == 8)
    element = VectorType::get({4}, IntegerType::get(context, 32)); // SPIR-V has no vectors of eight.
  else if (width > 1)
    element = VectorType::get({int64_t(width)}, element);
  const int64_t binding = llvm::find(bindings, int64_t(operand)) - bindings.begin();
  if (binding == int64_t(bindings.size()))
    bindings.push_back(operand);

  // What is bound of a shifted operand begins before it.
  auto type = MemRefType::get({isShifted(operand) ? ShapedType::kDynamic : elements / width}, element,
                              MemRefLayoutAttrInterface(), storageClass(context, spirv::StorageClass::StorageBuffer));
  OpBuilder builder(context);
  auto abi = builder.getDictionaryAttr(builder.getNamedAttr(
      spirv::getInterfaceVarABIAttrName(), spirv::getInterfaceVarABIAttr(0, binding, std::nullopt, context)));
  const unsigned position = function.getNumArguments();
  [[maybe_unused]] LogicalResult inserted = function.insertArgument(position, type, abi, kernel.getLoc());
  assert(succeeded(inserted) && "a gpu.func takes any memref");
  return value = function.getArgument(position);
}

Value Shader::shared(int64_t count, Type type) {
  const auto vector = dyn_cast<VectorType>(type);
  sharedBytes +=
      count * (vector ? vector.getNumElements() : 1) * getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
  auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
  return memref::AllocOp::create(builder, kernel.getLoc(),
                                 MemRefType::get({count}, type, MemRefLayoutAttrInterface(),
                                                 storageClass(context, spirv::StorageClass::Workgroup)));
}

//===----------------------------------------------------------------------===//
// 3. How it is launched
//===----------------------------------------------------------------------===//

/// Makes indices into shifted operands count from where these begin. The result has a bit for each such binding.
uint32_t Shader::shift() {
  uint32_t shifted = 0;
  llvm::DenseMap<unsigned, Value> bytes;
  auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
  int64_t number = 2; // behind the share
  for (auto [binding, operand] : llvm::enumerate(bindings))
    if (isShifted(operand)) {
      shifted |= 1u << binding;
      bytes[operand] = pushConstant(builder, number++);
    }
  for (auto [key, buffer] : buffers) {
    const auto [operand, width] = key;
    if (!isShifted(operand))
      continue;
    Value unit = arith::ConstantIndexOp::create(builder, kernel.getLoc(), width * bytesOf(operand));
    Value shift = arith::DivUIOp::create(builder, kernel.getLoc(), bytes[operand], unit);
    for (Operation *access : buffer.getUsers()) {
      // The last operand of a load or store of a flat array is its index.
      OpOperand &index = access->getOpOperand(access->getNumOperands() - 1);
      index.set(OpBuilder(access).createOrFold<arith::AddIOp>(kernel.getLoc(), index.get(), shift));
    }
  }
  return shifted;
}

/// Whether the runtime has room for all bindings, and a push constant for each that is shifted.
bool Shader::canBeBound() {
  constexpr unsigned mostBindings = 32; // a variant has a bit for each
  if (bindings.size() > mostBindings)
    body.declined = "more operands than a shader binds";
  else if (llvm::count_if(bindings, [&](int64_t operand) { return isShifted(operand); }) > NACRE_GPU_MOST_SHIFTED)
    body.declined = "more operands that begin anywhere than there are push constants";
  else
    return true;
  return false;
}

mlir::gpu::GPUModuleOp Shader::finish() {
  Builder builder(context);
  auto set = [&](StringRef name, int64_t value) { function->setAttr(name, builder.getI64IntegerAttr(value)); };
  function->setAttr(spirv::getEntryPointABIAttrName(),
                    spirv::getEntryPointABIAttr(context, {int32_t(body.workgroupSize), 1, 1}));
  function->setAttr("nacre.bindings", builder.getDenseI64ArrayAttr(bindings));
  function->setAttr("nacre.flops", builder.getF64FloatAttr(body.flops));
  set("nacre.needs", int64_t(body.needs));
  set("nacre.unit_extent", body.unitExtent);
  set("nacre.groups", body.groups);
  set("nacre.workgroup_size", body.workgroupSize);
  set("nacre.shared_bytes", sharedBytes);
  set("nacre.families", body.families);
  set("nacre.shifted", shift());
  return module;
}

// What the least device of Vulkan 1.1 on phones offers.
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

struct EmitterOfKind {
  StringLiteral name;
  std::optional<plan::KernelKind> kind; // none: any
  Emitter emit;
};

/// Tried in this order: an emitter that declines leaves the kernel to the next.
ArrayRef<EmitterOfKind> emitters() {
  static constexpr EmitterOfKind inOrder[] = {
      {"contraction", plan::KernelKind::Contraction, emitContraction},
      {"row", plan::KernelKind::Row, emitRow},
      {"row", plan::KernelKind::Nest, emitRow},
      {"transpose", plan::KernelKind::Permute, emitTranspose},
      {"transpose", plan::KernelKind::Nest, emitTranspose},
      {"points", std::nullopt, emitPoints},
  };
  return inOrder;
}

/// All variants of one emitter; none, and why, where it declines.
FailureOr<EmittedKernel> emitVariants(plan::KernelOp kernel, const GpuOptions &options, Emitter emit) {
  EmittedKernel emitted;
  for (unsigned variant = 0, variants = 1; variant < variants; ++variant) {
    Shader shader(kernel, options, variant);
    if (failed(emit(kernel, shader.fill())) || !shader.canBeBound()) {
      emitted.declined = shader.fill().declined;
      shader.erase();
      for (mlir::gpu::GPUModuleOp former : emitted.variants)
        former.erase();
      emitted.variants.clear();
      return emitted;
    }
    variants = shader.fill().variants;
    emitted.variants.push_back(shader.finish());
    if (failed(verifyVariant(kernel, readVariant(emitted.variants.back()), variant + 1 == variants)))
      return failure();
  }
  return emitted;
}

struct EmitGpu : codegen::gpu::impl::EmitGpuPassBase<EmitGpu> {
  using EmitGpuPassBase::EmitGpuPassBase;

  void runOnOperation() override {
    GpuOptions options;
    if (precision != "fp32" && precision != "fp16") {
      getOperation().emitError("precision must be fp32 or fp16, but is ") << precision.getValue();
      return signalPassFailure();
    }
    options.precision = precision == "fp16" ? GpuOptions::Precision::F16 : GpuOptions::Precision::F32;
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<plan::KernelOp>())) {
      FailureOr<EmittedKernel> emitted = emitKernel(kernel, options);
      if (failed(emitted))
        return signalPassFailure();
      if (emitted->variants.empty())
        kernel->setAttr("nacre.declined", StringAttr::get(kernel.getContext(), emitted->declined));
      else
        kernel.erase();
    }
  }
};

} // namespace

FailureOr<EmittedKernel> nacre::codegen::gpu::emitKernel(plan::KernelOp kernel, const GpuOptions &options) {
  EmittedKernel declined;
  for (const EmitterOfKind &candidate : emitters()) {
    if (candidate.kind && *candidate.kind != kernel.getKind())
      continue;
    FailureOr<EmittedKernel> emitted = emitVariants(kernel, options, candidate.emit);
    if (failed(emitted) || !emitted->variants.empty())
      return emitted;
    LDBG() << candidate.name << " declines " << kernel.getSymName() << ": " << emitted->declined;
    declined.declined += (declined.declined.empty() ? "" : "; ") + candidate.name.str() + ": " +
                         (emitted->declined.empty() ? "not its form" : emitted->declined);
  }
  return declined;
}

GpuKernelCode nacre::codegen::gpu::readVariant(mlir::gpu::GPUModuleOp module) {
  auto function = *module.getOps<mlir::gpu::GPUFuncOp>().begin();
  auto integer = [&](StringRef name) { return function->getAttrOfType<IntegerAttr>(name).getInt(); };
  GpuKernelCode code;
  for (int64_t operand : function->getAttrOfType<DenseI64ArrayAttr>("nacre.bindings").asArrayRef())
    code.bindings.push_back(operand);
  code.flops = function->getAttrOfType<FloatAttr>("nacre.flops").getValueAsDouble();
  code.needs = integer("nacre.needs");
  code.unitExtent = integer("nacre.unit_extent");
  code.groups = integer("nacre.groups");
  code.workgroupSize = integer("nacre.workgroup_size");
  code.sharedBytes = integer("nacre.shared_bytes");
  code.families = integer("nacre.families");
  code.shifted = integer("nacre.shifted");
  return code;
}

void nacre::codegen::registerGpuPasses() { codegen::gpu::registerGpuPasses(); }
