// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. the SPIR-V capabilities that a device may lack, and the bit of nacre_gpu_variant for each;
//        2. one conversion for all dialects, for placeholders of push constants and for products that must not be
//           fused;
//        3. the steps that MLIR leaves open: layouts, aliased buffers, the minimum version and capabilities.

#include "codegen/gpu/LowerToSpirv.h"
#include "codegen/KernelNotes.h"
#include "codegen/gpu/ExactQuotients.h"
#include "codegen/gpu/Passes.h"
#include "codegen/gpu/WriteOutDots.h"
#include "runtime/include/nacre/model_format.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/FuncToSPIRV/FuncToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

//===----------------------------------------------------------------------===//
// 1. Capabilities of devices
//===----------------------------------------------------------------------===//

struct CapabilityNeed {
  spirv::Capability capability;
  uint64_t needs; ///< Bit mask of the needs; 0 if every device has the capability, or if instructions have needs.
};

constexpr CapabilityNeed kCapabilities[] = {
    {spirv::Capability::Shader, 0},
    {spirv::Capability::Matrix, 0},
    {spirv::Capability::StorageBuffer16BitAccess, NACRE_GPU_NEED(NACRE_GPU_STORAGE_16)},
    {spirv::Capability::StorageBuffer8BitAccess, NACRE_GPU_NEED(NACRE_GPU_STORAGE_8)},
    {spirv::Capability::Float16, NACRE_GPU_NEED(NACRE_GPU_FLOAT_16)},
    {spirv::Capability::Float64, NACRE_GPU_NEED(NACRE_GPU_FLOAT_64)},
    {spirv::Capability::Int8, NACRE_GPU_NEED(NACRE_GPU_INT_8)},
    {spirv::Capability::Int16, NACRE_GPU_NEED(NACRE_GPU_INT_16)},
    {spirv::Capability::Int64, NACRE_GPU_NEED(NACRE_GPU_INT_64)},
    {spirv::Capability::GroupNonUniform, NACRE_GPU_NEED(NACRE_GPU_SUBGROUPS)},
    {spirv::Capability::GroupNonUniformArithmetic, NACRE_GPU_NEED(NACRE_GPU_SUBGROUPS)},
    {spirv::Capability::GroupNonUniformShuffle, NACRE_GPU_NEED(NACRE_GPU_SUBGROUPS)},
    {spirv::Capability::DotProduct, 0}, // needsOfDots() has the needs.
    {spirv::Capability::DotProductInput4x8BitPacked, 0},
    {spirv::Capability::CooperativeMatrixKHR, 0}, // needsOfMatrices() has the needs.
    {spirv::Capability::VulkanMemoryModel, 0},
};

bool multipliesBytes(spirv::KHRCooperativeMatrixMulAddOp product) {
  return cast<spirv::CooperativeMatrixType>(product.getA().getType()).getElementType().isInteger(8);
}

uint64_t needsOfMatrices(spirv::ModuleOp module) {
  uint64_t needs = 0;
  module.walk([&](spirv::KHRCooperativeMatrixMulAddOp product) {
    needs |=
        multipliesBytes(product) ? NACRE_GPU_NEED(NACRE_GPU_BYTE_MATRIX) : NACRE_GPU_NEED(NACRE_GPU_COOPERATIVE_MATRIX);
  });
  return needs;
}

bool usesMatrices(mlir::gpu::GPUModuleOp module) {
  return module.walk([](mlir::gpu::SubgroupMmaComputeOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Returns a target that has everything that a kernel may use. SPIRVUpdateVCEPass later keeps only the capabilities in
/// use.
spirv::TargetEnvAttr targetOf(MLIRContext *context, bool matrices, spirv::Version version) {
  SmallVector<spirv::Capability> capabilities;
  for (const CapabilityNeed &entry : kCapabilities)
    capabilities.push_back(entry.capability);
  SmallVector<spirv::Extension> extensions = {
      spirv::Extension::SPV_KHR_storage_buffer_storage_class, spirv::Extension::SPV_KHR_16bit_storage,
      spirv::Extension::SPV_KHR_8bit_storage, spirv::Extension::SPV_KHR_integer_dot_product};
  if (matrices)
    extensions.append({spirv::Extension::SPV_KHR_cooperative_matrix, spirv::Extension::SPV_KHR_vulkan_memory_model});
  return spirv::TargetEnvAttr::get(spirv::VerCapExtAttr::get(version, capabilities, extensions, context),
                                   spirv::getDefaultResourceLimits(context), spirv::ClientAPI::Vulkan);
}

FailureOr<uint64_t> needsOf(spirv::ModuleOp module) {
  uint64_t needs = needsOfDots(module) | needsOfMatrices(module);
  for (spirv::Capability capability : module.getVceTriple()->getCapabilities()) {
    const auto *entry = llvm::find_if(
        kCapabilities, [&](const CapabilityNeed &candidate) { return candidate.capability == capability; });
    if (entry == std::end(kCapabilities))
      return module.emitError("must need only features that the runtime can request, but needs ")
             << spirv::stringifyCapability(capability);
    needs |= entry->needs;
  }
  return needs;
}

//===----------------------------------------------------------------------===//
// 2. Conversion
//===----------------------------------------------------------------------===//

unsigned countPushConstants(mlir::gpu::GPUModuleOp module) {
  int64_t count = 0;
  module.walk([&](UnrealizedConversionCastOp op) {
    if (auto number = op->getAttrOfType<IntegerAttr>(notes::kPushConstant))
      count = std::max(count, number.getInt() + 1);
  });
  return count;
}

struct LowerPushConstant : OpConversionPattern<UnrealizedConversionCastOp> {
  LowerPushConstant(const TypeConverter &types, MLIRContext *context, unsigned count)
      : OpConversionPattern(types, context), count(count) {}

  LogicalResult matchAndRewrite(UnrealizedConversionCastOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto number = op->getAttrOfType<IntegerAttr>(notes::kPushConstant);
    if (!number)
      return rewriter.notifyMatchFailure(op, "expected a placeholder of a push constant");
    Value value = spirv::getPushConstantValue(op, count, number.getInt(), rewriter.getI32Type(), rewriter);
    if (!value)
      return failure();
    rewriter.replaceOp(op, value);
    return success();
  }

  const unsigned count; ///< Number of push constants of the module.
};

/// Lowers a product that a driver must not fuse with a sum (ExactQuotients.h).
struct LowerMarkedProduct : OpConversionPattern<arith::MulFOp> {
  LowerMarkedProduct(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::MulFOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (!op->hasAttr(notes::kNotFused) || !type)
      return rewriter.notifyMatchFailure(op, "expected a marked product");
    auto product = rewriter.replaceOpWithNewOp<spirv::FMulOp>(op, type, operands.getLhs(), operands.getRhs());
    product->setAttr("no_contraction", rewriter.getUnitAttr());
    return success();
  }
};

LogicalResult expandDivisions(mlir::gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  if (failed(applyPatternsGreedily(module, std::move(patterns))))
    return module.emitError("expanding divisions did not converge");
  return success();
}

LogicalResult convert(mlir::gpu::GPUModuleOp module, spirv::TargetEnvAttr target) {
  MLIRContext *context = module.getContext();
  SPIRVConversionOptions options;
  options.emulateLT32BitScalarTypes = false;
  options.emulateUnsupportedFloatTypes = false;
  options.use64bitIndex = false;
  SPIRVTypeConverter types(target, options);
  ScfToSPIRVContext loops;
  RewritePatternSet patterns(context);
  populateGPUToSPIRVPatterns(types, patterns);
  populateMathToSPIRVPatterns(types, patterns);
  arith::populateArithToSPIRVPatterns(types, patterns);
  populateMemRefToSPIRVPatterns(types, patterns);
  populateFuncToSPIRVPatterns(types, patterns);
  populateVectorToSPIRVPatterns(types, patterns);
  populateSCFToSPIRVPatterns(types, loops, patterns);
  populateMMAToSPIRVCoopMatrixTypeConversion(types);
  populateGpuWMMAToSPIRVCoopMatrixKHRConversionPatterns(types, patterns);
  patterns.add<LowerPushConstant>(types, context, countPushConstants(module));
  patterns.add<LowerMarkedProduct>(types, context);

  std::unique_ptr<ConversionTarget> legal = SPIRVConversionTarget::get(target);
  legal->addDynamicallyLegalOp<UnrealizedConversionCastOp>(
      [](UnrealizedConversionCastOp op) { return !op->hasAttr(notes::kPushConstant); });
  return applyFullConversion(module, *legal, std::move(patterns));
}

//===----------------------------------------------------------------------===//
// 3. Final steps
//===----------------------------------------------------------------------===//

/// Marks variables with the same binding as aliased, because they share memory.
void markAliases(spirv::ModuleOp module) {
  llvm::DenseMap<uint32_t, SmallVector<spirv::GlobalVariableOp, 2>> byBinding;
  for (auto variable : module.getOps<spirv::GlobalVariableOp>())
    if (std::optional<uint32_t> binding = variable.getBinding())
      byBinding[*binding].push_back(variable);
  for (auto &[binding, variables] : byBinding)
    if (variables.size() > 1)
      for (spirv::GlobalVariableOp variable : variables)
        variable->setAttr("aliased", UnitAttr::get(module.getContext()));
}

/// Marks products of bytes as signed. MLIR emits unsigned ones, whatever the types of the operands are.
void markSigned(spirv::ModuleOp module) {
  using Operands = spirv::CooperativeMatrixOperandsKHR;
  module.walk([](spirv::KHRCooperativeMatrixMulAddOp product) {
    if (multipliesBytes(product))
      product.setMatrixOperands(Operands::ASigned | Operands::BSigned | Operands::CSigned | Operands::ResultSigned);
  });
}

/// Switches the module to the Vulkan memory model, which cooperative matrices require. With it, accesses and barriers
/// must request that invocations see each other's writes to shared memory. MLIR emits modules for the GLSL450 memory
/// model.
void useVulkanMemoryModel(spirv::ModuleOp module) {
  MLIRContext *context = module.getContext();
  module.setMemoryModelAttr(spirv::MemoryModelAttr::get(context, spirv::MemoryModel::Vulkan));
  const auto shared = spirv::MemoryAccessAttr::get(context, spirv::MemoryAccess::NonPrivatePointer);
  auto isShared = [](Value pointer) {
    return cast<spirv::PointerType>(pointer.getType()).getStorageClass() == spirv::StorageClass::Workgroup;
  };
  module.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<spirv::LoadOp, spirv::StoreOp>([&](auto access) {
          if (isShared(access.getPtr()))
            access.setMemoryAccessAttr(shared);
        })
        .Case<spirv::KHRCooperativeMatrixLoadOp, spirv::KHRCooperativeMatrixStoreOp>([&](auto access) {
          if (isShared(access.getPointer()))
            access.setMemoryOperandAttr(shared);
        })
        .Case<spirv::ControlBarrierOp>([&](spirv::ControlBarrierOp barrier) {
          barrier.setMemorySemantics(barrier.getMemorySemantics() | spirv::MemorySemantics::MakeAvailable |
                                     spirv::MemorySemantics::MakeVisible);
        });
  });
  spirv::VerCapExtAttr triple = *module.getVceTriple();
  SmallVector<spirv::Capability> capabilities(triple.getCapabilities());
  capabilities.push_back(spirv::Capability::VulkanMemoryModel);
  SmallVector<spirv::Extension> extensions(triple.getExtensions());
  module.setVceTripleAttr(spirv::VerCapExtAttr::get(spirv::Version::V_1_6, capabilities, extensions, context));
}

LogicalResult runPasses(spirv::ModuleOp module, llvm::function_ref<void(OpPassManager &)> add) {
  auto passes = PassManager::on<spirv::ModuleOp>(module.getContext());
  add(passes);
  return passes.run(module);
}

/// Notes the version, the capabilities and the extensions of a module for `version`. MLIR assumes that dot products
/// need version 1.6, although an extension suffices.
LogicalResult updateVersion(spirv::ModuleOp module, bool matrices, spirv::Version version) {
  MLIRContext *context = module.getContext();
  const StringRef name = spirv::getTargetEnvAttrName();
  Attribute target = module->getAttr(name);
  if (needsOfDots(module) != 0)
    module->setAttr(name, targetOf(context, matrices, spirv::Version::V_1_6));
  if (failed(runPasses(module, [](auto &passes) { passes.addPass(spirv::createSPIRVUpdateVCEPass()); })))
    return failure();
  module->setAttr(name, target);
  spirv::VerCapExtAttr triple = *module.getVceTriple();
  SmallVector<spirv::Capability> capabilities(triple.getCapabilities());
  SmallVector<spirv::Extension> extensions(triple.getExtensions());
  module.setVceTripleAttr(
      spirv::VerCapExtAttr::get(std::min(triple.getVersion(), version), capabilities, extensions, context));
  return success();
}

LogicalResult finish(spirv::ModuleOp module, bool matrices, spirv::Version version) {
  auto add = [](OpPassManager &passes) {
    passes.addPass(spirv::createSPIRVLowerABIAttributesPass());
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
  };
  return failure(failed(runPasses(module, add)) || failed(updateVersion(module, matrices, version)));
}

} // namespace

FailureOr<SpirvModule> lowerToSpirv(mlir::gpu::GPUModuleOp module) {
  const bool matrices = usesMatrices(module);
  const spirv::Version version = matrices ? spirv::Version::V_1_6 : spirv::Version::V_1_3;
  spirv::TargetEnvAttr target = targetOf(module.getContext(), matrices, version);
  Operation *parent = module->getParentOp();
  const std::string name = ("__spv__" + module.getName()).str();
  module->setAttr(spirv::getTargetEnvAttrName(), target);
  if (failed(expandDivisions(module)) || failed(convert(module, target)))
    return failure();

  auto lowered = dyn_cast_or_null<spirv::ModuleOp>(SymbolTable::lookupSymbolIn(parent, name));
  if (!lowered)
    return parent->emitError("must hold the SPIR-V of ") << name << " after its conversion";
  if (failed(finish(lowered, matrices, version)))
    return failure();
  markAliases(lowered);
  if (matrices) {
    markSigned(lowered);
    useVulkanMemoryModel(lowered);
  }
  FailureOr<uint64_t> needs = needsOf(lowered);
  if (failed(needs))
    return failure();
  return SpirvModule{lowered, *needs};
}

LogicalResult serialize(SpirvModule &module, SmallVectorImpl<uint32_t> &words) {
  spirv::SerializationOptions options;
  options.emitSymbolName = false;
  return spirv::serialize(module.module, words, options);
}

} // namespace nacre::codegen::gpu
