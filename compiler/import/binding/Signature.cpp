// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands that an operator's definition requires.

#include "compiler/import/binding/Signature.h"

#include "compiler/import/messages/ComplexValues.h"
#include "compiler/import/messages/TypeNames.h"
#include "dialects/nn/NarrowTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace mlir;

namespace nacre::importer {

static bool mayHold(Holds holds, Type valueType) {
  if (holds == Holds::AnyValue)
    return true;
  if (isa<TupleType>(valueType))
    return holds == Holds::Sequence || holds == Holds::Rows;
  if (isa<UnrankedTensorType>(valueType)) // a list that is stored as one tensor
    return holds == Holds::Sequence;
  auto tensor = dyn_cast<RankedTensorType>(valueType);
  if (!tensor || holds == Holds::Sequence)
    return false;
  if (holds == Holds::Rows)
    return tensor.getRank() > 0;
  Type type = tensor.getElementType();
  if (holds == Holds::Stored)
    return true;
  if (nn::isNarrow(type))
    return false;
  bool isFloat = isa<FloatType>(type), isBool = type.isInteger(1);
  switch (holds) {
  case Holds::Stored:
  case Holds::Anything:
    return true;
  case Holds::Numbers:
    return !isBool;
  case Holds::Floats:
    return isFloat;
  case Holds::Integers:
    return !isFloat && !isBool;
  case Holds::Bytes:
    return type.isInteger(8);
  case Holds::Indices:
    return type.isSignlessInteger(32) || type.isSignlessInteger(64);
  case Holds::Booleans:
    return isBool;
  case Holds::Sequence:
  case Holds::Rows:
  case Holds::AnyValue:
    break;
  }
  llvm_unreachable("all kinds are above");
}

StringRef describe(Holds holds) {
  switch (holds) {
  case Holds::Stored:
    return "any type, including narrow ones";
  case Holds::Anything:
    return "a type that supports arithmetic";
  case Holds::Numbers:
    return "a numeric type";
  case Holds::Floats:
    return "a floating-point type";
  case Holds::Integers:
    return "an integer type";
  case Holds::Bytes:
    return "type int8 or uint8";
  case Holds::Indices:
    return "type int32 or int64";
  case Holds::Booleans:
    return "type bool";
  case Holds::Sequence:
    return "a sequence";
  case Holds::Rows:
    return "an array of rows";
  case Holds::AnyValue:
    return "any value";
  }
  llvm_unreachable("all kinds are above");
}

const OperandRule *Signature::find(size_t index) const {
  if (index < rules.size())
    return &rules[index];
  return !rules.empty() && rules.back().isRepeated() ? &rules.back() : nullptr;
}

std::string Signature::nameOf(size_t index) const {
  std::string name = "operand " + std::to_string(index);
  const OperandRule *rule = find(index);
  return rule ? name + " ('" + rule->getName().str() + "')" : name;
}

LogicalResult Signature::checkCount(StringRef op, ArrayRef<Value> operands, Location loc) const {
  size_t count = operands.size();
  size_t required = llvm::count_if(rules, [](const OperandRule &rule) { return !rule.isOptional(); });
  bool isEndless = !rules.empty() && rules.back().isRepeated();
  if (count < required || (count > rules.size() && !isEndless)) {
    std::string wanted = std::to_string(required);
    if (isEndless)
      wanted = "at least " + wanted;
    else if (required < rules.size())
      wanted += " to " + std::to_string(rules.size());
    return emitError(loc) << "operator '" << op << "' must have " << wanted
                          << (wanted == "1" ? " operand" : " operands") << ", but has " << count
                          << "; correct the node's inputs";
  }
  for (auto [index, operand] : llvm::enumerate(operands))
    if (!operand && !find(index)->isOptional())
      return emitError(loc) << nameOf(index) << " is required, but is missing; name a value as this input";
  return success();
}

LogicalResult Signature::check(StringRef op, ArrayRef<Value> operands, Location loc) const {
  if (failed(checkCount(op, operands, loc)))
    return failure();
  std::map<char, size_t> firstOf;
  auto elementOf = [&](size_t index) { return cast<ShapedType>(operands[index].getType()).getElementType(); };
  for (size_t index = 0; index < operands.size(); ++index) {
    if (!operands[index])
      continue;
    const OperandRule &rule = *find(index);
    Type type = operands[index].getType();
    bool wantsTensor = rule.holds < Holds::Sequence; // later kinds are not tensors
    if (wantsTensor && isComplex(operands[index]))
      return emitError(loc) << nameOf(index) << " must be a tensor of real numbers, but " << complexAdvice;
    if (rule.mayBeRows && isa<TupleType>(type))
      continue;
    if (!mayHold(rule.holds, type) && !(wantsTensor && isa<RankedTensorType>(type)))
      return emitError(loc) << nameOf(index) << " must be " << (wantsTensor ? "a tensor" : describe(rule.holds))
                            << ", but is " << importer::describe(operands[index]);
    if (!mayHold(rule.holds, type))
      return emitError(loc) << nameOf(index) << " must be of " << describe(rule.holds) << ", but is "
                            << importer::describe(operands[index]) << "; convert it with a Cast";
    // All earlier operands have the type of the first one in their group.
    auto [first, isFirst] = firstOf.try_emplace(rule.group, index);
    if (rule.group && !isFirst && elementOf(first->second) != elementOf(index))
      return emitError(loc) << nameOf(first->second) << " and " << nameOf(index) << " must have the same type, but are "
                            << importer::describe(operands[first->second]) << " and "
                            << importer::describe(operands[index]) << "; convert one of them with a Cast";
  }
  return success();
}

} // namespace nacre::importer
