// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Quantizations.h.

#include "compiler/graph/quantized/Quantizations.h"

#include "compiler/graph/Matching.h"
#include "compiler/graph/quantized/ScaledReals.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/codes/MovedElements.h"

#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::BinaryKind;
using nn::UnaryKind;

constexpr unsigned mostBits = 16;
/// Limits of scales. Quotients of other scales may be infinite.
constexpr double leastScale = 0x1p-60, greatestScale = 0x1p60;

bool isUsual(double scale) { return scale >= leastScale && scale <= greatestScale; }

bool isShortInteger(Type code) { return isa<IntegerType>(code) && code.getIntOrFloatBitWidth() <= mostBits; }

/// Adds the parameters of quantizations that read `value`, perhaps through bounds and movement, to `found`. `depth`
/// limits the search.
void addCoders(Value value, SmallVectorImpl<Coder> &found, int depth) {
  if (depth == 0)
    return;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto quantize = dyn_cast<nn::QuantizeOp>(user)) {
      if (std::optional<Coder> coder = readCoder(quantize); coder && use.getOperandNumber() == 0)
        found.push_back(*coder);
      continue;
    }
    auto binary = dyn_cast<nn::BinaryOp>(user);
    const bool isBound = binary && (binary.getKind() == BinaryKind::Min || binary.getKind() == BinaryKind::Max);
    auto unary = dyn_cast<nn::UnaryOp>(user);
    const bool isRelu = unary && unary.getKind() == UnaryKind::Relu;
    if (isBound || isRelu || llvm::is_contained(nn::movedOperands(user), value))
      addCoders(user->getResult(0), found, depth - 1);
  }
}

} // namespace

SmallVector<Coder> findCoders(Value value) {
  constexpr int maxDepth = 6;
  SmallVector<Coder> coders;
  addCoders(value, coders, maxDepth);
  return coders;
}

std::optional<Coder> readCoder(nn::QuantizeOp op) {
  Type code = op.getType().getElementType();
  std::optional<double> scale = getSplat(op.getScale()), zero = getSplat(op.getZero());
  if (!op.isPerTensor() || !op.getOperand().getType().getElementType().isF32() || !isShortInteger(code) || !scale ||
      !zero || *scale <= 0)
    return std::nullopt;
  return Coder{static_cast<float>(*scale), *zero, getCodeBounds(code)};
}

std::optional<Steps> readSteps(nn::DequantizeOp op) {
  Type code = op.getOperand().getType().getElementType();
  std::optional<double> scale = getSplat(op.getScale()), zero = getSplat(op.getZero());
  if (!op.isPerTensor() || !op.getType().getElementType().isF32() || !isShortInteger(code) || !scale || !zero ||
      !isUsual(*scale) || *zero != std::nearbyint(*zero))
    return std::nullopt;
  const CodeBounds bounds = getCodeBounds(code);
  return Steps{static_cast<int64_t>(bounds.low - *zero), static_cast<int64_t>(bounds.high - *zero),
               static_cast<float>(*scale)};
}

namespace {

//===----------------------------------------------------------------------===//
// 1. Bounds
//===----------------------------------------------------------------------===//

/// Removes bounds just before a quantization. Rounding preserves the order of values, so the code of a bound is a bound
/// of the codes.
Value dropBounds(Value value, Coder &coder) {
  CodeBounds &bounds = coder.bounds;
  // A bound beyond the range of the codes becomes the last code.
  auto codeOf = [&](double real) { return coder.code(static_cast<float>(real)); };
  while (value.hasOneUse()) {
    if (nn::UnaryOp relu = getUnary(value, UnaryKind::Relu)) {
      bounds.low = std::clamp(coder.zero, bounds.low, bounds.high);
      value = relu.getOperand();
      continue;
    }
    auto binary = value.getDefiningOp<nn::BinaryOp>();
    std::optional<double> bound =
        binary && binary.getLhs().getType() == binary.getType() ? getSplat(binary.getRhs()) : std::nullopt;
    if (!bound || std::isnan(*bound))
      return value;
    // If two bounds contradict each other, the later one wins.
    if (binary.getKind() == BinaryKind::Min)
      bounds.high = codeOf(*bound);
    else if (binary.getKind() == BinaryKind::Max)
      bounds.low = codeOf(*bound);
    else
      return value;
    value = binary.getLhs();
  }
  return value;
}

//===----------------------------------------------------------------------===//
// 2. Scales
//===----------------------------------------------------------------------===//

/// True if linear operators compute `value` from integer sums. `depth` limits the search.
bool hasSums(Value value, int depth = 24) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0 || isa<nn::DequantizeOp>(op))
    return false;
  if (matchScaledSums(value))
    return true;
  return llvm::any_of(getDividedOperands(op),
                      [&](unsigned index) { return hasSums(op->getOperand(index), depth - 1); });
}

/// Returns the operands of `op` from which each element of the result is selected. Returns no operands for other
/// operators.
SmallVector<unsigned, 4> getSelectedOperands(Operation *op) {
  using Indices = SmallVector<unsigned, 4>;
  return llvm::TypeSwitch<Operation *, Indices>(op)
      .Case([&](nn::BinaryOp binary) {
        const bool selects = binary.getKind() == BinaryKind::Min || binary.getKind() == BinaryKind::Max;
        return selects ? getDividedOperands(op) : Indices();
      })
      .Case([&](nn::UnaryOp unary) { return unary.getKind() == UnaryKind::Relu ? Indices{0} : Indices(); })
      .Case([&](nn::PoolOp pool) { return pool.getKind() == nn::PoolKind::Max ? Indices{0} : Indices(); })
      .Case([&](nn::ReduceOp reduce) {
        const bool selects = reduce.getKind() == nn::ReduceKind::Max || reduce.getKind() == nn::ReduceKind::Min;
        return selects ? Indices{0} : Indices();
      })
      .Case([&](nn::ResampleOp resample) { return resample.keepsSplats() ? Indices{0} : Indices(); })
      .Case<nn::GatherOp, nn::PadOp, nn::ReshapeOp, nn::TransposeOp, nn::BroadcastOp, nn::SliceOp, nn::ConcatOp,
            nn::InterleaveOp, nn::SelectOp>([&](Operation *) { return getDividedOperands(op); })
      .Default([](Operation *) { return Indices(); });
}

/// Writes a value in units of the result's scale (steps). The operators stay the same, but factors replace scales.
class StepsWriter {
public:
  StepsWriter(OpBuilder &builder, nn::QuantizeOp op, const Coder &coder)
      : builder(builder), loc(op.getLoc()), divisor(op.getScale()), coder(coder) {}

  /// Writes `value` in steps. Fails if other operators compute it, or if its codes have no suitable factors.
  FailureOr<Value> write(Value value) {
    if (!isUsual(static_cast<double>(coder.scale)) || getConstant(value))
      return failure();
    auto binary = value.getDefiningOp<nn::BinaryOp>();
    if (binary && binary->hasOneUse() &&
        llvm::is_contained({BinaryKind::Add, BinaryKind::Sub, BinaryKind::Mul}, binary.getKind()))
      return writePair(binary);
    Factors factors;
    if (!findSelected(value, factors, maxDepth))
      return failure();
    return rescale(value, factors);
  }

private:
  using Factors = llvm::SmallDenseMap<Operation *, float>;
  static constexpr int maxDepth = 24;

  /// True if each element of `value` is selected from constants, or from codes that have factors. Adds these factors.
  bool findSelected(Value value, Factors &factors, int depth) {
    Operation *op = value.getDefiningOp();
    if (!op || depth == 0)
      return false;
    if (auto codes = dyn_cast<nn::DequantizeOp>(op)) {
      if (factors.contains(codes))
        return true;
      std::optional<Steps> steps = readSteps(codes);
      std::optional<float> factor = steps ? findFactor(*steps, coder) : std::nullopt;
      if (factor)
        factors[codes] = *factor;
      return factor.has_value();
    }
    // The quotient of a constant and the scale is rounded as ONNX defines.
    if (getConstant(value))
      return typeOf(value).getElementType().isF32();
    const SmallVector<unsigned, 4> selected = getSelectedOperands(op);
    return op->hasOneUse() && !selected.empty() && llvm::all_of(selected, [&](unsigned index) {
             return findSelected(op->getOperand(index), factors, depth - 1);
           });
  }

  /// Returns the only dequantization from which `value` is moved, or null.
  static nn::DequantizeOp findOnlyCodes(Value value) {
    for (int depth = 0; depth < maxDepth; ++depth) {
      Operation *op = value.getDefiningOp();
      if (!op)
        return {};
      if (auto codes = dyn_cast<nn::DequantizeOp>(op))
        return codes;
      const SmallVector<unsigned, 4> selected = getSelectedOperands(op);
      if (selected.size() != 1 || !op->hasOneUse())
        return {};
      value = op->getOperand(selected.front());
    }
    return {};
  }

  FailureOr<Value> writePair(nn::BinaryOp op) {
    nn::DequantizeOp left = findOnlyCodes(op.getLhs()), right = findOnlyCodes(op.getRhs());
    std::optional<Steps> ofLeft = left ? readSteps(left) : std::nullopt,
                         ofRight = right ? readSteps(right) : std::nullopt;
    if (ofLeft && getConstant(op.getRhs()))
      return writeConstants(op, left, *ofLeft);
    if (!ofLeft || !ofRight)
      return failure();
    std::optional<FactorPair> factors = findFactors(op.getKind(), *ofLeft, *ofRight, coder);
    if (!factors)
      return failure();
    Value a = rescale(op.getLhs(), {{left, factors->a}}), b = rescale(op.getRhs(), {{right, factors->b}});
    return nn::BinaryOp::create(builder, op.getLoc(), op.getKind(), a, b).getResult();
  }

  FailureOr<Value> writeConstants(nn::BinaryOp op, nn::DequantizeOp codes, const Steps &steps) {
    const auto type = typeOf(op.getRhs());
    std::optional<SmallVector<double>> numbers = readNumbers(op.getRhs());
    if (!numbers || !type.getElementType().isF32())
      return failure();
    std::optional<FactorOfConstants> found =
        findFactors(op.getKind(), steps, SmallVector<float>(numbers->begin(), numbers->end()), coder);
    if (!found)
      return failure();
    Value constant = nn::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef(found->constants)));
    Value rescaled = rescale(op.getLhs(), {{codes, found->factor}});
    return nn::BinaryOp::create(builder, op.getLoc(), op.getKind(), rescaled, constant).getResult();
  }

  Value rescale(Value value, const Factors &factors) {
    Operation *op = value.getDefiningOp();
    if (auto codes = dyn_cast<nn::DequantizeOp>(op)) {
      Value factor = createNumber(builder, loc, builder.getF32Type(), static_cast<double>(factors.lookup(codes)));
      return nn::DequantizeOp::create(builder, loc, codes.getOperand(), factor, codes.getZero(), 0, 0);
    }
    if (getConstant(value))
      return divide(builder, value, divisor);
    SmallVector<Value> operands(op->getOperands());
    for (unsigned index : getSelectedOperands(op))
      operands[index] = rescale(operands[index], factors);
    Operation *rescaled = builder.clone(*op);
    rescaled->setOperands(operands);
    return rescaled->getResult(0);
  }

  OpBuilder &builder;
  Location loc;
  Value divisor;
  const Coder coder;
};

/// Replaces a quantization by the rounding of a value in steps.
struct QuantizeOfScaled : OpRewritePattern<nn::QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::QuantizeOp op, PatternRewriter &rewriter) const override {
    std::optional<Coder> coder = readCoder(op);
    if (!coder)
      return rewriter.notifyMatchFailure(op, "expected integers of up to 16 bits with one constant scale");
    Value value = dropBounds(op.getOperand(), *coder);
    Location loc = op.getLoc();
    FailureOr<Value> found = failure();
    if (hasSums(value) && canDivide(value))
      found = divide(rewriter, value, op.getScale());
    else
      found = StepsWriter(rewriter, op, *coder).write(value);
    if (failed(found))
      return rewriter.notifyMatchFailure(op, "expected values whose scales can take in the quantization's");
    Value steps = *found;
    auto binary = [&](BinaryKind kind, Value a, double b) {
      return rewriter.createOrFold<nn::BinaryOp>(loc, kind, a, createNumber(rewriter, loc, rewriter.getF32Type(), b));
    };
    steps = nn::UnaryOp::create(rewriter, loc, UnaryKind::Round, steps, APFloat(0.0));
    steps = binary(BinaryKind::Add, steps, coder->zero);
    steps = binary(BinaryKind::Max, steps, coder->bounds.low);
    steps = binary(BinaryKind::Min, steps, coder->bounds.high);
    rewriter.replaceOpWithNewOp<nn::CastOp>(op, op.getType(), steps, false, nn::ScaleRounding::Up);
    return success();
  }
};

} // namespace

void addQuantizations(RewritePatternSet &patterns) { patterns.add<QuantizeOfScaled>(patterns.getContext()); }

} // namespace nacre::graph
