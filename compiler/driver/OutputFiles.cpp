// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/OutputFiles.h"
#include "codegen/package/Package.h"
#include "codegen/package/WeightsFile.h"
#include "compiler/driver/Pipeline.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

using namespace mlir;

namespace nacre {

llvm::SmallVector<std::pair<std::string, std::string>> describeOutputs(const CompilerOptions &options) {
  if (options.compileTo || options.output == Output::Assembly || options.output == Output::LlvmIr)
    return {};
  llvm::SmallVector<std::pair<std::string, std::string>> outputs = {
      {options.output == Output::Object ? "object" : "library", options.outputPath},
      {"header", package::headerPathOf(options.outputPath)}};
  if (options.weightsApart)
    outputs.emplace_back("weights file", package::weightsPathOf(options.outputPath));
  return outputs;
}

LogicalResult checkOutputs(const importer::Model &model, NamedFiles *files, MLIRContext &context) {
  if (!files)
    return success();
  for (const std::string &path : model.getFiles())
    files->addInput("the model's data", path);
  const std::string problem = files->findProblem();
  return problem.empty() ? success() : emitError(UnknownLoc::get(&context)) << problem;
}

} // namespace nacre
