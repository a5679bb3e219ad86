// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Steps.h.

#include "compiler/import/tflite/recurrent/Steps.h"

#include "compiler/import/tflite/quantized/Rescaling.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

Value toTimeFirst(NnBuilder &nn, Value x, Steps steps) {
  if (!x)
    return {};
  if (steps == Steps::One)
    return nn.reshape(x, {1, getShape(x)[0], getShape(x)[1]});
  return steps == Steps::Second ? nn.transpose(x, {1, 0, 2}) : x;
}

Value fromTimeFirst(NnBuilder &nn, Value x, Steps steps) {
  if (!x)
    return {};
  if (steps == Steps::One)
    return nn.reshape(x, getShape(x).drop_front());
  return steps == Steps::Second ? nn.transpose(x, {1, 0, 2}) : x;
}

Steps readSteps(TfliteNode &node, bool missing) {
  return node->getFlag("time_major", missing) ? Steps::First : Steps::Second;
}

bool checkInput(TfliteNode &node, Steps steps) {
  node->ignore({"asymmetric_quantize_inputs"}); // the option allows rounding of floats for speed
  return steps == Steps::One ? node->checkRank(0, 2, 2) : node->checkRank(0, 3, 3);
}

bool checkReals(TfliteNode &node, size_t first) {
  for (size_t index = first; index < node->getNumOperands(); ++index) {
    Value operand = node.getOperand(index);
    if (!operand || isFloat(operand) || node.getQuantization(index))
      continue;
    node.error() << node->nameOf(index) << " must hold floats or quantized integers, but is " << describe(operand);
    return false;
  }
  return true;
}

Value readReals(TfliteNode &node, size_t operand) {
  return node.getOperand(operand) ? node.nn.cast(toReals(node, operand), getElementType(node.getOperand(0))) : Value();
}

Value turnMatrix(TfliteNode &node, size_t operand) {
  Value matrix = readReals(node, operand);
  return matrix ? node.nn.transpose(matrix, {1, 0}) : Value();
}

Value readState(TfliteNode &node, size_t operand, Ints shape) {
  Value state = node.getOperand(operand);
  if (state && isFloat(state) && getType(state).getNumElements() == shape[0] * shape[1])
    return node.nn.reshape(state, shape);
  node.error() << node->nameOf(operand) << " must hold a state of shape " << describeShape(shape) << ", but is "
               << (state ? describe(state) : "left out");
  return {};
}

void setSequences(TfliteNode &node, ArrayRef<RecurrentResults> directions, Steps steps) {
  SmallVector<Value> sequences;
  for (const RecurrentResults &results : directions)
    sequences.push_back(fromTimeFirst(node.nn, results.all, steps));
  const bool isMerged = directions.size() == 2 && node->getFlag("merge_outputs", false);
  if (isMerged)
    sequences = {node.nn.concat(sequences, 2)};
  for (auto [index, sequence] : llvm::enumerate(sequences))
    node.setResult(index, sequence);
}

bool checkNoSecondInput(TfliteNode &node, size_t first) {
  for (size_t index = first; index < node->getNumOperands(); ++index)
    if (node.getOperand(index)) {
      node.error() << node->nameOf(index) << " is not supported; stack layers without it";
      return false;
    }
  return true;
}

} // namespace nacre::importer::tflite_format
