// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements StackedLists.h.

#include "compiler/import/onnx/operands/StackedLists.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

static constexpr int64_t mostElements = 65536;

Value makeStackedList(NnBuilder &nn, Value stack) {
  Value list = nn.list(stack);
  // The type differs from that of other lists, so that no code takes the list for one with a single element.
  if (list)
    list.setType(UnrankedTensorType::get(getElementType(stack)));
  return list;
}

Value getStack(Value list) {
  return list && isa<UnrankedTensorType>(list.getType())
             ? list.getDefiningOp<UnrealizedConversionCastOp>().getInputs().front()
             : Value();
}

bool isList(Value value) { return getList(value) || getStack(value); }

static RankedTensorType getRowType(Value stack) {
  return RankedTensorType::get(getShape(stack).drop_front(), getElementType(stack));
}

bool hasRowType(Value list, Value tensor) { return tensor.getType() == getRowType(getStack(list)); }

FailureOr<SmallVector<Value>> getElements(OperandBinder &node, size_t index) {
  NnBuilder &nn = node.nn;
  Value list = node.getOperand(index), stack = getStack(list);
  if (!stack)
    return llvm::to_vector_of<Value>(*getList(list));
  nn::AxisCounts counts = nn.getCounts(stack);
  if (getShape(stack)[0] > mostElements || (!counts.empty() && counts.front()))
    return node.error() << node.nameOf(index) << " must be a sequence of at most " << mostElements
                        << " elements whose number is known at compile time, but is " << describe(list)
                        << "; pass --set for the input that decides the number";
  SmallVector<Value> elements;
  for (int64_t row = 0; row < getShape(stack)[0]; ++row)
    if (!elements.emplace_back(nn.reshape(nn.slice(stack, 0, row, 1), getShape(stack).drop_front())))
      return failure();
  return elements;
}

Value stackRows(NnBuilder &nn, ArrayRef<Value> values) {
  return nn.concat(llvm::map_to_vector(values,
                                       [&](Value value) {
                                         SmallVector<int64_t> shape(getShape(value));
                                         shape.insert(shape.begin(), 1);
                                         return nn.reshape(value, shape);
                                       }),
                   0);
}

Value stackElements(OperandBinder &node, size_t index) {
  Value list = node.getOperand(index);
  if (Value stack = getStack(list))
    return stack;
  ValueRange elements = *getList(list);
  auto fits = [&](Value element) { return isTensor(element) && element.getType() == elements.front().getType(); };
  if (!elements.empty() && llvm::all_of(elements, fits))
    return stackRows(node.nn, llvm::to_vector_of<Value>(elements));
  node.error() << node.nameOf(index)
               << " must be a sequence of tensors of the same type, because the position is known "
               << "only at run time, but is " << describe(list);
  return {};
}

Value appendRows(OperandBinder &node, Value list, Value rows, StringRef name) {
  NnBuilder &nn = node.nn;
  if (!rows)
    return {};
  Value stack = getStack(list);
  SmallVector<Type> types; // of the elements
  if (stack)
    types.push_back(getRowType(stack));
  else
    llvm::append_range(types, getList(list)->getTypes());
  if (types.empty())
    return makeStackedList(nn, rows);
  for (Type type : types)
    if (type != getRowType(rows)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      node.error() << "the elements of " << name << " must have the type of the tensors that are appended, "
                   << describe(getRowType(rows)) << ", but one is " << (tensor ? describe(tensor) : "no tensor");
      return {};
    }
  if (!stack)
    stack = stackRows(nn, llvm::to_vector_of<Value>(*getList(list)));
  return makeStackedList(nn, stack ? nn.concat({stack, rows}, 0) : Value());
}

} // namespace nacre::importer::onnx_format
