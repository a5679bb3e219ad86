// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  compiles one kernel to an object.
// Why:   threads cannot share MLIR and LLVM contexts. A kernel is therefore passed as text to a thread's own contexts.
// How:   1. copy the kernel into a small module;
//        2. narrow it to f16 where the CPU computes in f16, emit it and lower it to the LLVM dialect;
//        3. optimise the LLVM module (OptimizeKernel.h);
//        4. write machine code.

#include "codegen/Backend.h"
#include "codegen/KernelCopy.h"
#include "codegen/KernelNotes.h"
#include "codegen/cpu/OptimizeKernel.h"
#include "codegen/cpu/Passes.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;

namespace {

//===----------------------------------------------------------------------===//
// 1. The kernel's own module
//===----------------------------------------------------------------------===//

/// Registers the passes by name once per process. Returns the dialects that a kernel's context may load.
const DialectRegistry &registerOnce() {
  static const DialectRegistry registry = [] {
    registerAllPasses();
    cpu::registerCpuPasses();
    DialectRegistry all;
    registerAllDialects(all);
    registerAllExtensions(all);
    registerBuiltinDialectTranslation(all);
    registerLLVMDialectTranslation(all);
    all.insert<plan::PlanDialect>();
    return all;
  }();
  return registry;
}

//===----------------------------------------------------------------------===//
// 2. To the LLVM dialect
//===----------------------------------------------------------------------===//

/// Reads the emitter's results from attributes of the kernel's function.
void readWork(Operation *function, const Target &target, KernelCode &code) {
  auto integer = [&](StringRef name) { return function->getAttrOfType<IntegerAttr>(name).getInt(); };
  code.unitExtent = integer(notes::kUnitExtent);
  code.unitsPerBlock = integer(notes::kUnitsPerBlock);
  code.scratchBytes = integer(notes::kScratchBytes);
  code.unitNanoseconds = integer(notes::kUnitNanoseconds);
  code.flops = function->getAttrOfType<FloatAttr>(notes::kFlops).getValueAsDouble();
  auto executed = function->getAttrOfType<FloatAttr>(notes::kExecutedFlops);
  code.executedFlops = executed ? executed.getValueAsDouble() : code.flops;
  if (auto declinedBy = function->getAttrOfType<StringAttr>(notes::kFallback)) {
    code.fallback = true;
    code.declinedBy = declinedBy.str();
  }
  code.needs = target.needs;
}

constexpr char kLoweringPipeline[] = "convert-scf-to-cf,nacre-lower-to-llvm,nacre-wrap-kernel";

/// Pipeline for kernels of the fallback, whose loops are not vectors over flat arrays. Conversions to bf16 become
/// integer operations. On CPUs without an instruction for them, LLVM would call a library that models are not linked
/// with.
constexpr char kFallbackPipeline[] = "canonicalize,cse,convert-vector-to-scf,expand-strided-metadata,lower-affine,"
                                     "arith-expand{include-bf16=true},";

/// True in builds for development, which check the IR of each step.
#ifdef NDEBUG
constexpr bool kVerifies = false;
#else
constexpr bool kVerifies = true;
#endif

/// Passes that are set up once for all kernels of a context.
class Lowering {
public:
  explicit Lowering(MLIRContext &context) : passes(&context), fallbackPasses(&context) {
    parse(kLoweringPipeline, passes);
    parse((Twine(kFallbackPipeline) + kLoweringPipeline).str(), fallbackPasses);
  }

  LogicalResult run(ModuleOp module, bool isFallback) { return (isFallback ? fallbackPasses : passes).run(module); }

private:
  static void parse(StringRef pipeline, PassManager &passes) {
    [[maybe_unused]] const LogicalResult parsed = parsePassPipeline(pipeline, passes);
    assert(succeeded(parsed) && "the pipelines are constants");
    passes.enableVerifier(kVerifies);
  }

  PassManager passes, fallbackPasses;
};

//===----------------------------------------------------------------------===//
// 3. The machine of LLVM
//===----------------------------------------------------------------------===//

/// Sets an option of LLVM that has no other interface.
void setOption(StringRef name, StringRef value) {
  if (llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup(name))
    option->addOccurrence(0, option->ArgStr, value);
}

void setOptionsOnce() {
  [[maybe_unused]] static const bool areSet = [] {
    // Search more than 100 instructions for the addition to merge into a load or store. The loop of a tile is long.
    setOption("aarch64-update-scan-limit", "400");
    // Strength is reduced by the last of the passes on LLVM IR, and only in loops that need it.
    setOption("disable-lsr", "true");
    return true;
  }();
}

/// True if LLVM must keep the order of the kernel that this thread compiles. Its register allocator may still add
/// instructions.
thread_local bool keepsOrder = false;

void letOrdersBeKept() {
  static const llvm::RegisterTargetPassConfigCallback callback(
      [](llvm::TargetMachine &, llvm::PassManagerBase &, llvm::TargetPassConfig *passes) {
        if (keepsOrder)
          passes->disablePass(&llvm::MachineSchedulerID);
      });
}

std::unique_ptr<llvm::TargetMachine> createMachine(const Target &target, std::string &error) {
  setOptionsOnce();
  letOrdersBeKept();
  llvm::Triple triple(target.triple);
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return nullptr;
  llvm::TargetOptions options;
  options.FunctionSections = true;
  options.DataSections = true;
  // The loop of a tile has some hundred instructions of four bytes. Padding to align the loop is executed once for each
  // tile, and does not make the loop faster.
  constexpr unsigned instruction = 4;
  if (target.arm64)
    options.LoopAlignment = instruction;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      triple, target.cpu, target.features, options, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

//===----------------------------------------------------------------------===//
// 4. Machine code
//===----------------------------------------------------------------------===//

LogicalResult write(llvm::Module &module, llvm::TargetMachine &machine, Emit emit, KernelCode &code) {
  if (emit == Emit::LlvmIr) {
    llvm::raw_string_ostream os(code.text);
    module.print(os, nullptr);
    return success();
  }
  SmallVector<char, 0> text;
  SmallVector<char, 0> &bytes = emit == Emit::Object ? code.object : text;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr,
                                  emit == Emit::Object ? llvm::CodeGenFileType::ObjectFile
                                                       : llvm::CodeGenFileType::AssemblyFile))
    return failure();
  passes.run(module);
  code.text.assign(text.begin(), text.end());
  return success();
}

/// Context with the dialects of emitters. Passes load further dialects if they need them.
class KernelContext : public MLIRContext {
public:
  KernelContext() : MLIRContext(registerOnce(), Threading::DISABLED) {
    loadDialect<arith::ArithDialect, bufferization::BufferizationDialect, func::FuncDialect, linalg::LinalgDialect,
                LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                vector::VectorDialect>();
  }
};

/// All that one thread sets up once, for all kernels that it compiles.
class KernelCompiler {
public:
  LogicalResult compile(ModuleOp module, const Target &target, Emit emit, int64_t mostScratchBytes, KernelCode &code);

  KernelContext context;

private:
  /// Returns the machine that generates code for a target, or null and an error.
  llvm::TargetMachine *machineFor(const Target &target, std::string &error) {
    std::unique_ptr<llvm::TargetMachine> &machine = machines[target.triple + ' ' + target.cpu + ' ' + target.features];
    if (!machine)
      machine = createMachine(target, error);
    return machine.get();
  }

  Lowering lowering{context};
  llvm::StringMap<std::unique_ptr<llvm::TargetMachine>> machines;
};

LogicalResult KernelCompiler::compile(ModuleOp module, const Target &target, Emit emit, int64_t mostScratchBytes,
                                      KernelCode &code) {
  cpu::computeInHalves(module, target);
  if (failed(cpu::emitKernels(module, target)))
    return failure();
  // In addition to the kernel's function, the module may have declarations of the C library, and constant tables.
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(notes::kKernel)) {
      readWork(function, target, code);
      keepsOrder = function->hasAttr(notes::kKeepsOrder);
    }
  if (int64_t(code.scratchBytes) > mostScratchBytes)
    return success();
  if (failed(lowering.run(module, code.fallback)))
    return failure();
  if (emit == Emit::LlvmDialect) {
    llvm::raw_string_ostream os(code.text);
    module.print(os);
    return success();
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, "kernel", /*disableVerification=*/!kVerifies);
  if (!llvmModule)
    return failure();
  std::string error;
  llvm::TargetMachine *machine = machineFor(target, error);
  if (!machine)
    return module.emitError(error);
  cpu::optimize(*llvmModule, *machine, target, {/*vectorize=*/code.fallback, keepsOrder});
  if (failed(write(*llvmModule, *machine, emit, code)))
    return module.emitError("target ") << target.name << " cannot write this kind of file";
  return success();
}

} // namespace

/// True if a kernel has f16 values. All targets except the oldest convert f16 by instructions. The oldest would call a
/// library that models are not linked with.
static bool usesHalves(plan::KernelOp kernel) {
  auto isHalf = [](Type type) { return getElementTypeOrSelf(type).isF16(); };
  return kernel
      .walk([&](Operation *op) {
        return llvm::any_of(op->getOperandTypes(), isHalf) || llvm::any_of(op->getResultTypes(), isHalf)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<KernelCode> codegen::compileKernel(plan::KernelOp kernel, const Target &target, Emit emit, StringRef symbol,
                                             int64_t mostScratchBytes) {
  if (!target.vectors.convertsHalves && usesHalves(kernel))
    return kernel.emitError("has f16 elements, so the cpu must have F16C; name one with AVX2");
  thread_local KernelCompiler compiler;
  KernelCopy copy(compiler.context);
  KernelCode code;
  if (failed(copy.read(kernel, symbol)) || failed(compiler.compile(*copy.module, target, emit, mostScratchBytes, code)))
    return kernel.emitError("cannot be compiled for ") << target.name << ": " << copy.messages;
  return code;
}

void codegen::registerPasses() { cpu::registerCpuPasses(); }
