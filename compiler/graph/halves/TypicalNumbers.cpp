// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has five parts: 1. inputs and constants; 2. elementwise operators; 3. reductions; 4. contractions; 5. all
// operators.

#include "compiler/graph/halves/TypicalNumbers.h"

#include "compiler/graph/Matching.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/FloatFormats.h"
#include "dialects/nn/FunctionFacts.h"
#include "dialects/nn/evaluate/ScalarFunctions.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace nacre::graph {

namespace {

constexpr size_t kCount = std::tuple_size_v<Numbers>;
constexpr size_t kRow = kCount - 1; ///< Number of samples in the typical row of a reduction.

//===----------------------------------------------------------------------===//
// 1. Inputs and constants
//===----------------------------------------------------------------------===//

/// Returns the samples of an unknown value. Different seeds give different orders, so that differences are not zero by
/// chance. No sample is an exact f16 value, or so near to 1 that its logarithm is small.
Numbers getUnknown(unsigned seed) {
  constexpr std::array<double, kRow> magnitudes = {0.0041, 0.0153, 0.0317, 0.0621, 0.131, 0.271, 0.353, 0.513,
                                                   0.713,  1.09,   1.41,   2.07,   3.01,  5.03,  7.9};
  constexpr std::array<size_t, 8> steps = {1, 2, 4, 7, 8, 11, 13, 14}; // These have no common factor with 15.
  Numbers numbers{};
  const size_t step = steps[seed % steps.size()];
  for (size_t i = 0; i < kRow; ++i) {
    const size_t which = (i * step + seed) % kRow;
    const bool isNegative = ((seed * 2654435761u) >> (which + 3) & 1) != 0;
    numbers[1 + i] = isNegative ? -magnitudes[which] : magnitudes[which];
  }
  return numbers;
}

/// Returns the samples of a mask: every other sample is 1.
Numbers getMask() {
  Numbers numbers;
  for (size_t i = 0; i < kCount; ++i)
    numbers[i] = double(i % 2);
  return numbers;
}

/// Returns the samples of an unknown value of type `element`. Integers get the samples of a mask, because other
/// operators on integers keep f32 anyway.
Numbers getUnknown(Type element, unsigned seed) { return element.isIntOrIndex() ? getMask() : getUnknown(seed); }

Numbers scale(Numbers numbers, double factor) {
  for (double &number : numbers)
    number *= factor;
  return numbers;
}

/// Returns samples of a constant. Sample 0 is the largest element, so that it meets the zeros of other values. The
/// smallest nonzero element and evenly spaced elements follow.
Numbers getNumbers(nn::ConstantOp constant) {
  Numbers numbers{};
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(constant.getValue());
  if (failed(view) || view->getType().getNumElements() == 0)
    return numbers;
  const int64_t count = view->isSplat() ? 1 : view->getType().getNumElements();
  for (size_t i = 1; i < kCount; ++i)
    view->read(int64_t(i - 1) * count / int64_t(kRow), 1, 1, &numbers[i]);
  numbers[0] = numbers[1];
  constexpr int64_t chunk = 4096;
  double elements[chunk], least = std::numeric_limits<double>::infinity();
  for (int64_t begin = 0; begin < count; begin += chunk) {
    const int64_t size = std::min(chunk, count - begin);
    view->read(begin, 1, size, elements);
    for (double x : ArrayRef(elements, size)) {
      if (std::abs(x) > std::abs(numbers[0]))
        numbers[0] = x;
      if (x != 0 && std::abs(x) < std::abs(least))
        least = x;
    }
  }
  if (std::isfinite(least))
    numbers[1] = least;
  return numbers;
}

bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); }

//===----------------------------------------------------------------------===//
// 2. Elementwise
//===----------------------------------------------------------------------===//

template <typename Function> Numbers combine(const Numbers &a, const Numbers &b, Function function) {
  Numbers numbers;
  for (size_t i = 0; i < kCount; ++i)
    numbers[i] = function(a[i], b[i]);
  return numbers;
}

template <typename Function> Numbers apply(const Numbers &a, Function function) {
  return combine(a, a, [&](double x, double) { return function(x); });
}

std::optional<Numbers> computeUnary(nn::UnaryOp op, const Numbers &operand) {
  const nn::UnaryFacts &facts = nn::getFacts(op.getKind());
  if (!facts.ofFloat || !isFloat(op.getOperand()))
    return std::nullopt;
  const double alpha = op.getAlpha().convertToDouble();
  // Exponentials of usual values are beyond f16 from 11 on, so only operands that are never positive are small enough.
  constexpr double bounded = 1, beyond = 10;
  const bool grows = op.getKind() == nn::UnaryKind::Exp;
  return apply(operand, [&](double x) { return facts.ofFloat(grows && x > bounded ? x + beyond : x, alpha); });
}

/// True if `op` is 1 - x and x is an input. Only masks are inverted in this way.
bool invertsMask(nn::BinaryOp op) {
  if (op.getKind() != nn::BinaryKind::Sub || !isSplatOf(op.getLhs(), 1))
    return false;
  Value mask = op.getRhs();
  while (Operation *from = mask.getDefiningOp()) {
    if (!isMove(*from))
      return false;
    mask = from->getOperand(0);
  }
  return true;
}

std::optional<Numbers> computeBinary(nn::BinaryOp op, const Numbers &lhs, const Numbers &rhs) {
  if (!isFloat(op.getLhs()))
    return std::nullopt;
  if (invertsMask(op))
    return getMask();
  const bool compares = nn::getFacts(op.getKind()).is(nn::FunctionFacts::predicate);
  return combine(lhs, rhs, [&](double a, double b) {
    return compares ? double(nn::compare(op.getKind(), a, b)) : nn::apply(op.getKind(), a, b);
  });
}

Numbers computeSelect(ArrayRef<Numbers> operands) {
  Numbers chosen;
  for (size_t i = 0; i < kCount; ++i)
    chosen[i] = operands[0][i] != 0 ? operands[1][i] : operands[2][i];
  return chosen;
}

std::optional<Numbers> computeCast(nn::CastOp op, const Numbers &operand) {
  const Type type = elementTypeOf(op.getResult());
  if (isa<FloatType>(type))
    return operand;
  return apply(operand, [&](double x) { return type.isInteger(1) ? double(x != 0) : std::trunc(x); });
}

//===----------------------------------------------------------------------===//
// 3. Reductions
//===----------------------------------------------------------------------===//

/// Applies `function` to samples 1 to 15 as one row, and to sample 0 as a row of zeros.
template <typename Function> Numbers reduce(const Numbers &operand, Function function) {
  Numbers numbers;
  numbers.fill(function(ArrayRef(operand).drop_front()));
  numbers.front() = function(ArrayRef(operand).take_front());
  return numbers;
}

double computeMean(ArrayRef<double> row) {
  double sum = 0;
  for (double number : row)
    sum += number;
  return sum / double(row.size());
}

double computeProduct(ArrayRef<double> row, double count) {
  double product = 1;
  for (size_t i = 0; double(i) < std::min(count, double(kRow)); ++i)
    product *= row[i % row.size()];
  return product;
}

Numbers computeReduction(nn::ReduceKind kind, const Numbers &operand, double count) {
  return reduce(operand, [&](ArrayRef<double> row) {
    switch (kind) {
    case nn::ReduceKind::Sum:
      return computeMean(row) * count;
    case nn::ReduceKind::Mean:
      return computeMean(row);
    case nn::ReduceKind::Max:
      return *llvm::max_element(row);
    case nn::ReduceKind::Min:
      return *llvm::min_element(row);
    case nn::ReduceKind::Prod:
      break;
    }
    return computeProduct(row, count);
  });
}

Numbers computeReduce(nn::ReduceOp op, const Numbers &operand) {
  const double reduced = double(typeOf(op.getOperand()).getNumElements()) /
                         std::max<double>(1, double(typeOf(op.getResult()).getNumElements()));
  return computeReduction(op.getKind(), operand, reduced);
}

Numbers computeCumulate(nn::CumulateOp op, const Numbers &operand) {
  const nn::ReduceKind kind = op.getKind() == nn::CumulateKind::Sum ? nn::ReduceKind::Sum : nn::ReduceKind::Prod;
  return computeReduction(kind, operand, double(shapeOf(op.getOperand())[op.getAxis()]));
}

/// Computes a softmax. Weights below the limit are treated as 0, because they contribute nothing visible. The result of
/// a completely masked row is not known.
Numbers computeSoftmax(nn::SoftmaxOp op, const Numbers &operand) {
  constexpr double least = 0x1p-8;
  const double most = *llvm::max_element(operand);
  double sum = 0;
  for (double number : operand)
    sum += std::exp(number - most);
  return apply(operand, [&](double x) {
    if (x < kMasked)
      return op.getLog() ? kMasked : least;
    return op.getLog() ? x - most - std::log(sum) : std::max(std::exp(x - most) / sum, least);
  });
}

Numbers computeNormalize(nn::NormalizeOp op, const Numbers &operand) {
  const Numbers mean = computeReduction(nn::ReduceKind::Mean, operand, 1);
  const Numbers distance = combine(operand, mean, [](double x, double m) { return x - m; });
  const Numbers squares = apply(distance, [](double x) { return x * x; });
  const Numbers variance = computeReduction(nn::ReduceKind::Mean, squares, 1);
  const double epsilon = op.getEpsilon().convertToDouble();
  return combine(distance, variance, [&](double x, double v) { return x == 0 ? 0 : x / std::sqrt(v + epsilon); });
}

//===----------------------------------------------------------------------===//
// 4. Contractions
//===----------------------------------------------------------------------===//

/// True if no two samples have different signs.
bool haveOneSign(const Numbers &numbers) {
  return llvm::all_of(numbers, [](double x) { return x >= 0; }) ||
         llvm::all_of(numbers, [](double x) { return x <= 0; });
}

/// Scales samples as in a sum of n products. Such a sum is sqrt(n) times as large as a product if the signs differ, and
/// n times as large otherwise. Training keeps activations around 1, so only constants of unusual sizes change the
/// scale.
Numbers computeContraction(Operation &op, ArrayRef<Numbers> operands, const Numbers &unknown) {
  constexpr double most = 64;
  const auto count = double(countProducts(op));
  const bool addsUp = haveOneSign(operands[0]) && haveOneSign(operands[1]);
  const double ratio = computeRootMeanSquare(operands[0]) * computeRootMeanSquare(operands[1]) *
                       (addsUp ? count : std::sqrt(count)) / computeRootMeanSquare(unknown);
  const bool isUsual = ratio == 0 || (ratio >= 1 / most && ratio <= most);
  return isUsual ? unknown : scale(unknown, ratio);
}

/// Takes samples from the operands alternately, because parts of a result come from different operands.
Numbers takeTurns(Operation &op, ArrayRef<Numbers> operands) {
  SmallVector<Numbers> parts;
  for (auto [value, numbers] : llvm::zip_equal(op.getOperands(), operands))
    if (getElementTypeOrSelf(value.getType()) == getElementTypeOrSelf(op.getResult(0).getType()))
      parts.push_back(numbers);
  if (parts.empty())
    return operands.front();
  Numbers result;
  for (size_t i = 0; i < kCount; ++i)
    result[i] = parts[i % parts.size()][i];
  return result;
}

Numbers computePad(nn::PadOp op, Numbers numbers) {
  if (auto value = dyn_cast<FloatAttr>(op.getValue()); value && op.getMode() == nn::PadMode::Constant)
    numbers[1] = value.getValueAsDouble();
  return numbers;
}

} // namespace

double computeRootMeanSquare(const Numbers &numbers) {
  double sum = 0;
  for (double number : numbers)
    sum += std::isfinite(number) ? number * number : 0;
  return std::sqrt(sum / kCount);
}

Numbers roundToHalves(const Numbers &numbers, bool isConstant, const HalfFormat &half) {
  return apply(numbers, [&](double x) { return half.round(x, /*saturates=*/isConstant && std::isfinite(x)); });
}

bool isMove(Operation &op) {
  return isa<nn::ReshapeOp, nn::BroadcastOp, nn::TransposeOp, nn::ConcatOp, nn::InterleaveOp, nn::SliceOp, nn::PadOp,
             nn::GatherOp, nn::GatherNdOp, nn::GatherElementsOp>(op);
}

int64_t countProducts(Operation &op) {
  auto known = dyn_cast<nn::OperatorInterface>(op);
  if (!known || known.getWorkKind() != nn::WorkKind::Contraction)
    return 0;
  if (auto product = dyn_cast<nn::MatMulOp>(op))
    return shapeOf(product.getLhs()).back();
  const ArrayRef<int64_t> filter = shapeOf(op.getOperand(1));
  int64_t count = 1;
  for (int64_t size : filter.drop_back())
    count *= size;
  return count;
}

//===----------------------------------------------------------------------===//
// 5. All operators
//===----------------------------------------------------------------------===//

std::optional<Numbers> computeNumbers(Operation &op, ArrayRef<Numbers> operands) {
  return llvm::TypeSwitch<Operation *, std::optional<Numbers>>(&op)
      .Case([&](nn::UnaryOp unary) { return computeUnary(unary, operands[0]); })
      .Case([&](nn::BinaryOp binary) { return computeBinary(binary, operands[0], operands[1]); })
      .Case([&](nn::SelectOp) { return computeSelect(operands); })
      .Case([&](nn::CastOp cast) { return computeCast(cast, operands[0]); })
      .Case([&](nn::ReduceOp reduction) { return computeReduce(reduction, operands[0]); })
      .Case([&](nn::CumulateOp sums) { return computeCumulate(sums, operands[0]); })
      .Case([&](nn::SoftmaxOp softmax) { return computeSoftmax(softmax, operands[0]); })
      .Case([&](nn::AttentionOp) { return operands[2]; }) // a mean of values
      .Case([&](nn::NormalizeOp normalize) { return computeNormalize(normalize, operands[0]); })
      .Case([&](nn::PadOp pad) { return computePad(pad, operands[0]); })
      .Case<nn::ConcatOp, nn::InterleaveOp, nn::ScatterNdOp, nn::ScatterElementsOp>(
          [&](Operation *join) { return takeTurns(*join, operands); })
      .Case<nn::ReshapeOp, nn::BroadcastOp, nn::TransposeOp, nn::SliceOp, nn::GatherOp, nn::GatherNdOp,
            nn::GatherElementsOp, nn::PoolOp, nn::ResampleOp, nn::SampleOp, nn::TopKOp>(
          [&](auto) { return operands[0]; })
      .Default([](Operation *) { return std::nullopt; });
}

void TypicalNumbers::add(Operation &op) {
  for (OpResult result : op.getResults()) {
    const Numbers unknown = getUnknown(getElementTypeOrSelf(result.getType()), unsigned(numbers.size()));
    std::optional<Numbers> computed;
    if (auto constant = dyn_cast<nn::ConstantOp>(op))
      computed = getNumbers(constant);
    else if (countProducts(op) > 0)
      computed = computeContraction(op, getOperands(op), unknown);
    else if (op.getNumRegions() == 0 && result.getResultNumber() == 0)
      computed = computeNumbers(op, getOperands(op));
    numbers[result] = computed.value_or(unknown);
  }
}

Numbers TypicalNumbers::get(Value value) const {
  auto found = numbers.find(value);
  if (found != numbers.end())
    return found->second;
  auto argument = dyn_cast<BlockArgument>(value);
  return getUnknown(getElementTypeOrSelf(value.getType()), argument ? argument.getArgNumber() : 0);
}

SmallVector<Numbers> TypicalNumbers::getOperands(Operation &op) const {
  return llvm::map_to_vector(op.getOperands(), [this](Value operand) { return get(operand); });
}

} // namespace nacre::graph
