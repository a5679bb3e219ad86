// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See NumberedBlock.h.

#include "compiler/graph/control/NumberedBlock.h"

#include "compiler/graph/Matching.h"
#include "dialects/TensorTypes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace nacre::graph {

bool isAnchor(Operation &op) {
  auto product = dyn_cast<nn::MatMulOp>(op);
  return product && typeOf(product.getRhs()).getRank() == 2;
}

std::optional<int64_t> getRowAxis(nn::SliceOp slice) {
  std::optional<int64_t> rowAxis;
  for (auto [axis, size, whole] : llvm::enumerate(slice.getSizes(), typeOf(slice.getOperand()).getShape())) {
    if (size == whole)
      continue;
    if (size != 1 || rowAxis)
      return std::nullopt;
    rowAxis = axis;
  }
  if (rowAxis && llvm::any_of(llvm::seq<size_t>(slice.getStarts().size()),
                              [&](size_t axis) { return int64_t(axis) != *rowAxis && slice.getSteps()[axis] != 1; }))
    return std::nullopt;
  return rowAxis;
}

NumberedBlock::NumberedBlock(Block &block) {
  for (Operation &op : block)
    if (!isa<nn::ConstantOp>(op))
      add(op);
}

unsigned NumberedBlock::numberOf(Value value) {
  auto [found, isNew] = numbers.try_emplace(value, values.size());
  if (isNew) {
    values.push_back(value);
    OperatorLine::Value entry;
    entry.type = intern(types, value.getType());
    entry.isConstant = bool(getConstant(value));
    line.values.push_back(entry);
  }
  return found->second;
}

void NumberedBlock::add(Operation &op) {
  OperatorLine::Operator entry;
  op.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      entry.operands.push_back(numberOf(operand));
  });
  if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) && !op.hasTrait<OpTrait::IsTerminator>()) {
    Type results = FunctionType::get(op.getContext(), {}, op.getResultTypes());
    entry.kind = intern(kinds, {op.getName().getAsOpaquePointer(),
                                {op.getAttrDictionary().getAsOpaquePointer(), results.getAsOpaquePointer()}});
    if (auto binary = dyn_cast<nn::BinaryOp>(op);
        binary && typeOf(binary.getLhs()).getElementType() == binary.getType().getElementType())
      entry.broadcastTo = intern<Type>(types, binary.getType());
    entry.isAnchor = isAnchor(op);
    if (auto slice = dyn_cast<nn::SliceOp>(op))
      if (std::optional<int64_t> axis = getRowAxis(slice)) {
        entry.rowsOf = intern(tensors, {entry.operands.front(), unsigned(*axis)});
        entry.row = slice.getStarts()[*axis];
      }
  }
  for (OpResult result : op.getResults()) {
    unsigned number = numberOf(result);
    line.values[number].maker = operators.size();
    line.values[number].result = result.getResultNumber();
    entry.results.push_back(number);
  }
  line.operators.push_back(std::move(entry));
  operators.push_back(&op);
}

} // namespace nacre::graph
