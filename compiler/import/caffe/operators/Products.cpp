// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fully connected layers.

#include "compiler/import/caffe/Blobs.h"
#include "compiler/import/caffe/Handlers.h"
#include "dialects/nn/ShapeRules.h"

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

/// All axes from `axis` on are one.
void importInnerProduct(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Blobs blobs(node);
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 1), getRank(x));
  int64_t outputs = node.getInt("num_output", 0);
  bool isTransposed = node.getFlag("transpose", false), hasBias = node.getFlag("bias_term", true);
  if (failed(axis))
    return;
  if (outputs < 1) {
    node.error() << "parameter 'num_output' must be at least 1, but is " << outputs;
    return;
  }
  SmallVector<int64_t> shape(getShape(x).take_front(*axis));
  int64_t rows = *nn::countElements(shape), depth = *nn::countElements(getShape(x).drop_front(*axis));
  shape.push_back(outputs);
  if (!node.checkFits(shape))
    return;
  SmallVector<int64_t> matrix = {outputs, depth};
  if (isTransposed)
    std::swap(matrix[0], matrix[1]);
  Value weights = blobs.get(0, matrix);
  Value bias = hasBias && weights ? blobs.get(1, {outputs}) : Value();
  if (node.hasFailed())
    return;
  Value y = nn.matmul(nn.reshape(x, {rows, depth}), isTransposed ? weights : nn.transpose(weights, {1, 0}));
  node.setResult(nn.reshape(bias ? nn.add(y, bias) : y, shape));
}

} // namespace

void registerProducts(ImportRegistry &registry) {
  registry.add("InnerProduct", 1, {{"bottom", Holds::Floats}, {"blobs...?", Holds::Floats}}, importInnerProduct);
}

} // namespace nacre::importer::caffe_format
