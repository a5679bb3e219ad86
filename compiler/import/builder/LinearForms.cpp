// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LinearForms.h. The parts of this file are:
// 1. Sums of forms, which fail on overflow.
// 2. Operators: finds the elements whose sum is an element of the result.

#include "compiler/import/builder/LinearForms.h"

#include "compiler/import/builder/NnBuilder.h"
#include "dialects/nn/ConstantData.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer {

using Term = LinearForm::Term;

//===----------------------------------------------------------------------===//
// 1. Sums
//===----------------------------------------------------------------------===//

/// True if both values are the same in every run. A model may compute a position or a mask twice, by equal nodes.
/// Compares `operations` at most, and takes these from that number.
static bool isSame(Value a, Value b, unsigned &operations) {
  if (a == b)
    return true;
  auto left = dyn_cast<OpResult>(a), right = dyn_cast<OpResult>(b);
  if (!left || !right || left.getResultNumber() != right.getResultNumber() || left.getOwner()->getNumRegions() != 0 ||
      operations == 0)
    return false;
  --operations;
  return OperationEquivalence::isEquivalentTo(
      left.getOwner(), right.getOwner(),
      [&](Value ofLeft, Value ofRight) { return success(isSame(ofLeft, ofRight, operations)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

static bool isSame(Value a, Value b) {
  unsigned mostOperations = 32;
  return isSame(a, b, mostOperations);
}

static std::optional<LinearForm> addMultiple(LinearForm sum, const LinearForm &other, int64_t factor) {
  int64_t product;
  if (llvm::MulOverflow(other.constant, factor, product) || llvm::AddOverflow(sum.constant, product, sum.constant))
    return std::nullopt;
  for (const Term &term : other.terms) {
    if (llvm::MulOverflow(term.factor, factor, product))
      return std::nullopt;
    // Most equal elements are the same value, which is much cheaper to see.
    Term *same =
        llvm::find_if(sum.terms, [&](const Term &own) { return own.index == term.index && own.tensor == term.tensor; });
    if (same == sum.terms.end())
      same = llvm::find_if(sum.terms,
                           [&](const Term &own) { return own.index == term.index && isSame(own.tensor, term.tensor); });
    if (same == sum.terms.end())
      sum.terms.push_back({term.tensor, term.index, product});
    else if (llvm::AddOverflow(same->factor, product, same->factor))
      return std::nullopt;
  }
  llvm::erase_if(sum.terms, [](const Term &term) { return term.factor == 0; });
  return sum;
}

std::optional<int64_t> differenceOf(const LinearForm &high, const LinearForm &low) {
  std::optional<LinearForm> difference = addMultiple(high, low, -1);
  return difference && difference->terms.empty() ? std::optional(difference->constant) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// 2. Operators
//===----------------------------------------------------------------------===//

namespace {

/// Returns the element that `op` moves to `index`, or `nullopt` if the operator does not only move elements.
std::optional<Element> findMoved(Operation *op, int64_t index) {
  if (auto reshape = dyn_cast<nn::ReshapeOp>(op))
    return Element{reshape.getOperand(), index};
  if (auto broadcast = dyn_cast<nn::BroadcastOp>(op);
      broadcast && getType(broadcast.getOperand()).getNumElements() == 1)
    return Element{broadcast.getOperand(), 0};
  if (auto slice = dyn_cast<nn::SliceOp>(op); slice && getRank(slice.getOperand()) == 1)
    return Element{slice.getOperand(), slice.getStarts()[0] + index * slice.getSteps()[0]};
  if (auto concat = dyn_cast<nn::ConcatOp>(op); concat && getRank(concat.getResult()) == 1)
    for (Value part : concat.getOperands()) {
      if (index < getShape(part)[0])
        return Element{part, index};
      index -= getShape(part)[0];
    }
  // A wider type does not change values, and 32 bits are enough for every position on an axis.
  if (auto cast = dyn_cast<nn::CastOp>(op)) {
    auto from = dyn_cast<IntegerType>(getElementType(cast.getOperand())),
         to = dyn_cast<IntegerType>(getElementType(cast.getResult()));
    if (from && to && from.getWidth() > 1 && to.getWidth() >= std::min(from.getWidth(), 32u) &&
        from.isUnsigned() == to.isUnsigned())
      return Element{cast.getOperand(), index};
  }
  if (auto gather = dyn_cast<nn::GatherOp>(op); gather && getRank(gather.getOperand()) == 1) {
    ElementsAttr known = getConstant(gather.getIndices());
    FailureOr<nn::ConstantView> view = known ? nn::ConstantView::get(known) : FailureOr<nn::ConstantView>(failure());
    if (failed(view))
      return std::nullopt;
    int64_t position, size = getShape(gather.getOperand())[0];
    view->read(index, 1, 1, &position);
    position = position < 0 ? position + size : position;
    return Element{gather.getOperand(), std::clamp<int64_t>(position, 0, size - 1)};
  }
  return std::nullopt;
}

std::optional<int64_t> readConstant(Value tensor, int64_t index) {
  ElementsAttr known = getConstant(tensor);
  FailureOr<nn::ConstantView> view = known ? nn::ConstantView::get(known) : FailureOr<nn::ConstantView>(failure());
  if (failed(view) || !isa<IntegerType>(known.getElementType()))
    return std::nullopt;
  int64_t number;
  view->read(index, 1, 1, &number);
  return number;
}

/// Returns the element of the operand from which element `index` of an elementwise result is computed. Returns
/// `nullopt` if the operand is broadcast along some, but not all, axes.
std::optional<Element> operandElement(Value operand, Value result, int64_t index) {
  if (getType(operand).getNumElements() == 1)
    return Element{operand, 0};
  return getShape(operand) == getShape(result) ? std::optional(Element{operand, index}) : std::nullopt;
}

/// Takes the steps that it visits from `steps`. An element that is not visited is a term.
LinearForm form(Value tensor, int64_t index, unsigned &steps);

std::optional<LinearForm> formOfBinary(nn::BinaryOp op, int64_t index, unsigned &steps) {
  std::optional<Element> left = operandElement(op.getLhs(), op.getResult(), index),
                         right = operandElement(op.getRhs(), op.getResult(), index);
  const nn::BinaryKind kind = op.getKind();
  const bool isSum = kind == nn::BinaryKind::Add || kind == nn::BinaryKind::Sub;
  if (!left || !right || (!isSum && kind != nn::BinaryKind::Mul))
    return std::nullopt;
  LinearForm a = form(left->tensor, left->index, steps), b = form(right->tensor, right->index, steps);
  if (isSum)
    return addMultiple(a, b, kind == nn::BinaryKind::Add ? 1 : -1);
  if (!b.terms.empty())
    std::swap(a, b);
  return b.terms.empty() ? addMultiple({}, a, b.constant) : std::nullopt;
}

LinearForm form(Value tensor, int64_t index, unsigned &steps) {
  LinearForm itself{0, {{tensor, index, 1}}};
  if (std::optional<int64_t> number = readConstant(tensor, index))
    return {*number, {}};
  Operation *op = tensor.getDefiningOp();
  if (!op || steps == 0)
    return itself;
  --steps;
  if (std::optional<Element> moved = findMoved(op, index))
    return form(moved->tensor, moved->index, steps);
  if (auto binary = dyn_cast<nn::BinaryOp>(op))
    return formOfBinary(binary, index, steps).value_or(itself);
  return itself;
}

} // namespace

std::optional<Element> findSource(const Element &element) {
  Operation *op = element.tensor.getDefiningOp();
  return op ? findMoved(op, element.index) : std::nullopt;
}

LinearForm formOf(Value tensor, int64_t index) {
  // A detector adds up the counts of 90 classes. Each step may visit two operands, so their number is limited.
  unsigned mostSteps = 1024;
  return form(tensor, index, mostSteps);
}

} // namespace nacre::importer
