// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  any model through all phases up to the LLVM dialect of its kernels: each succeeds or reports an error.
// Why:   the importer lets through whatever ONNX allows, so the phases behind it meet graphs that no exporter writes.
// How:   kernels are emitted but not handed to LLVM, which would take most of the time.

#include "codegen/Backend.h"
#include "compiler/graph/Passes.h"
#include "compiler/import/Import.h"
#include "compiler/kernels/Passes.h"
#include "compiler/place/Passes.h"
#include "compiler/schedule/Passes.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace nacre;

namespace {

constexpr int64_t maxConstantBytes = 1 << 20;

const codegen::Target &getTarget() {
  static const codegen::Target target = llvm::cantFail(codegen::parseTargets("linux-x86_64", "")).front();
  return target;
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
  kernels::buildPipeline(passes);
  place::buildPipeline(passes, place::Options());
  schedule::buildPipeline(passes, schedule::Options());
  if (failed(passes.run(*module)) || failed(codegen::chooseEncodings(*module, getTarget(), /*growth=*/1e9)))
    return false;
  for (auto kernel : module->getOps<plan::KernelOp>())
    if (failed(codegen::compileKernel(kernel, getTarget(), codegen::Emit::LlvmDialect, "kernel")))
      return false;
  return true;
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
