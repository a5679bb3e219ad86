// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences of tensors, and optional values. They are resolved here, because `nn` has no operators for them.
//
// The parts of this file are operators that make and change sequences, conversions between sequences and tensors, and
// optional values.

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/model/GraphView.h"
#include "compiler/import/onnx/movement/Handlers.h"
#include "compiler/import/onnx/operands/StackedLists.h"
#include "compiler/import/operands/JoinsAndSlices.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Sequences
//===----------------------------------------------------------------------===//

/// Reads the position in operand `index`, which is one of `count` elements, or after them if `mayBeBehind`. Returns
/// `missing` if the operand does not exist. Fails after an error.
FailureOr<int64_t> readPosition(OperandBinder &node, size_t index, int64_t count, int64_t missing,
                                bool mayBeBehind = false) {
  if (!node.getOperand(index))
    return missing;
  FailureOr<int64_t> given = node.getInteger(index);
  if (failed(given))
    return failure();
  int64_t position = *given < 0 ? *given + count : *given;
  if (position >= 0 && position < count + mayBeBehind)
    return position;
  return node.error() << node.nameOf(index) << " must be a position in " << describe(node.getOperand(0)) << ", but is "
                      << *given;
}

void importSequenceConstruct(OperandBinder &node) { node.setResult(node.nn.list(node.getOperands())); }

void importSequenceEmpty(OperandBinder &node) {
  node.ignore({"dtype"}); // elements have their own types
  node.setResult(node.nn.list({}));
}

void importSequenceInsert(OperandBinder &node) {
  Value list = node.getOperand(0), tensor = node.getOperand(1);
  if (getStack(list) && !node.getOperand(2) && hasRowType(list, tensor))
    return node.setResult(appendRows(node, list, stackRows(node.nn, tensor), node.nameOf(0)));
  FailureOr<SmallVector<Value>> elements = getElements(node, 0);
  if (failed(elements))
    return;
  auto count = static_cast<int64_t>(elements->size());
  FailureOr<int64_t> position = readPosition(node, 2, count, count, /*mayBeBehind=*/true);
  if (failed(position))
    return;
  elements->insert(elements->begin() + *position, tensor);
  node.setResult(node.nn.list(*elements));
}

void importSequenceErase(OperandBinder &node) {
  FailureOr<SmallVector<Value>> elements = getElements(node, 0);
  if (failed(elements))
    return;
  auto count = static_cast<int64_t>(elements->size());
  if (count == 0) {
    node.error() << node.nameOf(0) << " must not be empty";
    return;
  }
  FailureOr<int64_t> position = readPosition(node, 1, count, count - 1);
  if (failed(position))
    return;
  elements->erase(elements->begin() + *position);
  node.setResult(node.nn.list(*elements));
}

void importSequenceAt(OperandBinder &node) {
  Value list = node.getOperand(0), position = node.getOperand(1);
  if (getConstant(position)) {
    std::optional<ValueRange> elements = getList(list);
    const int64_t count = elements ? static_cast<int64_t>(elements->size()) : getShape(getStack(list))[0];
    FailureOr<int64_t> known = readPosition(node, 1, count, 0);
    if (failed(known))
      return;
    if (elements)
      return node.setResult((*elements)[*known]);
  }
  Value stack = stackElements(node, 0);
  if (!stack)
    return;
  if (getShape(stack)[0] == 0 || getType(position).getNumElements() != 1) {
    node.error() << node.nameOf(1) << " must be one position in " << describe(list) << ", but is "
                 << describe(position);
    return;
  }
  node.setResult(node.nn.gather(stack, node.nn.reshape(position, {}), 0));
}

void importSequenceLength(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  std::optional<ValueRange> elements = getList(node.getOperand(0));
  Value length = elements ? nn.integers(static_cast<int64_t>(elements->size()))
                          : nn.sizesOf(getStack(node.getOperand(0)), /*first=*/0, /*number=*/1);
  node.setResult(nn.reshape(length, {}));
}

/// Imports the body once for each position, with the elements of all sequences there. A tensor is the same at all
/// positions.
void importSequenceMap(OperandBinder &node) {
  const NodeGraph *body = node.getGraph("body");
  if (!body)
    return;
  SmallVector<SmallVector<Value>> lists; // the elements of each operand, or one value for all positions
  for (auto [index, operand] : llvm::enumerate(node.getOperands())) {
    if (!operand) {
      node.error() << node.nameOf(index) << " is required, but is missing; name a value as this input";
      return;
    }
    FailureOr<SmallVector<Value>> list = isList(operand) ? getElements(node, index) : SmallVector<Value>{operand};
    if (failed(list))
      return;
    lists.push_back(*list);
    if (isList(operand) && list->size() != lists.front().size()) {
      node.error() << node.nameOf(index) << " must have as many elements as " << node.nameOf(0) << ", "
                   << lists.front().size() << ", but has " << list->size();
      return;
    }
  }
  const size_t count = lists.front().size();
  const size_t numOutputs = body->view.getOutputs().size();
  if (numOutputs != node.getNumResults()) {
    node.error() << "the body must have " << describeCount(node.getNumResults(), "output") << " like the node, but has "
                 << numOutputs;
    return;
  }
  SmallVector<SmallVector<Value>> results(numOutputs);
  for (size_t position = 0; position < count; ++position) {
    SmallVector<Value> arguments;
    for (auto [operand, list] : llvm::zip_equal(node.getOperands(), lists))
      arguments.push_back(isList(operand) ? list[position] : operand);
    FailureOr<SmallVector<Value>> given = node.expand(*body, arguments);
    if (failed(given))
      return;
    for (auto [elements, value] : llvm::zip_equal(results, *given)) {
      if (!isTensor(value)) {
        node.error() << "the body must return tensors, but returns " << describe(value);
        return;
      }
      elements.push_back(value);
    }
  }
  for (auto [index, elements] : llvm::enumerate(results))
    node.setResult(index, node.nn.list(elements));
}

//===----------------------------------------------------------------------===//
// 2. Sequences and tensors
//===----------------------------------------------------------------------===//

/// Returns the sizes of the parts of an axis of `dim` elements. They are a list, or one size, except for a smaller last
/// part.
FailureOr<SmallVector<int64_t>> readPartSizes(OperandBinder &node, int64_t dim) {
  constexpr int64_t mostParts = 65536;
  SmallVector<int64_t> sizes;
  FailureOr<SmallVector<int64_t>> given = SmallVector<int64_t>{1};
  if (node.getOperand(1))
    given = readSizesOfParts(node, 1, dim);
  if (failed(given))
    return failure();
  int64_t sum = 0;
  bool isEach = !node.getOperand(1) || getRank(node.getOperand(1)) == 0, isWrong = false;
  if (isEach) {
    int64_t size = given->front();
    isWrong = size < 1 || dim / std::max<int64_t>(size, 1) > mostParts;
    for (; !isWrong && sum < dim; sum += sizes.back())
      sizes.push_back(std::min(size, dim - sum));
  } else {
    sizes = *given;
    for (int64_t size : sizes) {
      isWrong |= size < 0 || size > dim - sum;
      sum += isWrong ? 0 : size;
    }
  }
  if (!isWrong && sum == dim)
    return sizes;
  return node.error() << "the parts must be " << mostParts << " at most and come to the "
                      << describeCount(dim, "element") << " of the axis, but are [" << Ints(*given) << "]";
}

void importSplitToSequence(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  bool keepsAxis = node.getFlag("keepdims", true) || node.getOperand(1);
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(x));
  if (failed(axis))
    return;
  FailureOr<SmallVector<int64_t>> sizes = readPartSizes(node, getShape(x)[*axis]);
  if (failed(sizes))
    return;
  SmallVector<Value> parts;
  int64_t start = 0;
  for (int64_t size : *sizes) {
    Value part = nn.slice(x, *axis, start, size);
    start += size;
    if (!keepsAxis && part) {
      SmallVector<int64_t> shape(getShape(part));
      shape.erase(shape.begin() + *axis);
      part = nn.reshape(part, shape);
    }
    parts.push_back(part);
  }
  node.setResult(nn.list(parts));
}

/// Joins the rows of `stack` along an axis.
void concatRows(OperandBinder &node, Value stack, bool addsAxis) {
  NnBuilder &nn = node.nn;
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), getRank(stack) - !addsAxis);
  if (failed(axis))
    return;
  SmallVector<int64_t> order = axisRange(1, getRank(stack));
  order.insert(order.begin() + *axis, 0);
  Value moved = nn.transpose(stack, order);
  if (!moved || addsAxis)
    return node.setResult(moved);
  SmallVector<Size> sizes = nn.getSizes(moved);
  std::optional<Size> joined = nn.divideSizes({sizes[*axis], sizes[*axis + 1]}, /*parts=*/{});
  if (!joined) {
    node.fail();
    nn.refuseOpen(moved);
    return;
  }
  sizes[*axis] = *joined;
  sizes.erase(sizes.begin() + *axis + 1);
  SmallVector<int64_t> shape = llvm::map_to_vector(sizes, [](const Size &size) { return size.bound; });
  if (node.checkFits(shape))
    node.setResult(nn.isOpen(moved) ? nn.reshapeTo(moved, sizes) : nn.reshape(moved, shape));
}

void importConcatFromSequence(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  bool addsAxis = node.getFlag("new_axis", false);
  if (Value stack = getStack(node.getOperand(0)))
    return concatRows(node, stack, addsAxis);
  SmallVector<Value> elements(*getList(node.getOperand(0)));
  if (elements.empty() || !llvm::all_of(elements, isTensor)) {
    node.error() << node.nameOf(0) << " must hold tensors to join, but is " << describe(node.getOperand(0));
    return;
  }
  int64_t rank = getRank(elements.front()) + addsAxis;
  FailureOr<int64_t> axis = node.getAxis(node.getInt("axis", 0), rank);
  if (failed(axis))
    return;
  SmallVector<int64_t> joined;
  for (Value &element : elements) {
    SmallVector<int64_t> shape(getShape(element));
    if (addsAxis && *axis <= static_cast<int64_t>(shape.size()))
      shape.insert(shape.begin() + *axis, 1);
    SmallVector<int64_t> others = shape;
    if (static_cast<int64_t>(shape.size()) == rank)
      others[*axis] = 0;
    int64_t before = joined.empty() ? 0 : joined[*axis];
    if (joined.empty())
      joined = others;
    joined[*axis] = 0;
    if (Ints(others) != Ints(joined) || getElementType(element) != getElementType(elements.front())) {
      node.error() << "the elements of " << node.nameOf(0)
                   << " must have the same type, and the same sizes along all axes except " << *axis << ", but are "
                   << describe(elements.front()) << " and " << describe(element);
      return;
    }
    joined[*axis] = before + shape[*axis];
    if (!node.checkFits(joined))
      return;
    element = nn.reshape(element, shape);
  }
  node.setResult(nn.concat(elements, *axis));
}

//===----------------------------------------------------------------------===//
// 3. Optional values
//===----------------------------------------------------------------------===//

/// Imports an optional value. A value that is present becomes that value, and a missing one becomes nothing.
void importOptional(OperandBinder &node) {
  node.ignore({"type"});
  node.setResult(node.getOperand(0) ? node.getOperand(0) : node.nn.nothing());
}

void importOptionalHasElement(OperandBinder &node) {
  bool isThere = node.getOperand(0) && !isNothing(node.getOperand(0));
  node.setResult(node.nn.splat(RankedTensorType::get({}, node.nn.types().getI1Type()), isThere));
}

void importOptionalGetElement(OperandBinder &node) {
  if (isNothing(node.getOperand(0)))
    node.error() << node.nameOf(0) << " is empty; check it with OptionalHasElement first";
  else
    node.setResult(node.getOperand(0));
}

} // namespace

void registerSequences(ImportRegistry &registry) {
  registry.add("ConcatFromSequence", 11, {{"input_sequence", Holds::Sequence}}, importConcatFromSequence);
  registry.add("Optional", 15, {{"input?", Holds::AnyValue}}, importOptional);
  registry.add("OptionalGetElement", 15, {{"input", Holds::AnyValue}}, importOptionalGetElement);
  registry.add("OptionalHasElement", 15, {{"input?", Holds::AnyValue}}, importOptionalHasElement);
  registry.add("SequenceAt", 11, {{"input_sequence", Holds::Sequence}, {"position", Holds::Indices}}, importSequenceAt);
  registry.add("SequenceConstruct", 11, {{"inputs...", Holds::Anything, 'T'}}, importSequenceConstruct);
  registry.add("SequenceEmpty", 11, {}, importSequenceEmpty);
  registry.add("SequenceErase", 11, {{"input_sequence", Holds::Sequence}, {"position?", Holds::Indices}},
               importSequenceErase);
  registry.add("SequenceInsert", 11, {{"input_sequence", Holds::Sequence}, {"tensor"}, {"position?", Holds::Indices}},
               importSequenceInsert);
  registry.add("SequenceLength", 11, {{"input_sequence", Holds::Sequence}}, importSequenceLength);
  registry.add("SequenceMap", 17, {{"input_sequence", Holds::Sequence}, {"additional_inputs...?", Holds::AnyValue}},
               importSequenceMap);
  registry.add("SplitToSequence", 11, {{"input"}, {"split?", Holds::Indices}}, importSplitToSequence);
  registry.setLimit("SequenceAt", "computed positions, unless all elements have the same type; sequences as inputs or "
                                  "outputs of the model");
  for (StringRef op : {"SequenceErase", "SequenceInsert"})
    registry.setLimit(op, "computed positions; sequences as inputs or outputs of the model");
}

} // namespace nacre::importer::onnx_format
