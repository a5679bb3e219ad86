// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements TfliteNode.h.

#include "compiler/import/tflite/TfliteNode.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nacre::importer::tflite_format {

static SmallVector<TensorFacts> readAll(Attribute list) {
  auto facts = dyn_cast_or_null<ArrayAttr>(list);
  return facts ? llvm::map_to_vector(facts, readFacts) : SmallVector<TensorFacts>();
}

TfliteNode::TfliteNode(OperandBinder &binder)
    : nn(binder.nn), binder(binder), operands(readAll(binder.getTold(operandFacts))),
      results(readAll(binder.getTold(resultFacts))), intermediates(readAll(binder.getTold(intermediateFacts))) {}

bool TfliteNode::isQuantized() const {
  auto hasQuantization = [](const TensorFacts &facts) { return facts.quantization.has_value(); };
  return llvm::any_of(operands, hasQuantization) || llvm::any_of(results, hasQuantization);
}

bool TfliteNode::checkSameQuantization() {
  const Quantization *first = nullptr;
  for (const auto *list : {&operands, &results})
    for (const TensorFacts &facts : *list) {
      if (!facts.quantization)
        continue;
      if (facts.quantization->isPerAxis() || (first && !(*first == *facts.quantization))) {
        error() << "the operands and results of '" << binder.getOp()
                << "' must have the same quantization with a single scale, but do not; convert the model again";
        return false;
      }
      first = &*facts.quantization;
    }
  return true;
}

void TfliteNode::setAssigned(ArrayRef<std::pair<size_t, Value>> values) {
  size_t index = results.size();
  for (auto [operand, value] : values)
    setResult(index++, value ? nn.reshape(value, getShape(getOperand(operand))) : Value());
}

Type TfliteNode::getResultElementType(size_t result) const {
  return result < results.size() && results[result].type ? results[result].type.getElementType() : Type();
}

/// Returns text such as `float[1x?x8]`.
static std::string describeStated(RankedTensorType type) {
  auto describeSize = [](int64_t size) {
    return ShapedType::isDynamic(size) ? std::string("?") : std::to_string(size);
  };
  return getTypeName(type.getElementType()) + "[" + llvm::join(llvm::map_range(type.getShape(), describeSize), "x") +
         "]";
}

/// True if `value` has the shape that the model declares for it, or if the model declares no shape.
static bool hasStatedShape(const NnBuilder &nn, Value value, const TensorFacts &stated) {
  auto type = dyn_cast_or_null<RankedTensorType>(stated.type);
  if (!type || !isTensor(value))
    return true;
  // For a size that is only known at run time, the model may declare one possible size.
  auto agrees = [&](auto sizes) {
    auto [size, known] = sizes;
    return ShapedType::isDynamic(known) || size == known || nn.isOpen(value);
  };
  return getRank(value) == type.getRank() && llvm::all_of(llvm::zip_equal(getShape(value), type.getShape()), agrees);
}

bool TfliteNode::haveOperandsStatedShapes() const {
  return llvm::all_of(llvm::enumerate(operands), [&](const auto &stated) {
    return hasStatedShape(nn, getOperand(stated.index()), stated.value());
  });
}

void TfliteNode::checkResults() {
  if (binder.hasFailed())
    return;
  for (auto [index, stated] : llvm::enumerate(results)) {
    Value result = binder.getResult(index);
    if (!result || !stated.type || !isTensor(result))
      continue;
    if (getElementType(result) != stated.type.getElementType()) {
      error() << "output " << index << " must have the declared type " << getTypeName(stated.type.getElementType())
              << ", but is computed as " << describe(result) << "; convert the model again";
      return;
    }
    // Later operators repeat the difference, so only the first operator gets a warning.
    if (!hasStatedShape(nn, result, stated) && haveOperandsStatedShapes())
      emitWarning(nn.getLoc()) << "the model declares " << describeStated(cast<RankedTensorType>(stated.type))
                               << " of output " << index << ", but its operator computes " << describe(result)
                               << ", which is used";
  }
}

void add(ImportRegistry &registry, StringRef op, Integers integers, Signature signature, TfliteHandler handler) {
  registry.add(op, 1, std::move(signature), [integers, handler = std::move(handler)](OperandBinder &binder) {
    TfliteNode node(binder);
    if (integers == Integers::Plain && node.isQuantized()) {
      node.error() << "its tensors must not be quantized, which is not supported for '" << binder.getOp()
                   << "'; convert the model without quantization";
      return;
    }
    if (integers == Integers::Moved && !node.checkSameQuantization())
      return;
    handler(node);
    node.checkResults();
  });
  if (integers == Integers::Plain)
    registry.setLimit(op, "quantized integers");
}

} // namespace nacre::importer::tflite_format
