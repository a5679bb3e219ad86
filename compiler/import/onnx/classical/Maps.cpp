// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of maps from labels to scores. Classifiers of sklearn that were converted to ONNX have them as outputs. Here,
// these outputs are tensors.

#include "compiler/import/onnx/classical/Handlers.h"
#include "compiler/import/onnx/classical/Labels.h"

using namespace mlir;

namespace nacre::importer::onnx_format::classical {
namespace {

/// Imports the scores, with a row for each map and a column for each label.
void importZipMap(OperandBinder &node) {
  FailureOr<Labels> labels = readLabels(node, "classlabels_int64s");
  Value x = node.getOperand(0);
  if (failed(labels) || !node.checkRank(0, 1, 2))
    return;
  if (labels->count != getShape(x).back()) {
    node.error() << node.nameOf(0) << " must have a score for each of the " << labels->count
                 << " labels along its last axis, but is " << describe(x);
    return;
  }
  emitRemark(node.nn.getLoc()) << "returns a tensor of scores instead of a list of maps: one column for each of the "
                               << labels->count << " labels, in order";
  node.setResult(x);
}

} // namespace

void registerMaps(ImportRegistry &registry) {
  registry.add("ZipMap", 1, {{"X", Holds::Floats}}, importZipMap);
  registry.setLimit("ZipMap", "maps (returns a tensor of scores instead)");
}

} // namespace nacre::importer::onnx_format::classical
