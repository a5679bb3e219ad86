// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/compiler/NodeTrial.h"

#include "compiler/driver/ModelEntries.h"
#include "compiler/graph/Passes.h"
#include "compiler/kernels/Passes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace nacre;

namespace {

constexpr int64_t maxConstantBytes = 1 << 20;
/// Number of models of each operator that are stopped everywhere, if they are not long.
constexpr int mostStopped = 3;
constexpr int64_t mostSteps = 400;

mlir::DialectRegistry registry() {
  mlir::DialectRegistry result;
  result.insert<mlir::func::FuncDialect, nn::NnDialect, plan::PlanDialect>();
  return result;
}

/// Tensors without elements are followed up to here: what later phases make of them has tests of its own.
bool hasEmptyTensor(mlir::ModuleOp module) {
  auto isEmpty = [](mlir::Type type) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && tensor.getNumElements() == 0;
  };
  return module
      .walk([&](mlir::Operation *op) {
        bool found = llvm::any_of(op->getOperandTypes(), isEmpty) || llvm::any_of(op->getResultTypes(), isEmpty);
        return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

NodeTrial::NodeTrial() : context(registry(), mlir::MLIRContext::Threading::DISABLED) {}

mlir::OwningOpRef<mlir::ModuleOp> NodeTrial::import(Import import, int64_t maxOperators, std::string &errors) {
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      errors += diagnostic.str() + "\n";
  });
  importer::ImportOptions options;
  options.maxConstantBytes = maxConstantBytes;
  options.maxOperators = maxOperators;
  return import(options);
}

void NodeTrial::expectPlainWords(const std::string &errors, Describe describe) {
  EXPECT_FALSE(errors.empty()) << describe();
  for (const char *phrase :
       {"'nn.", "nn.", "plan.", "tensor<", "see current operation", "' op ", "must match the operator's definition"})
    EXPECT_EQ(errors.find(phrase), std::string::npos) << describe() << "\n" << errors;
}

/// Lets the model come to no operator, to one, and so on, until that is enough.
void NodeTrial::stopEverywhere(Import import, Describe describe) {
  for (int64_t step = 0; step < mostSteps; ++step) {
    std::string errors;
    if (this->import(import, step, errors)) {
      EXPECT_EQ(errors, "") << describe() << " is imported with " << step << " operators after an error";
      if (errors.empty())
        return;
    }
    // It is said first; of a loop or a branch that failed, what else would have helped.
    llvm::StringRef first = llvm::StringRef(errors).take_until([](char letter) { return letter == '\n'; });
    EXPECT_TRUE(first.contains("the model must have at most")) << describe() << " with " << step << " operators\n"
                                                               << errors;
    EXPECT_FALSE(llvm::StringRef(errors).contains("must not be requested")) << describe() << "\n" << errors;
    expectPlainWords(errors, describe);
  }
}

bool NodeTrial::compile(Import import, Describe describe) {
  std::string errors;
  mlir::OwningOpRef<mlir::ModuleOp> module = this->import(import, importer::ImportOptions().maxOperators, errors);
  if (!module) {
    expectPlainWords(errors, describe);
    return false;
  }
  EXPECT_EQ(errors, "") << describe();
  if (stopped < mostStopped) {
    ++stopped;
    stopEverywhere(import, describe);
  }
  if (hasEmptyTensor(*module))
    return true;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      errors += diagnostic.str() + "\n";
  });
  graph::Options graphOptions;
  graphOptions.maxConstantBytes = maxConstantBytes;
  if (failed(writeGradients(*module)))
    return false;
  mlir::PassManager passes(&context);
  graph::buildPipeline(passes, graphOptions);
  kernels::buildPipeline(passes, plan::Engine::Cpu);
  bool hasPassed = succeeded(passes.run(*module));
  // A model may ask for more memory than there is.
  EXPECT_TRUE(hasPassed || llvm::StringRef(errors).contains("must take at most")) << describe() << "\n" << errors;
  return hasPassed;
}

bool NodeTrial::compile(const std::string &bytes, Describe describe) {
  return compile(
      [&](const importer::ImportOptions &options) {
        return importer::importModel(llvm::MemoryBufferRef(bytes, "node"), options, &context);
      },
      describe);
}

void NodeTrial::tryDraws(const std::string &key, int fewest, llvm::function_ref<bool()> tryOne, bool mayBeRefused) {
  // Whatever is added to the draws shifts all others: what is seldom right is drawn until it is.
  const int most = 20 * fewest;
  int compiled = 0;
  stopped = 0;
  for (int iteration = 0; iteration < fewest || (compiled == 0 && !mayBeRefused && iteration < most); ++iteration)
    compiled += tryOne();
  EXPECT_TRUE(compiled > 0 || mayBeRefused) << key << " is refused in every draw, so nothing was tried";
}
