// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/ImportSettings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace nacre {

importer::KeptTensors keptTensorsOf(const CompilerOptions &options) { return {options.keepsAll, options.kept}; }

importer::ImportOptions importOptionsOf(const CompilerOptions &options) {
  importer::ImportOptions result;
  result.shapes = options.shapedEntries.front().shapes;
  result.values = options.inputValues;
  result.bounds = options.bounds;
  result.pixelInputs = options.pixelInputs;
  result.inputs = options.inputs;
  result.outputs = options.outputs;
  result.states = options.states;
  result.maxConstantBytes = options.maxConstantBytes;
  result.signatures = options.signatures;
  result.tag = options.tag;
  result.checkpoint = options.checkpoint;
  result.weights = options.weights;
  result.randomWeights = options.randomWeights;
  result.seed = static_cast<uint32_t>(options.seed);
  if (options.training && options.training->losses.empty()) {
    auto [op, loss] = llvm::StringRef(options.training->trainOp).split(",loss=");
    result.trainsItself = {op.str(), loss.str()};
  }
  return result;
}

void setShapes(importer::ImportOptions &importOptions, const importer::ShapedEntry &entry) {
  importOptions.shapes = entry.shapes;
  importOptions.entrySuffix = entry.sizes.empty() ? "" : "@" + entry.sizes;
}

std::string describeShapes(const importer::ShapedEntry &entry) {
  auto describe = [](const auto &input) {
    const std::string sizes =
        llvm::join(llvm::map_range(input.second, [](int64_t size) { return std::to_string(size); }), "x");
    return input.first + "=" + (sizes.empty() ? "scalar" : sizes);
  };
  return llvm::join(llvm::map_range(entry.shapes, describe), ", ");
}

} // namespace nacre
