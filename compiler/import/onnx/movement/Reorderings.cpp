// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that reorder elements or crop axes: ReverseSequence, CenterCropPad.

#include "compiler/import/compositions/Movement.h"
#include "compiler/import/onnx/movement/Handlers.h"
#include "compiler/import/operands/Shapes.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

void importReverseSequence(OperandBinder &node) {
  int64_t batchAxis = node.getInt("batch_axis", 1), timeAxis = node.getInt("time_axis", 0);
  if (!node.checkRank(0, 2))
    return;
  if (batchAxis + timeAxis != 1 || batchAxis * timeAxis != 0) {
    node.error() << "attributes 'batch_axis' and 'time_axis' must be 0 and 1, or 1 and 0, but are " << batchAxis
                 << " and " << timeAxis;
    return;
  }
  reverseSequences(node, timeAxis, batchAxis);
}

void importCenterCropPad(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> sizes = node.getIntegers(1);
  FailureOr<SmallVector<int64_t>> axes =
      node.has("axes") ? node.getAxes(node.getInts("axes"), getRank(x)) : axisRange(0, getRank(x));
  if (failed(sizes) || failed(axes))
    return;
  if (sizes->size() != axes->size() ||
      llvm::any_of(*sizes, [](int64_t size) { return size < 0 || size > INT32_MAX; })) {
    node.error() << node.nameOf(1) << " must hold a size from 0 to " << INT32_MAX << " for each of " << axes->size()
                 << " axes, but is [" << Ints(*sizes) << "]";
    return;
  }
  SmallVector<int64_t> result(getShape(x));
  for (auto [axis, size] : llvm::zip_equal(*axes, *sizes))
    result[axis] = size;
  if (node.checkFits(result))
    node.setResult(centerCropOrPad(node.nn, x, result));
}

} // namespace

void registerReorderings(ImportRegistry &registry) {
  registry.add("CenterCropPad", 18, {{"input_data"}, {"shape", Holds::Integers}}, importCenterCropPad);
  registry.add("ReverseSequence", 10, {{"input"}, {"sequence_lens", Holds::Indices}}, importReverseSequence);
}

} // namespace nacre::importer::onnx_format
