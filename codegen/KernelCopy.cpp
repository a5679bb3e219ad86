// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/KernelCopy.h"

#include "dialects/plan/PlanDialect.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace nacre::codegen {

KernelCopy::KernelCopy(MLIRContext &context)
    : context(context), handler(&context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          messages += (messages.empty() ? "" : "; ") + diagnostic.str();
      }) {}

LogicalResult KernelCopy::read(plan::KernelOp kernel, StringRef symbol) {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel->print(os, OpPrintingFlags().useLocalScope());
  // The text is that of a kernel which was verified when a pass made it.
  module = parseSourceString<ModuleOp>(text, ParserConfig(&context, /*verifyAfterParse=*/false));
  if (!module)
    return failure();
  this->kernel().setSymName(symbol);
  return success();
}

plan::KernelOp KernelCopy::kernel() { return *module->getOps<plan::KernelOp>().begin(); }

} // namespace nacre::codegen
