// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One node of a model, as the handler of its operator sees it.

#include "compiler/import/OperandBinder.h"

#include "dialects/nn/ConstantData.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer {

/// The most elements of an operand that says a shape or the like: a splat of a few bytes could claim any number of
/// them.
static constexpr int64_t maxNumbers = 65536;

OperandBinder::OperandBinder(const Node &node, NnBuilder nn, int64_t maxConstantBytes)
    : nn(nn), node(node), maxConstantBytes(maxConstantBytes), results(node.results.size()) {}

InFlightDiagnostic OperandBinder::error() {
  failed = true;
  return nn.error();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value OperandBinder::getOperand(size_t index) const {
  return index < node.operands.size() ? node.operands[index] : Value();
}

/// The names of the inputs of the function that `value` is computed from; none when none is near enough to find quickly.
static SmallVector<StringRef> findInputs(Value value) {
  constexpr size_t maxValues = 4096;
  SmallVector<StringRef> names;
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t next = 0; next < reached.size() && next < maxValues; ++next) {
    Value current = reached[next];
    if (Operation *op = current.getDefiningOp())
      reached.insert(op->operand_begin(), op->operand_end());
    else if (auto name = dyn_cast<NameLoc>(current.getLoc()))
      names.push_back(name.getName());
  }
  return names;
}

ElementsAttr OperandBinder::getConstantOperand(size_t index, StringRef role) {
  Value operand = getOperand(index);
  if (ElementsAttr constant = getConstant(operand)) {
    if (constant.getNumElements() <= maxNumbers)
      return constant;
    error() << "operand " << index << " ('" << role << "') must have at most " << maxNumbers << " elements, but is "
            << constant.getType();
    return {};
  }
  InFlightDiagnostic diagnostic = error() << "operand " << index << " ('" << role
                                          << "') must be known when the model is compiled, but is computed";
  SmallVector<StringRef> inputs = findInputs(operand);
  if (inputs.empty())
    diagnostic << " by nodes that are not folded";
  else
    diagnostic << " from input '" << inputs.front() << "'; fix it with --set " << inputs.front() << "=<value|file>";
  for (StringRef input : inputs)
    nn.noteUnfixedInput(input);
  return {};
}

FailureOr<SmallVector<int64_t>> OperandBinder::getIntegers(size_t index, StringRef role) {
  ElementsAttr constant = getConstantOperand(index, role);
  if (!constant)
    return failure();
  if (!isa<IntegerType>(constant.getElementType()))
    return error() << "operand " << index << " ('" << role << "') must hold integers, but is " << constant.getType();
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
  if (mlir::failed(view))
    return error() << "operand " << index << " ('" << role << "') cannot be read";
  return view->readIntegers();
}

FailureOr<SmallVector<double>> OperandBinder::getNumbers(size_t index, StringRef role) {
  ElementsAttr constant = getConstantOperand(index, role);
  if (!constant)
    return failure();
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
  if (mlir::failed(view))
    return error() << "operand " << index << " ('" << role << "') cannot be read";
  SmallVector<double> numbers(constant.getNumElements());
  view->read(0, 1, constant.getNumElements(), numbers.data());
  return numbers;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

std::optional<NamedAttribute> OperandBinder::find(StringRef name) const {
  auto found = llvm::find_if(node.attributes, [&](NamedAttribute attribute) { return attribute.getName() == name; });
  return found == node.attributes.end() ? std::nullopt : std::optional(*found);
}

template <typename Attr> Attr OperandBinder::get(StringRef name, StringRef kind) {
  seen.insert(name);
  std::optional<NamedAttribute> attribute = find(name);
  if (!attribute)
    return {};
  auto value = dyn_cast<Attr>(attribute->getValue());
  if (!value)
    error() << "attribute '" << name << "' must be " << kind << ", but is not";
  return value;
}

int64_t OperandBinder::getInt(StringRef name, int64_t missing) {
  auto attribute = get<IntegerAttr>(name, "an integer");
  return attribute ? attribute.getInt() : missing;
}

double OperandBinder::getFloat(StringRef name, double missing) {
  auto attribute = get<FloatAttr>(name, "a number");
  return attribute ? attribute.getValueAsDouble() : missing;
}

StringRef OperandBinder::getString(StringRef name, StringRef missing) {
  auto attribute = get<StringAttr>(name, "a string");
  return attribute ? attribute.getValue() : missing;
}

SmallVector<int64_t> OperandBinder::getInts(StringRef name, Ints missing) {
  if (std::optional<NamedAttribute> attribute = find(name); attribute && isa<IntegerAttr>(attribute->getValue()))
    return {getInt(name, 0)}; // some exporters write one number where a list is wanted
  auto attribute = get<DenseI64ArrayAttr>(name, "a list of integers");
  return llvm::to_vector(attribute ? attribute.asArrayRef() : missing);
}

SmallVector<double> OperandBinder::getFloats(StringRef name) {
  auto attribute = get<DenseF32ArrayAttr>(name, "a list of numbers");
  return attribute ? llvm::to_vector_of<double>(attribute.asArrayRef()) : SmallVector<double>();
}

SmallVector<StringRef> OperandBinder::getStrings(StringRef name) {
  auto attribute = get<ArrayAttr>(name, "a list of strings");
  return attribute ? llvm::to_vector(attribute.getAsValueRange<StringAttr>()) : SmallVector<StringRef>();
}

ElementsAttr OperandBinder::getTensor(StringRef name) { return get<ElementsAttr>(name, "a tensor"); }

SmallVector<int64_t> OperandBinder::getSizes(StringRef name, size_t count, int64_t missing, int64_t low) {
  SmallVector<int64_t> defaults(count, missing);
  SmallVector<int64_t> sizes = getInts(name, defaults);
  if (sizes.size() != count) {
    error() << "attribute '" << name << "' must have " << count << " elements, but has " << sizes.size();
    return defaults;
  }
  for (int64_t size : sizes) {
    if (size >= low && size <= INT32_MAX)
      continue;
    error() << "attribute '" << name << "' must lie between " << low << " and " << INT32_MAX << ", but has " << size;
    return defaults;
  }
  return sizes;
}

FailureOr<int64_t> OperandBinder::getAxis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  return error() << "axis must lie between " << -rank << " and " << rank - 1 << ", but is " << axis;
}

FailureOr<SmallVector<int64_t>> OperandBinder::getAxes(Ints axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    FailureOr<int64_t> normal = getAxis(axis, rank);
    if (mlir::failed(normal))
      return failure();
    result.push_back(*normal);
  }
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    return error() << "axes must differ, but one is given twice";
  return result;
}

bool OperandBinder::allowsConstant(int64_t count, int64_t elementBytes) {
  int64_t bytes;
  if (llvm::MulOverflow(count, elementBytes, bytes) || bytes > maxConstantBytes)
    error() << "a constant of " << count << " elements must take at most " << maxConstantBytes
            << " bytes, but takes more; raise --max-constant";
  else if (!nn.takeFromBudget(bytes))
    error() << "all constants that the model makes must take at most " << maxConstantBytes
            << " bytes, but take more; raise --max-constant";
  return !failed;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void OperandBinder::setResult(size_t index, Value value) {
  failed |= !value;
  if (index < results.size())
    results[index] = value;
}

FailureOr<SmallVector<Value>> OperandBinder::finish() {
  if (failed)
    return failure();
  for (NamedAttribute attribute : node.attributes)
    if (!seen.contains(attribute.getName()))
      return error() << "attribute '" << attribute.getName().getValue() << "' is not supported";
  for (auto [index, result] : llvm::enumerate(results))
    if (wantsResult(index) && !result)
      return error() << "output " << index << " is not supported";
  return results;
}

} // namespace nacre::importer
