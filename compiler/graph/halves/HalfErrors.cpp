// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has four parts: 1. errors of single values in f16; 2. operators, and the operators whose results they need
// in f32; 3. contractions; 4. neighbours of the operators found.

#include "compiler/graph/halves/HalfErrors.h"

#include "compiler/graph/halves/Masks.h"
#include "dialects/NumberText.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/plan/HalfSums.h"

#include "mlir/IR/TypeUtilities.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace nacre::graph {

namespace {

/// Limits of numbers that a 16-bit format keeps well enough.
struct Limits {
  explicit Limits(const HalfFormat &half)
      : most(half.most() / kRoom), least(half.leastNormal() / 8), tolerance(10.24 * half.step()) {}

  /// Factor by which a model's values may exceed typical samples, which are at most 8.
  static constexpr double kRoom = 16;
  double most;
  /// Limit above which the rounding steps of f16 are at most 1/128 of a value. bf16 then has one bit of digits.
  double least;
  double tolerance; ///< Largest relative error of an acceptable result: 0.01 for f16.
};

bool isWide(Type type) { return getElementTypeOrSelf(type).isF32(); }
bool isConstant(Value value) { return value.getDefiningOp<nn::ConstantOp>() != nullptr; }

//===----------------------------------------------------------------------===//
// 1. Numbers
//===----------------------------------------------------------------------===//

/// True if `half` differs too much from `exact`. The error is compared with `size`, which is at least |exact|. If
/// `isStored`, the rounded value must not be too large. It must not be too small either, unless `mayBeSmall`.
bool differs(const Limits &limits, double exact, double half, double size, bool isStored, bool mayBeSmall) {
  if (!std::isfinite(exact))
    return std::isnan(exact) ? !std::isnan(half) : half != exact;
  if (isStored && (std::abs(exact) > limits.most || (!mayBeSmall && size != 0 && size < limits.least)))
    return true;
  return !(std::abs(half - exact) <= limits.tolerance * size);
}

/// Returns the size with which errors of sums are compared. Two values may be close by chance, such as a residual and
/// its addend. But if all pairs are close, f16 loses their difference.
double getSizeOfDifferences(Operation &op, ArrayRef<Numbers> operands, const Numbers &result) {
  constexpr double ofSums = 0x1p-2;
  auto softmax = dyn_cast<nn::SoftmaxOp>(op);
  if (isa<nn::NormalizeOp>(op) || (softmax && softmax.getLog()))
    return ofSums * computeRootMeanSquare(result);
  if (isa<nn::ReduceOp, nn::CumulateOp>(op)) {
    const double elements = double(typeOf(op.getOperand(0)).getNumElements());
    const double sums = std::max<double>(1, double(typeOf(op.getResult(0)).getNumElements()));
    auto reduce = dyn_cast<nn::ReduceOp>(op);
    const bool isMean = reduce && reduce.getKind() == nn::ReduceKind::Mean;
    return ofSums * computeRootMeanSquare(operands[0]) * (isMean ? 1 : std::max(1.0, elements / sums));
  }
  auto binary = dyn_cast<nn::BinaryOp>(op);
  const bool adds = binary && llvm::is_contained({nn::BinaryKind::Add, nn::BinaryKind::Sub}, binary.getKind());
  return adds ? ofSums * computeRootMeanSquare(result) : 0;
}

/// True if `op` subtracts a mean, or another value, from operands that are larger than the differences.
bool subtractsAlike(Operation &op, ArrayRef<Numbers> operands, const Numbers &result) {
  constexpr double most = 2.5;
  auto binary = dyn_cast<nn::BinaryOp>(op);
  if (binary && binary.getKind() == nn::BinaryKind::Sub && !isConstant(binary.getLhs()) && !isConstant(binary.getRhs()))
    return computeRootMeanSquare(operands[0]) > most * computeRootMeanSquare(result);
  if (!isa<nn::NormalizeOp>(op))
    return false;
  Numbers distances = operands[0];
  double sum = 0;
  for (double x : ArrayRef(distances).drop_front())
    sum += x;
  for (double &x : distances)
    x -= sum / double(distances.size() - 1);
  return computeRootMeanSquare(operands[0]) > most * computeRootMeanSquare(distances);
}

/// Returns how many times larger the numbers are than their distances from the mean. 1 if all are equal.
double getOffset(const Numbers &numbers) {
  const ArrayRef<double> row = ArrayRef(numbers).drop_front();
  double sum = 0, squares = 0;
  for (double x : row) {
    sum += x;
    squares += x * x;
  }
  const double mean = sum / double(row.size()), variance = squares / double(row.size()) - mean * mean;
  return variance > 0x1p-40 * squares ? std::sqrt(squares / double(row.size()) / variance) : 1;
}

} // namespace

bool fitHalves(const Numbers &numbers, const HalfFormat &half) {
  constexpr double fewestSteps = 16;
  const double least = 32 * half.leastNormal();
  double low = 0, high = 0;
  bool isFirst = true;
  for (double number : numbers) {
    if (!std::isfinite(number))
      continue;
    low = isFirst ? number : std::min(low, number);
    high = isFirst ? number : std::max(high, number);
    isFirst = false;
  }
  const double most = std::max(std::abs(low), std::abs(high));
  const double step = most * half.step();
  return most == 0 ||
         (most >= least && most <= 2 * Limits(half).most && (low == high || high - low >= fewestSteps * step));
}

namespace {

class ErrorFinder {
public:
  ErrorFinder(func::FuncOp function, const HalfFormat &half, bool addsHalves, TypicalNumbers &numbers)
      : numbers(numbers), half(half), limits(half), addsHalves(addsHalves) {
    // A block must come before the blocks inside of it.
    function->walk<WalkOrder::PreOrder>([&](Block *block) { blocks.push_back(block); });
  }

  HalfErrors find() {
    for (Block *block : blocks)
      for (Operation &op : *block) {
        numbers.add(op);
        if (countProducts(op) > 0)
          checkContraction(op, op.getOperands(), addsHalves);
        else if (auto attention = dyn_cast<nn::AttentionOp>(op))
          // Scores are f32 in the kernel, so only operands and the result must fit. Masks are clamped.
          checkContraction(op, {attention.getQueries(), attention.getKeys(), attention.getValues()},
                           /*addsHalves=*/false);
        else if (mayBeWide(op))
          checkOperator(op);
      }
    addMakers();
    addReaders();
    return std::move(errors);
  }

private:
  //===--- 2. Operators -------------------------------------------------------------------------------------------===//

  static bool mayBeWide(Operation &op) {
    auto known = dyn_cast<nn::OperatorInterface>(op);
    if (!known || op.getNumRegions() > 0 || op.getNumOperands() == 0 || known.getWidth() == nn::Width::Full ||
        llvm::is_contained({nn::WorkKind::Contraction, nn::WorkKind::Attention}, known.getWorkKind()))
      return false;
    return llvm::any_of(op.getOperandTypes(), isWide) || llvm::any_of(op.getResultTypes(), isWide);
  }

  /// Returns the samples of the operands of `op` after rounding. If `only` is given, only this operand is rounded.
  SmallVector<Numbers> roundOperands(Operation &op, std::optional<unsigned> only = std::nullopt) {
    SmallVector<Numbers> operands = numbers.getOperands(op);
    for (auto [index, value] : llvm::enumerate(op.getOperands()))
      if (isWide(value.getType()) && (!only || *only == index))
        operands[index] = roundToHalves(operands[index], isConstant(value), half);
    return operands;
  }

  /// True if rounding changes values that `op` moves. A few elements of a table or of weights may become 0.
  bool changesMoved(Operation &op) {
    return llvm::any_of(op.getOperands(), [this](Value value) {
      if (!isWide(value.getType()))
        return false;
      if (isConstant(value))
        return !fitsAsWeight(readWeights(value));
      return llvm::any_of(numbers.get(value), [this](double x) {
        return differs(limits, x, half.round(x, /*saturates=*/false), std::abs(x), /*isStored=*/true,
                       /*mayBeSmall=*/true);
      });
    });
  }

  /// True if sample `i` of an operand is not much larger than `size`, as for values that a rectifier passes.
  static bool readsSmaller(Operation &op, ArrayRef<Numbers> operands, size_t i, double size) {
    return llvm::any_of(llvm::zip_equal(op.getOperands(), operands), [&](auto pair) {
      auto [value, operand] = pair;
      return !isConstant(value) && operand[i] != 0 && std::abs(operand[i]) <= 2 * size;
    });
  }

  /// True if `op` computes a different result from `rounded` than from its exact operands. If `isStored`, the result is
  /// rounded, too.
  bool changes(Operation &op, ArrayRef<Numbers> rounded, bool isStored) const {
    const SmallVector<Numbers> operands = numbers.getOperands(op);
    const std::optional<Numbers> exact = computeNumbers(op, operands);
    std::optional<Numbers> halves = computeNumbers(op, rounded);
    if (!exact || !halves)
      return llvm::any_of(llvm::zip_equal(op.getOperands(), operands), [this](auto pair) {
        auto [value, number] = pair;
        return isWide(value.getType()) && !isConstant(value) && !fitHalves(number, half);
      });
    if (subtractsAlike(op, operands, *exact))
      return true;
    if (isStored)
      halves = roundToHalves(*halves, /*isConstant=*/false, half);
    const double sizeOfDifferences = getSizeOfDifferences(op, operands, *exact);
    const bool masks = masksSoftmax(op);
    for (size_t i = 0; i < exact->size(); ++i) {
      const double x = (*exact)[i], inHalves = (*halves)[i];
      if (masks && x < kMasked && inHalves < kMasked)
        continue;
      // If a term is zero, the sum is the other term (such as an epsilon), which must be accurate.
      const bool isSum = llvm::all_of(operands, [i](const Numbers &operand) { return operand[i] != 0; });
      const double size = std::max(std::abs(x), isSum ? sizeOfDifferences : 0);
      if (differs(limits, x, inHalves, size, isStored, /*mayBeSmall=*/readsSmaller(op, operands, i, size)))
        return true;
    }
    return false;
  }

  /// True if values of a real model may become infinite before `op` reads them.
  bool readsLarge(Operation &op) {
    const bool masks = isa<nn::SoftmaxOp>(op) || masksSoftmax(op);
    return llvm::any_of(op.getOperands(), [&](Value value) {
      return isWide(value.getType()) && !isConstant(value) && llvm::any_of(numbers.get(value), [&](double x) {
               return std::isfinite(x) && (masks ? x : std::abs(x)) > limits.most;
             });
    });
  }

  void checkOperator(Operation &op) {
    const bool isStored = isWide(op.getResult(0).getType());
    const bool onlyMoves = isMove(op) && !isa<nn::PadOp>(op);
    // A probability that is rounded to 0 has an infinite logarithm.
    auto unary = dyn_cast<nn::UnaryOp>(op);
    const bool isLogarithm = unary && unary.getKind() == nn::UnaryKind::Log;
    if (!isLogarithm && !readsLarge(op) && !(onlyMoves ? changesMoved(op) : changes(op, roundOperands(op), isStored)))
      return;
    errors.wide.insert(&op);
    for (auto [index, value] : llvm::enumerate(op.getOperands()))
      if (isWide(value.getType()) && !isConstant(value) &&
          (isLogarithm || changes(op, roundOperands(op, index), /*isStored=*/false)))
        addMaker(value);
  }

  /// Adds the operator that computes `value`. If it only moves values, also adds the operator that computes them.
  void addMaker(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !mayBeWide(*op) || !isWide(value.getType()))
      return;
    errors.wide.insert(op);
    if (isMove(*op))
      for (Value operand : op->getOperands())
        addMaker(operand);
  }

  //===--- 3. Contractions ----------------------------------------------------------------------------------------===//

  /// Checks `factors`, which are operands of a contraction, and its result. Weights that are not constant are
  /// treated like activations. If `addsHalves`, a CPU may add up the products in fp16 for some steps.
  void checkContraction(Operation &op, ValueRange factors, bool addsHalves) {
    if (!isWide(op.getResult(0).getType()))
      return;
    // Operands are rounded to a step that is relative to their mean. If weights cancel the mean, the result has this
    // error. Steps in fp16 round sums of such operands, too, so their limit is lower.
    const double mostOffset = addsHalves ? 4 : 0x1p-5 / half.step();
    for (Value operand : factors) {
      const double size = computeRootMeanSquare(numbers.get(operand));
      if (!isConstant(operand)) {
        if (!fitHalves(numbers.get(operand), half))
          return addUnfit(op, "operands", size);
        if (getOffset(numbers.get(operand)) > mostOffset)
          return addProduct(
              op, half.word().str() + " loses the differences between its operands of about " + describeNumber(size, 2),
              "subtract their mean");
        continue;
      }
      const Weights weights = readWeights(operand);
      if (!fitsAsWeight(weights))
        return addUnfit(op, "weights", weights.rootMeanSquare);
      if (addsHalves && !plan::fitsHalfSums(weights.rootMeanSquare))
        return addProduct(op, "sums in fp16 cannot hold products of its weights of about " +
                                  describeNumber(weights.rootMeanSquare, 2));
      if (operand != op.getOperand(0))
        checkChannels(op, weights);
    }
    const Numbers result = numbers.get(op.getResult(0));
    if (!fitHalves(result, half))
      addUnfit(op, "results", computeRootMeanSquare(result));
  }

  void addUnfit(Operation &op, StringRef part, double size) {
    addProduct(op, (half.word() + " cannot hold its " + part + " of about " + describeNumber(size, 2)).str());
  }

  void addProduct(Operation &op, std::string reason, StringRef remedy = "scale them to about 1") {
    errors.wide.insert(&op);
    errors.products.push_back({&op, std::move(reason), remedy});
  }

  struct Weights {
    double largest = 0, rootMeanSquare = 0;
    SmallVector<double> largestOfChannels;
  };

  static Weights readWeights(Value weight) {
    Weights weights;
    FailureOr<nn::ConstantView> view = nn::ConstantView::get(weight.getDefiningOp<nn::ConstantOp>().getValue());
    if (failed(view) || view->getType().getRank() == 0)
      return weights;
    const int64_t channels = view->getShape().back(), count = view->getType().getNumElements();
    weights.largestOfChannels.resize(channels);
    SmallVector<double> row(channels);
    double sum = 0;
    for (int64_t begin = 0; begin < count; begin += channels) {
      view->read(begin, 1, channels, row.data());
      for (auto [x, largest] : llvm::zip_equal(row, weights.largestOfChannels))
        if (std::isfinite(x)) {
          sum += x * x;
          largest = std::max(largest, std::abs(x));
        }
    }
    weights.largest = count == 0 ? 0 : *llvm::max_element(weights.largestOfChannels);
    weights.rootMeanSquare = std::sqrt(sum / std::max<double>(1, double(count)));
    return weights;
  }

  /// True if no weight becomes infinite, and so few become 0 that the other weights compensate for them.
  bool fitsAsWeight(const Weights &weights) const {
    return weights.largest == 0 || (weights.largest <= half.most() && weights.rootMeanSquare >= half.leastNormal() / 4);
  }

  void checkChannels(Operation &op, const Weights &weights) {
    const auto lost = llvm::count_if(weights.largestOfChannels,
                                     [this](double largest) { return largest != 0 && largest < limits.least; });
    if (lost > 0)
      errors.channels.push_back({&op, int64_t(lost), int64_t(weights.largestOfChannels.size())});
  }

  //===--- 4. Neighbours ------------------------------------------------------------------------------------------===//

  /// Adds operators whose readers all keep f32. For example, squares of a row that is almost zero are too small for
  /// f16.
  void addMakers() {
    for (Block *block : llvm::reverse(blocks))
      for (Operation &op : llvm::reverse(*block))
        if (mayBeWide(op) && isWide(op.getResult(0).getType()) && !op.use_empty() &&
            llvm::all_of(op.getUsers(), [this](Operation *user) { return errors.wide.contains(user); }))
          errors.wide.insert(&op);
  }

  /// Adds operators that continue an elementwise chain, because the chain is one kernel. Only the value that this
  /// kernel stores is rounded.
  void addReaders() {
    auto isInChain = [this](Value operand) {
      Operation *from = operand.getDefiningOp();
      return from && errors.wide.contains(from) && from->hasOneUse() && isElementwise(*from);
    };
    for (Block *block : blocks)
      for (Operation &op : *block)
        if (isElementwise(op) && mayBeWide(op) && !masksSoftmax(op) && isWide(op.getResult(0).getType()) &&
            llvm::any_of(op.getOperands(), isInChain))
          errors.wide.insert(&op);
  }

  static bool isElementwise(Operation &op) {
    auto known = dyn_cast<nn::OperatorInterface>(op);
    return known && known.getWorkKind() == nn::WorkKind::Elementwise;
  }

  TypicalNumbers &numbers;
  const HalfFormat &half;
  const Limits limits;
  const bool addsHalves;
  SmallVector<Block *> blocks;
  HalfErrors errors;
};

} // namespace

HalfErrors findHalfErrors(func::FuncOp function, const HalfFormat &half, bool addsHalves, TypicalNumbers &numbers) {
  return ErrorFinder(function, half, addsHalves, numbers).find();
}

} // namespace nacre::graph
