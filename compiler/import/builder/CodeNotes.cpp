// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CodeNotes.h. The parts of this file are:
// 1. Values of constants.
// 2. Inputs from which codes were moved.
// 3. Results to which noted codes were moved.

#include "compiler/import/builder/CodeNotes.h"

#include "dialects/nn/ConstantData.h"
#include "dialects/nn/codes/MovedElements.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace nacre::importer {
namespace {

/// Largest number of operators between an operator on codes and an input or output. There is seldom more than a
/// transpose and a reshape.
constexpr unsigned longestChain = 16;
/// Limit of the number of values that the search visits, for nested concatenations.
constexpr unsigned mostOrigins = 64;

//===----------------------------------------------------------------------===//
// 1. Numbers
//===----------------------------------------------------------------------===//

/// Returns the elements of a constant with one element or one axis. Fails for other values.
FailureOr<SmallVector<double>> readNumbers(Value value) {
  ElementsAttr constant = getConstant(value);
  if (!constant || constant.getNumElements() == 0 || (constant.getNumElements() > 1 && getRank(value) != 1))
    return failure();
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant);
  if (failed(view))
    return failure();
  SmallVector<double> numbers(constant.getNumElements());
  view->read(0, 1, constant.getNumElements(), numbers.data());
  return numbers;
}

/// Returns the note of codes. Returns null for scales of blocks, and for values that the description of a model cannot
/// represent.
DictionaryAttr readNote(Value codes, Value scale, Value zero, Granularity granularity) {
  const auto type = dyn_cast<IntegerType>(getElementType(codes));
  if (!type || type.getWidth() == 1 || granularity.block)
    return {};
  FailureOr<SmallVector<double>> scales = readNumbers(scale), zeros = SmallVector<double>{0};
  if (zero)
    zeros = readNumbers(zero);
  if (failed(scales) || failed(zeros))
    return {};
  const size_t count = std::max(scales->size(), zeros->size());
  const int64_t axis = count > 1 ? granularity.axis : 0;
  if (count > 1 && (axis < 0 || axis >= getRank(codes) || int64_t(count) != getShape(codes)[axis]))
    return {};
  nn::Quantization quantization;
  quantization.axis = axis;
  for (size_t index = 0; index < count; ++index) {
    const auto real = static_cast<float>((*scales)[scales->size() > 1 ? index : 0]);
    const double code = (*zeros)[zeros->size() > 1 ? index : 0];
    if (!std::isfinite(real) || !(std::fabs(code) <= std::numeric_limits<int32_t>::max()))
      return {};
    quantization.scales.push_back(real);
    quantization.zeros.push_back(static_cast<int32_t>(code));
  }
  return nn::writeQuantization(quantization, codes.getContext());
}

/// Returns the note with its axis mapped by `move`. Returns null if that axis no longer exists.
template <typename Move> DictionaryAttr moveNote(DictionaryAttr note, Move move) {
  nn::Quantization quantization = nn::readQuantization(note);
  if (!quantization.isPerAxis())
    return note;
  std::optional<int64_t> axis = move(quantization.axis);
  if (!axis)
    return {};
  quantization.axis = *axis;
  return nn::writeQuantization(quantization, note.getContext());
}

//===----------------------------------------------------------------------===//
// 2. Inputs
//===----------------------------------------------------------------------===//

func::FuncOp functionOf(BlockArgument argument) {
  return dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp());
}

/// Notes codes on an argument. If operators disagree, sets a unit attribute instead, which means that the note is
/// ambiguous.
void noteArgument(BlockArgument argument, DictionaryAttr note) {
  func::FuncOp function = functionOf(argument);
  if (!function)
    return;
  const Attribute known = function.getArgAttr(argument.getArgNumber(), nn::quantizationAttr);
  if (known == note)
    return;
  function.setArgAttr(argument.getArgNumber(), nn::quantizationAttr,
                      known ? Attribute(UnitAttr::get(note.getContext())) : note);
}

/// Notes codes on the arguments of functions from which the elements of a value were moved. The note refers to axes of
/// the argument.
class Origins {
public:
  void note(Value value, DictionaryAttr note, unsigned depth = longestChain) {
    if (!note || number++ == mostOrigins)
      return;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return noteArgument(argument, note);
    Operation *op = value.getDefiningOp();
    if (depth == 0)
      return;
    for (Value operand : nn::movedOperands(op))
      this->note(operand, moveNote(note, [&](int64_t axis) { return nn::axisOfOperand(op, axis); }), depth - 1);
  }

private:
  unsigned number = 0;
};

//===----------------------------------------------------------------------===//
// 3. Results
//===----------------------------------------------------------------------===//

DictionaryAttr findNote(Value value, unsigned depth, unsigned &left) {
  if (left == 0 || depth == 0)
    return {};
  --left;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    func::FuncOp function = functionOf(argument);
    return function ? function.getArgAttrOfType<DictionaryAttr>(argument.getArgNumber(), nn::quantizationAttr)
                    : DictionaryAttr();
  }
  Operation *op = value.getDefiningOp();
  if (auto note = op->getAttrOfType<DictionaryAttr>(nn::quantizationAttr))
    return note;
  DictionaryAttr first;
  for (Value operand : nn::movedOperands(op)) {
    DictionaryAttr note = findNote(operand, depth - 1, left);
    if (!note || (first && first != note))
      return {};
    first = note;
  }
  return first ? moveNote(first, [&](int64_t axis) { return nn::axisOfResult(op, axis); }) : first;
}

} // namespace

void noteReadCodes(Value codes, Value scale, Value zero, Granularity granularity) {
  // Most codes that operators read are weights, which are not inputs.
  if (codes && scale && !getConstant(codes))
    Origins().note(codes, readNote(codes, scale, zero, granularity));
}

void noteMadeCodes(Value codes, Value scale, Value zero, Granularity granularity) {
  Operation *op = codes ? codes.getDefiningOp() : nullptr;
  if (!op || !scale || getConstant(codes))
    return;
  if (DictionaryAttr note = readNote(codes, scale, zero, granularity))
    op->setAttr(nn::quantizationAttr, note);
}

DictionaryAttr findCodeNote(Value value) {
  unsigned left = mostOrigins;
  return findNote(value, longestChain, left);
}

} // namespace nacre::importer
