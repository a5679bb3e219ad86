// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One node of a model, as the handler of its operator sees it.

#include "compiler/import/binding/OperandBinder.h"

#include "compiler/import/binding/Signature.h"
#include "dialects/NearestNames.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/shapes/ShapeRules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer {

/// Largest number of elements of an operand that decides a shape. Without a limit, a splat of a few bytes could have
/// any number of elements.
static constexpr int64_t maxNumbers = 65536;

OperandBinder::OperandBinder(const Node &node, NnBuilder nn)
    : nn(nn), node(node), errorsBefore(nn.getNumErrors()), results(node.results.size()) {}

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

/// Returns `value` and the values from which it is computed, if they are near enough to be found quickly.
static llvm::SetVector<Value> findSources(Value value) {
  constexpr size_t maxValues = 4096;
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t next = 0; next < reached.size() && next < maxValues; ++next) {
    Value current = reached[next];
    Operation *op = current.getDefiningOp();
    if (!op && !isa<func::FuncOp>(current.getParentRegion()->getParentOp()))
      op = current.getParentRegion()->getParentOp(); // initial values of a loop
    if (op)
      reached.insert(op->operand_begin(), op->operand_end());
  }
  return reached;
}

/// Returns the names of the function's inputs among `values`. With `onlyIntegers`, returns only inputs that hold
/// integers.
static SmallVector<StringRef> namesOfInputs(ArrayRef<Value> values, bool onlyIntegers) {
  SmallVector<StringRef> names;
  for (Value value : values)
    if (isa<BlockArgument>(value) && isa<func::FuncOp>(value.getParentRegion()->getParentOp()) &&
        !(onlyIntegers && getElementTypeOrSelf(value).isFloat()))
      if (auto name = dyn_cast<NameLoc>(value.getLoc()))
        names.push_back(name.getName());
  return names;
}

std::string OperandBinder::nameOf(size_t index) const {
  return node.signature ? node.signature->nameOf(index) : "operand " + std::to_string(index);
}

ElementsAttr OperandBinder::getConstantOperand(size_t index, int64_t mostAxes) {
  Value operand = getOperand(index);
  if (nn.isOpen(operand) && getConstant(operand)) { // the constant has the largest size
    failed = true;
    nn.refuseOpen(operand);
    return {};
  }
  if (ElementsAttr constant = getConstant(operand)) {
    int64_t count = constant.getNumElements();
    if (count <= maxNumbers && (count == 1 || getRank(operand) <= mostAxes))
      return constant;
    error() << nameOf(index) << " must be a list of " << maxNumbers << " numbers or fewer, but is "
            << describe(operand);
    return {};
  }
  const llvm::SetVector<Value> sources = findSources(operand);
  const auto open = llvm::find_if(sources, [&](Value source) { return nn.isOpen(source); });
  // Users cannot fix data that decide a size. But integer inputs may be settings that decide it, so these are listed.
  const SmallVector<StringRef> inputs = namesOfInputs(sources.getArrayRef(), /*onlyIntegers=*/open != sources.end());
  failed = true;
  // A size that the data decide needs only a bound.
  if (const StringRef size = nn.nameUnbounded(operand); !size.empty()) {
    InFlightDiagnostic diagnostic = error() << nameOf(index)
                                            << " must be known at compile time or have a largest value, but is "
                                               "computed";
    if (!inputs.empty())
      diagnostic << " from input '" << inputs.front() << "'";
    diagnostic << "; give the largest value of '" << size << "' with --bound " << size << "=<number>";
    if (inputs.empty())
      return {};
    diagnostic << ", or fix it with --set " << inputs.front() << "=<value|file>";
    if (size == inputs.front()) // a setting, rather than data
      nn.noteUnfixedInput(size);
    return {};
  }
  if (open != sources.end()) {
    InFlightDiagnostic diagnostic = nn.refuseOpen(*open);
    if (!inputs.empty())
      diagnostic << "; or fix it with --set " << inputs.front() << "=<value|file>";
  } else {
    InFlightDiagnostic diagnostic = error() << nameOf(index) << " must be known at compile time, but is computed";
    if (inputs.empty())
      diagnostic << " by nodes that are not folded; raise --max-constant or make it an initializer";
    else
      diagnostic << " from input '" << inputs.front() << "'; fix it with --set " << inputs.front() << "=<value|file>";
  }
  for (StringRef input : inputs)
    nn.noteUnfixedInput(input);
  return {};
}

FailureOr<SmallVector<int64_t>> OperandBinder::getIntegers(size_t index, int64_t mostAxes) {
  ElementsAttr constant = getConstantOperand(index, mostAxes);
  if (!constant)
    return failure();
  if (!isa<IntegerType>(constant.getElementType()))
    return error() << nameOf(index) << " must hold integers, but is " << describe(constant.getShapedType())
                   << "; convert it with a Cast";
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
  if (mlir::failed(view))
    return error() << nameOf(index) << " must be a dense tensor of numbers; save the model with a dense tensor";
  return view->readIntegers();
}

FailureOr<SmallVector<double>> OperandBinder::getNumbers(size_t index) {
  ElementsAttr constant = getConstantOperand(index, /*mostAxes=*/1);
  if (!constant)
    return failure();
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
  if (mlir::failed(view))
    return error() << nameOf(index) << " must be a dense tensor of numbers; save the model with a dense tensor";
  SmallVector<double> numbers(constant.getNumElements());
  view->read(0, 1, constant.getNumElements(), numbers.data());
  return numbers;
}

FailureOr<int64_t> OperandBinder::getInteger(size_t index) {
  FailureOr<SmallVector<int64_t>> numbers = getIntegers(index);
  if (mlir::failed(numbers))
    return failure();
  if (numbers->size() != 1)
    return error() << nameOf(index) << " must have one element, but is " << describe(getOperand(index));
  return numbers->front();
}

FailureOr<double> OperandBinder::getNumber(size_t index) {
  FailureOr<SmallVector<double>> numbers = getNumbers(index);
  if (mlir::failed(numbers))
    return failure();
  if (numbers->size() != 1)
    return error() << nameOf(index) << " must have one element, but is " << describe(getOperand(index));
  return numbers->front();
}

//===----------------------------------------------------------------------===//
// Shapes of operands
//===----------------------------------------------------------------------===//

bool OperandBinder::checkRank(size_t index, int64_t low, int64_t high) {
  Value operand = getOperand(index);
  if (!operand || (getRank(operand) >= low && getRank(operand) <= high))
    return true;
  std::string wanted = std::to_string(low);
  if (high >= maxRank)
    wanted = "at least " + wanted;
  else if (high > low)
    wanted += " to " + std::to_string(high);
  error() << nameOf(index) << " must have " << wanted << (wanted == "1" || wanted == "at least 1" ? " axis" : " axes")
          << ", but is " << describe(operand) << "; change its rank with a Reshape";
  return false;
}

bool OperandBinder::checkShape(size_t index, Ints wanted, const Twine &reason) {
  Value operand = getOperand(index);
  if (!operand || getShape(operand) == wanted)
    return true;
  error() << nameOf(index) << " must have the shape " << describeShape(wanted) << ", " << reason << ", but is "
          << describe(operand);
  return false;
}

bool OperandBinder::checkBroadcastsTo(size_t index, Ints shape, StringRef what) {
  Value operand = getOperand(index);
  if (!operand)
    return true;
  llvm::Expected<nn::Shape> together = nn::broadcastShapes({getShape(operand), shape});
  if (together && Ints(*together) == shape)
    return true;
  llvm::consumeError(together.takeError());
  error() << nameOf(index) << " must broadcast to " << what << ", " << describeShape(shape) << ", but is "
          << describe(operand) << "; give each of its axes that size or 1";
  return false;
}

bool OperandBinder::checkFits(Ints shape, StringRef what) {
  if (nn::countElements(shape))
    return true;
  error() << what << " must fit into memory, but has the shape " << describeShape(shape);
  return false;
}

FailureOr<SmallVector<int64_t>> OperandBinder::broadcastOperands(size_t first) {
  SmallVector<Value> operands;
  for (Value operand : getOperands().drop_front(first))
    if (operand)
      operands.push_back(operand);
  llvm::Expected<nn::Shape> shape = nn::broadcastShapes(llvm::map_to_vector(operands, getShape));
  if (!shape) {
    llvm::consumeError(shape.takeError());
    InFlightDiagnostic diagnostic = error() << "operands must broadcast, but are ";
    llvm::interleave(operands, [&](Value operand) { diagnostic << describe(operand); }, [&] { diagnostic << " and "; });
    return diagnostic << "; make their sizes along each axis, counted from the last, equal or 1";
  }
  if (!checkFits(*shape))
    return failure();
  return *shape;
}

//===----------------------------------------------------------------------===//
// Graphs, and attempts at them
//===----------------------------------------------------------------------===//

const NodeGraph *OperandBinder::getGraph(StringRef name) {
  seen.insert(name);
  for (const NodeGraph &graph : node.graphs)
    if (graph.attribute == name)
      return &graph;
  error() << "attribute '" << name << "' must be a graph, but is missing";
  return nullptr;
}

FailureOr<SmallVector<Value>> OperandBinder::expand(const NodeGraph &graph, ArrayRef<Value> arguments) {
  FailureOr<SmallVector<Value>> outputs = graph.import(arguments);
  failed |= mlir::failed(outputs);
  return outputs;
}

bool OperandBinder::allowsConstant(int64_t count, int64_t elementBytes) {
  failed |= !nn.allowsConstant(count, elementBytes);
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

Node OperandBinder::describeAs(StringRef op, ArrayRef<Value> operands, size_t numResults) {
  for (NamedAttribute attribute : node.attributes)
    seen.insert(attribute.getName());
  SmallVector<bool> wanted(numResults, false);
  wanted.front() = true;
  return Node{op, node.version, SmallVector<Value>(operands), wanted, node.attributes, {}, node.versionWord};
}

void OperandBinder::refuseUnknown(StringRef attribute) {
  InFlightDiagnostic diagnostic = error() << "attribute '" << attribute
                                          << "' must not be set: Nacre does not support it for '" << node.op << "'";
  SmallVector<StringRef> known;
  for (StringRef name : seen.keys())
    if (!find(name))
      known.push_back(name);
  llvm::sort(known); // sorted, because the set has no order
  if (StringRef nearest = nearestName(attribute, known); !nearest.empty())
    diagnostic << "; is it '" << nearest << "'?";
  else if (node.version)
    diagnostic << " of " << node.versionWord << " " << node.version
               << "; remove it, or export the model for a different " << node.versionWord;
  else
    diagnostic << "; remove it";
}

FailureOr<SmallVector<Value>> OperandBinder::finish() {
  if (hasFailed())
    return failure();
  for (NamedAttribute attribute : node.attributes)
    if (!seen.contains(attribute.getName())) {
      refuseUnknown(attribute.getName());
      return failure();
    }
  for (const NodeGraph &graph : node.graphs)
    if (!seen.contains(graph.attribute))
      return error() << "attribute '" << graph.attribute << "' must not be set: '" << node.op
                     << "' has no such subgraph; remove it";
  for (auto [index, result] : llvm::enumerate(results))
    if (wantsResult(index) && !result)
      return error() << "output " << index << " must not be requested: Nacre does not compute it for '" << node.op
                     << "'; remove its readers and leave its name empty";
  // A constant result depends only on the largest size of an open operand, so it would be wrong.
  auto open = llvm::find_if(node.operands, [&](Value operand) { return operand && nn.isOpen(operand); });
  for (Value result : results)
    if (open != node.operands.end() && result && getConstant(result) && !nn.isOpen(result) &&
        !llvm::is_contained(node.operands, result))
      return nn.refuseOpen(*open);
  return results;
}

} // namespace nacre::importer
