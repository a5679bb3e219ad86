// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activations that ONNX Runtime adds. Most of them are made by optimizers, which fuse a bias and a standard operator.

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/onnx/contrib/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format::contrib {
namespace {

using nn::UnaryKind;

/// Returns operand 0 plus the optional bias, operand 1. Returns null after an error.
Value addBias(OperandBinder &node) {
  Value x = node.getOperand(0), bias = node.getOperand(1);
  if (!bias)
    return x;
  if (!node.checkRank(0, 1) || !node.checkShape(1, getShape(x).back(), "one element for each of the last axis"))
    return {};
  return node.nn.add(x, bias);
}

void importGelu(OperandBinder &node) { node.setResult(node.nn.unary(UnaryKind::Gelu, addBias(node))); }

void importFastGelu(OperandBinder &node) { node.setResult(geluByTanh(node.nn, addBias(node))); }

void importQuickGelu(OperandBinder &node) {
  node.setResult(swish(node.nn, node.getOperand(0), node.getFloat("alpha", 1.702)));
}

} // namespace

void registerActivations(ImportRegistry &registry) {
  const Signature floats{{"X", Holds::Floats}};
  registry.add("BiasGelu", 1, {{"A", Holds::Floats, 'T'}, {"B", Holds::Floats, 'T'}}, importGelu);
  registry.add("FastGelu", 1, {{"X", Holds::Floats, 'T'}, {"bias?", Holds::Floats, 'T'}}, importFastGelu);
  registry.add("Gelu", 1, floats, importGelu);
  registry.add("QuickGelu", 1, floats, importQuickGelu);
}

} // namespace nacre::importer::onnx_format::contrib
