// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  any model through all phases up to the code of its kernels, before LLVM: each succeeds or reports an error.
// Why:   the importer lets through whatever ONNX allows, so the phases after it meet graphs that no exporter writes.
// How:   kernels are emitted but not handed to LLVM, which would take most of the time. The input's bytes say for which
//        machine: an x86 CPU, an arm64 one, or a GPU, which takes twice as long and gets a turn of four.

#include "codegen/Backend.h"
#include "compiler/encode/Passes.h"
#include "compiler/graph/Passes.h"
#include "compiler/import/Import.h"
#include "compiler/kernels/Passes.h"
#include "compiler/place/Passes.h"
#include "compiler/schedule/Passes.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/xxhash.h"

using namespace nacre;

namespace {

constexpr int64_t maxConstantBytes = 1 << 20;

enum class Machine { X86, Arm64, Gpu };

Machine chooseMachine(llvm::MemoryBufferRef bytes) {
  constexpr Machine turns[] = {Machine::X86, Machine::Arm64, Machine::Arm64, Machine::Gpu};
  return turns[llvm::xxh3_64bits(bytes.getBuffer()) % std::size(turns)];
}

const codegen::Target &getTarget(Machine machine) {
  static const codegen::Target x86 = llvm::cantFail(codegen::parseTargets("linux-x86_64", "")).front();
  static const codegen::Target arm64 = llvm::cantFail(codegen::parseTargets("linux-arm64", "")).front();
  return machine == Machine::X86 ? x86 : arm64;
}

/// False after an error.
bool emit(mlir::ModuleOp module, Machine machine) {
  const codegen::Target &target = getTarget(machine);
  if (machine == Machine::Gpu)
    codegen::noteAlignments(module);
  for (auto kernel : module.getOps<plan::KernelOp>()) {
    if (failed(codegen::compileKernel(kernel, target, codegen::Emit::LlvmDialect, "kernel")))
      return false;
    if (machine == Machine::Gpu &&
        failed(codegen::compileGpuKernel(kernel, codegen::GpuOptions(), codegen::GpuEmit::SpirvDialect)))
      return false;
  }
  return true;
}

/// False after an error.
bool compile(llvm::MemoryBufferRef bytes, mlir::MLIRContext &context) {
  importer::ImportOptions importOptions;
  importOptions.maxConstantBytes = maxConstantBytes;
  mlir::OwningOpRef<mlir::ModuleOp> module = importer::importModel(bytes, importOptions, &context);
  if (!module)
    return false;
  graph::Options graphOptions;
  graphOptions.maxConstantBytes = maxConstantBytes;
  mlir::PassManager passes(&context);
  graph::buildPipeline(passes, graphOptions);
  const Machine machine = chooseMachine(bytes);
  kernels::buildPipeline(passes, machine == Machine::Gpu ? plan::Engine::Gpu : plan::Engine::Cpu);
  encode::Options encodeOptions;
  encodeOptions.target = machine == Machine::X86 ? "linux-x86_64" : "linux-arm64";
  encode::buildPipeline(passes, encodeOptions);
  place::Options placeOptions;
  if (machine == Machine::Gpu)
    placeOptions.placement.engines = Placement::Engines::Gpu;
  place::buildPipeline(passes, placeOptions);
  schedule::buildPipeline(passes, schedule::Options());
  return succeeded(passes.run(*module)) && emit(*module, machine);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, nn::NnDialect, plan::PlanDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  bool reported = false;
  mlir::ScopedDiagnosticHandler note(&context, [&](mlir::Diagnostic &diagnostic) {
    reported |= diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
  });
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  if (!compile(llvm::MemoryBufferRef(bytes, "fuzz.onnx"), context) && !reported)
    __builtin_trap();
  return 0;
}
