// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that slice, pad, split and join tensors.
//
// How:  1. slices, 2. pads, 3. splits, 4. joins.

#include "compiler/import/operands/Axes.h"
#include "compiler/import/operands/JoinsAndSlices.h"
#include "compiler/import/tflite/Handlers.h"
#include "compiler/import/tflite/quantized/QuantizedElementwise.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Slices
//===----------------------------------------------------------------------===//

void importStridedSlice(TfliteNode &node) { takeStrided(node, node->getFlag("offset", false)); }

//===----------------------------------------------------------------------===//
// 2. Pads
//===----------------------------------------------------------------------===//

struct Ends {
  SmallVector<int64_t> low, high;
};

FailureOr<Ends> readEnds(TfliteNode &node) {
  Value x = node.getOperand(0);
  if (!node->checkShape(1, {getRank(x), 2}, "both ends of each axis"))
    return failure();
  FailureOr<SmallVector<int64_t>> numbers = node->getIntegers(1, /*mostAxes=*/2);
  if (failed(numbers))
    return failure();
  Ends ends;
  for (int64_t axis = 0; axis < getRank(x); ++axis) {
    int64_t low = (*numbers)[2 * axis], high = (*numbers)[2 * axis + 1];
    if (low < 0 || high < 0 || low > INT32_MAX || high > INT32_MAX)
      return node.error() << node->nameOf(1) << " must hold non-negative numbers, but is [" << Ints(*numbers) << "]";
    ends.low.push_back(low);
    ends.high.push_back(high);
  }
  return ends;
}

/// Pads with 0, with the zero point of quantized integers, or with operand 2, which has one element.
void importPad(TfliteNode &node) {
  FailureOr<Ends> ends = readEnds(node);
  if (failed(ends))
    return;
  const Quantization *quantization = node.getQuantization(0);
  double value = quantization ? static_cast<double>(quantization->zeros[0]) : 0;
  if (node.getOperand(2)) {
    FailureOr<double> given = node->getNumber(2);
    if (failed(given))
      return;
    value = *given;
  }
  padOperand(node, nn::PadMode::Constant, ends->low, ends->high, value);
}

void importMirrorPad(TfliteNode &node) {
  const int64_t mode = node->getInt("mode", 0);
  FailureOr<Ends> ends = readEnds(node);
  if (failed(ends))
    return;
  if (mode == 0 || mode == 1)
    padOperand(node, mode == 0 ? nn::PadMode::Reflect : nn::PadMode::Symmetric, ends->low, ends->high, /*value=*/0);
  else
    node.error() << "attribute 'mode' must be 0 or 1 (reflect, symmetric), but is " << mode;
}

//===----------------------------------------------------------------------===//
// 3. Splits
//===----------------------------------------------------------------------===//

/// Splits evenly. Operand 0 is the axis.
void importSplit(TfliteNode &node) {
  node->ignore({"num_splits"}); // equals the number of outputs
  Value x = node.getOperand(1);
  FailureOr<int64_t> axis = readAxis(node, 0, getRank(x));
  if (succeeded(axis))
    splitEvenly(node, x, *axis);
}

void importSplitV(TfliteNode &node) {
  node->ignore({"num_splits"}); // equals the number of outputs
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = readAxis(node, 2, getRank(x));
  if (succeeded(axis))
    splitBySizes(node, x, *axis, 1);
}

void importUnpack(TfliteNode &node) {
  node->ignore({"num"}); // equals the number of outputs
  FailureOr<int64_t> axis = node->getAxis(node->getInt("axis", 0), getRank(node.getOperand(0)));
  if (succeeded(axis))
    unstack(node, *axis);
}

//===----------------------------------------------------------------------===//
// 4. Joins
//===----------------------------------------------------------------------===//

void importConcatenation(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  FailureOr<int64_t> axis = node->getAxis(node->getInt("axis", 0), getRank(node.getOperand(0)));
  Activation activation = readActivation(node);
  if (failed(axis) || node->hasFailed() || !checkJoint(node, 0, node->getNumOperands(), *axis))
    return;
  SmallVector<Value> operands(node->getOperands());
  if (node.isQuantized() && activation != Activation::None) {
    node.error() << "attribute 'fused_activation_function' must be 0 for quantized operands, but is not";
    return;
  }
  if (node.isQuantized() && !rescaleToResult(node, operands))
    return;
  node.setResult(activate(nn, activation, nn.concat(operands, *axis)));
}

void importPack(TfliteNode &node) {
  node->ignore({"values_count"}); // equals the number of operands
  stack(node, node->getInt("axis", 0));
}

} // namespace

void registerSlices(ImportRegistry &registry) {
  add(registry, "SLICE", Integers::Moved, {{"x"}, {"begin", Holds::Indices}, {"size", Holds::Indices}}, takePart);
  add(registry, "STRIDED_SLICE", Integers::Moved,
      {{"x"}, {"begin", Holds::Indices}, {"end", Holds::Indices}, {"strides", Holds::Indices}}, importStridedSlice);
  add(registry, "PAD", Integers::Moved, {{"x"}, {"paddings", Holds::Indices}}, importPad);
  add(registry, "PADV2", Integers::Moved,
      {{"x", Holds::Anything, 'T'}, {"paddings", Holds::Indices}, {"value", Holds::Anything, 'T'}}, importPad);
  add(registry, "MIRROR_PAD", Integers::Moved, {{"x"}, {"paddings", Holds::Indices}}, importMirrorPad);
  add(registry, "SPLIT", Integers::Moved, {{"axis", Holds::Indices}, {"x"}}, importSplit);
  add(registry, "SPLIT_V", Integers::Moved, {{"x"}, {"sizes", Holds::Indices}, {"axis", Holds::Indices}}, importSplitV);
  add(registry, "UNPACK", Integers::Moved, {{"x"}}, importUnpack);
  add(registry, "CONCATENATION", Integers::Computed, {{"inputs...", Holds::Anything, 'T'}}, importConcatenation);
  add(registry, "PACK", Integers::Moved, {{"inputs...", Holds::Anything, 'T'}}, importPack);
}

} // namespace nacre::importer::tflite_format
