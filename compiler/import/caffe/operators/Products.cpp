// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fully connected layers, and embeddings, which read an index instead of a one-hot vector.

#include "compiler/import/caffe/Blobs.h"
#include "compiler/import/caffe/Handlers.h"
#include "dialects/nn/shapes/ShapeRules.h"

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

/// Imports a fully connected layer. All axes from `axis` on are merged.
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
  Value weights = blobs.get(0, matrix, {"weight_filler", {}});
  Value bias = hasBias && weights ? blobs.get(1, {outputs}, {"bias_filler", 0}) : Value();
  if (node.hasFailed())
    return;
  Value y = nn.matmul(nn.reshape(x, {rows, depth}), isTransposed ? weights : nn.transpose(weights, {1, 0}));
  node.setResult(nn.reshape(bias ? nn.add(y, bias) : y, shape));
}

/// Gathers the row of the weights at the index in each element.
void importEmbed(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Blobs blobs(node);
  Value x = node.getOperand(0);
  int64_t inputs = node.getInt("input_dim", 0), outputs = node.getInt("num_output", 0);
  bool hasBias = node.getFlag("bias_term", true);
  if (inputs < 1 || outputs < 1) {
    node.error() << "parameters 'input_dim' and 'num_output' must be at least 1, but are " << inputs << " and "
                 << outputs;
    return;
  }
  SmallVector<int64_t> shape(getShape(x));
  shape.push_back(outputs);
  if (!node.checkFits(shape))
    return;
  Value weights = blobs.get(0, {inputs, outputs}, {"weight_filler", {}});
  Value bias = hasBias && weights ? blobs.get(1, {outputs}, {"bias_filler", 0}) : Value();
  if (node.hasFailed())
    return;
  Value rows = nn.gather(weights, nn.cast(x, nn.types().getI64Type()), 0);
  node.setResult(bias ? nn.add(rows, bias) : rows);
}

} // namespace

void registerProducts(ImportRegistry &registry) {
  const Signature operands{{"bottom", Holds::Floats}, {"blobs...?", Holds::Floats}};
  registry.add("Embed", 1, operands, importEmbed);
  registry.add("InnerProduct", 1, operands, importInnerProduct);
}

} // namespace nacre::importer::caffe_format
