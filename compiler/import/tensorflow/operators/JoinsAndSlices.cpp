// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that join, split, slice, pad and reorder tensors.
//
// How:  1. joining and splitting,
//       2. slices,
//       3. padding and reordering.

#include "compiler/import/operands/JoinsAndSlices.h"
#include "compiler/import/compositions/Movement.h"
#include "compiler/import/operands/Axes.h"
#include "compiler/import/operands/Shapes.h"
#include "compiler/import/tensorflow/operators/Handlers.h"
#include "compiler/import/tensorflow/operators/Layout.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Joining and splitting
//===----------------------------------------------------------------------===//

/// Concatenates operands. The axis is the first operand or the last one.
void importConcat(OperandBinder &node, bool isAxisFirst) {
  node.ignore({"N"});
  size_t count = node.getNumOperands() - 1;
  if (count == 0) {
    node.error() << "must have an operand besides its axis, but has none";
    return;
  }
  size_t begin = isAxisFirst;
  FailureOr<int64_t> axis = readAxis(node, isAxisFirst ? 0 : count, getRank(node.getOperand(begin)));
  if (succeeded(axis))
    concatenate(node, begin, count, *axis);
}

/// Imports ParallelConcat: concatenates along the first axis, so operands must have at least one axis.
void importParallelConcat(OperandBinder &node) {
  node.ignore({"N", "shape"});
  if (node.checkRank(0, 1))
    concatenate(node, 0, node.getNumOperands(), 0);
}

void importPack(OperandBinder &node) {
  node.ignore({"N"});
  stack(node, node.getInt("axis", 0));
}

void importUnpack(OperandBinder &node) {
  node.ignore({"num"}); // equals the number of outputs
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(node.getOperand(0)));
  if (succeeded(axis))
    unstack(node, *axis);
}

/// Splits evenly. Operand 0 is the axis.
void importSplit(OperandBinder &node) {
  node.ignore({"num_split"}); // equals the number of outputs
  Value x = node.getOperand(1);
  FailureOr<int64_t> axis = readAxis(node, 0, getRank(x));
  if (succeeded(axis))
    splitEvenly(node, x, *axis);
}

void importSplitV(OperandBinder &node) {
  node.ignore({"num_split"}); // equals the number of outputs
  Value x = node.getOperand(0);
  FailureOr<int64_t> axis = readAxis(node, 2, getRank(x));
  if (succeeded(axis))
    splitBySizes(node, x, *axis, 1);
}

//===----------------------------------------------------------------------===//
// 2. Slices
//===----------------------------------------------------------------------===//

void importStridedSlice(OperandBinder &node) { takeStrided(node); }

//===----------------------------------------------------------------------===//
// 3. Padding and reordering
//===----------------------------------------------------------------------===//

void importPad(OperandBinder &node, nn::PadMode mode) {
  auto pads = readPads(node, 1, getRank(node.getOperand(0)));
  if (succeeded(pads))
    padOperand(node, mode, pads->low, pads->high, /*value=*/0);
}

/// Imports PadV2. The value of the padding is an operand, which may be computed at run time.
void importPadV2(OperandBinder &node) {
  Value x = node.getOperand(0), value = node.getOperand(2);
  auto pads = readPads(node, 1, getRank(x));
  if (failed(pads) || !node.checkShape(2, {}, "one element"))
    return;
  if (getConstant(value)) {
    if (FailureOr<double> number = node.getNumber(2); succeeded(number))
      padOperand(node, nn::PadMode::Constant, pads->low, pads->high, *number);
  } else if (checkRule(node, nn::padShape(getShape(x), pads->low, pads->high, nn::PadReach::Any))) {
    node.setResult(padWith(node.nn, x, pads->low, pads->high, value));
  }
}

void importMirrorPad(OperandBinder &node) {
  bool repeatsEdge = node.getChoice("mode", {"REFLECT", "SYMMETRIC"}) == "SYMMETRIC";
  importPad(node, repeatsEdge ? nn::PadMode::Symmetric : nn::PadMode::Reflect);
}

void importRoll(OperandBinder &node) {
  Value x = node.getOperand(0);
  FailureOr<SmallVector<int64_t>> shifts = node.getIntegers(1), axes = node.getIntegers(2);
  if (failed(shifts) || failed(axes))
    return;
  if (shifts->size() != axes->size()) {
    node.error() << node.nameOf(1) << " must have a number for each of " << axes->size() << " axes, but has "
                 << shifts->size();
    return;
  }
  for (auto [shift, given] : llvm::zip_equal(*shifts, *axes)) {
    FailureOr<int64_t> axis = node.getAxis(given, getRank(x));
    if (failed(axis))
      return;
    x = roll(node.nn, x, *axis, shift);
  }
  node.setResult(x);
}

} // namespace

void registerParts(ImportRegistry &registry) {
  registry.add("Concat", 1, {{"concat_dim", Holds::Indices}, {"values...", Holds::Anything, 'T'}},
               [](OperandBinder &node) { importConcat(node, /*isAxisFirst=*/true); });
  registry.add("ConcatV2", 1, {{"values_and_axis..."}},
               [](OperandBinder &node) { importConcat(node, /*isAxisFirst=*/false); });
  registry.add("ParallelConcat", 1, {{"values...", Holds::Anything, 'T'}}, importParallelConcat);
  registry.add("Pack", 1, {{"values...", Holds::Anything, 'T'}}, importPack);
  registry.add("Unpack", 1, {{"value"}}, importUnpack);
  registry.add("Split", 1, {{"split_dim", Holds::Indices}, {"value"}}, importSplit);
  registry.add("SplitV", 1, {{"value"}, {"size_splits", Holds::Indices}, {"split_dim", Holds::Indices}}, importSplitV);
  registry.add("Slice", 1, {{"input"}, {"begin", Holds::Indices}, {"size", Holds::Indices}}, takePart);
  registry.add("StridedSlice", 1,
               {{"input"}, {"begin", Holds::Integers}, {"end", Holds::Integers}, {"strides", Holds::Integers}},
               importStridedSlice);
  registry.add("Pad", 1, {{"input"}, {"paddings", Holds::Indices}},
               [](OperandBinder &node) { importPad(node, nn::PadMode::Constant); });
  registry.add(
      "PadV2", 1,
      {{"input", Holds::Anything, 'T'}, {"paddings", Holds::Indices}, {"constant_values", Holds::Anything, 'T'}},
      importPadV2);
  registry.add("MirrorPad", 1, {{"input"}, {"paddings", Holds::Indices}}, importMirrorPad);
  registry.add("ReverseV2", 1, {{"tensor"}, {"axis", Holds::Indices}}, reverseAxes);
  registry.add("Roll", 1, {{"input"}, {"shift", Holds::Indices}, {"axis", Holds::Indices}}, importRoll);
}

} // namespace nacre::importer::tensorflow_format
