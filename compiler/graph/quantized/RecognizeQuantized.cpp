// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets layers between dequantizations and quantizations compute with bytes. A quantized model defines its layers by
// floats, so that any runtime can compute them. Integers are exact and faster.
//
// 0. Quantizations move to the operators that compute reals, and dequantizations to their readers
//    (MovedQuantizations.h).
// 1. Attention is fused on CPUs (QuantizedAttention.h). Other contractions use bytes (IntegerContractions.h).
//    Contractions that cannot are recorded with the reason (InFloats.h).
// 2. A 32-bit bias is added to the sums, and factors are merged into the scale.
// 3. Averages become sums of bytes (Averages.h).
// 4. The scale of a quantization is moved into the scales of its operands, and bounds become bounds of the bytes
//    (Quantizations.h).
// The kernels phase fuses the remaining elementwise operators into the kernels of contractions.

#include "compiler/graph/InFloats.h"
#include "compiler/graph/Matching.h"
#include "compiler/graph/MovedCodes.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/quantized/Averages.h"
#include "compiler/graph/quantized/Flips.h"
#include "compiler/graph/quantized/IntegerContractions.h"
#include "compiler/graph/quantized/Interpolation.h"
#include "compiler/graph/quantized/MovedQuantizations.h"
#include "compiler/graph/quantized/Numbers.h"
#include "compiler/graph/quantized/Quantizations.h"
#include "compiler/graph/quantized/QuantizedAttention.h"
#include "compiler/graph/quantized/ScaledReals.h"
#include "dialects/TensorTypes.h"
#include "dialects/plan/Notes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nacre::graph {
#define GEN_PASS_DEF_RECOGNIZEQUANTIZEDPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

using nn::BinaryKind;

//===----------------------------------------------------------------------===//
// 2. Biases and factors
//===----------------------------------------------------------------------===//

/// Returns the integers that represent `addend` with the scale of `sums`. These are its codes, or a float bias rounded
/// as in ONNX Runtime. Returns `nullopt` if the addend has another scale, or if an integer exceeds `largest`.
std::optional<SmallVector<double>> readBias(const ScaledSums &sums, Value addend, double largest) {
  std::optional<SmallVector<double>> scales = readNumbers(sums.scale);
  const int64_t columns = typeOf(sums.integers).getShape().back();
  SmallVector<double> integers, reals;
  constexpr double tolerance = 0x1p-20; // ONNX Runtime ignores the scale of a bias.
  if (auto codes = addend.getDefiningOp<nn::DequantizeOp>()) {
    std::optional<SmallVector<double>> values = readNumbers(codes.getOperand()), own = readNumbers(codes.getScale());
    std::optional<SmallVector<double>> zero = readNumbers(codes.getZero());
    const bool isRow =
        typeOf(codes.getScale()).getRank() == 0 || int64_t(codes.getAxis()) == codes.getType().getRank() - 1;
    if (!values || !own || !zero || codes.getBlock() != 0 || !isRow || zero->size() != 1 || zero->front() != 0)
      return std::nullopt;
    integers = *values;
    reals.resize(std::max(values->size(), own->size()));
    for (auto [index, real] : llvm::enumerate(reals))
      real = (*values)[values->size() == 1 ? 0 : index] * (*own)[own->size() == 1 ? 0 : index];
  } else if (std::optional<SmallVector<double>> numbers = readNumbers(addend)) {
    reals = *numbers;
  }
  if (reals.empty() || !scales || (reals.size() != 1 && int64_t(reals.size()) != columns))
    return std::nullopt;
  const size_t size = std::max(reals.size(), scales->size());
  SmallVector<double> bias(size);
  for (size_t index = 0; index < size; ++index) {
    const double real = reals[reals.size() == 1 ? 0 : index], scale = (*scales)[scales->size() == 1 ? 0 : index];
    bias[index] = integers.empty() ? std::nearbyint(static_cast<float>(real) / static_cast<float>(scale))
                                   : integers[integers.size() == 1 ? 0 : index];
    const bool fits = std::fabs(bias[index]) <= largest;
    const bool isSame = integers.empty() || std::fabs(bias[index] * scale - real) <= std::fabs(real) * tolerance;
    if (!fits || !isSame)
      return std::nullopt;
  }
  return bias;
}

/// Returns the contraction that computes `sums`, perhaps before additions of integers, or null for other sums.
Operation *getContraction(Value sums) {
  while (auto binary = sums.getDefiningOp<nn::BinaryOp>())
    if (binary.getKind() == BinaryKind::Add || binary.getKind() == BinaryKind::Sub)
      sums = binary.getLhs();
    else
      return nullptr;
  Operation *op = sums.getDefiningOp();
  return isa_and_nonnull<nn::ConvOp, nn::MatMulOp>(op) ? op : nullptr;
}

/// Largest magnitude of the sums, including biases, of each contraction of bytes that this pass has created.
using LargestSums = llvm::DenseMap<Operation *, int64_t>;

/// Adds a bias to integer sums, if both have the same scale and 32 bits hold the result.
struct BiasOfSums : OpRewritePattern<nn::BinaryOp> {
  /// Only contractions in `recognized` get biases. If the model itself contains scaled sums, their addends are not
  /// biases.
  BiasOfSums(MLIRContext *context, LargestSums &recognized) : OpRewritePattern(context), recognized(recognized) {}

  LogicalResult matchAndRewrite(nn::BinaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != BinaryKind::Add)
      return rewriter.notifyMatchFailure(op, "expected an addition");
    for (auto [scaled, addend] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      std::optional<ScaledSums> sums = matchScaledSums(scaled);
      if (!sums || scaled.getType() != op.getType() || !scaled.hasOneUse() || !spansLastAxis(addend, op.getType()))
        continue;
      auto found = recognized.find(getContraction(sums->integers));
      if (found == recognized.end())
        continue;
      const int64_t largest = std::numeric_limits<int32_t>::max() - found->second;
      std::optional<SmallVector<double>> bias = readBias(*sums, addend, static_cast<double>(largest));
      if (!bias)
        continue;
      double largestBias = 0;
      for (double number : *bias)
        largestBias = std::max(largestBias, std::fabs(number));
      found->second += static_cast<int64_t>(largestBias);
      Type integer = typeOf(sums->integers).getElementType();
      Value constant = createNumbers(rewriter, op.getLoc(), integer, *bias);
      Value biased = nn::BinaryOp::create(rewriter, op.getLoc(), BinaryKind::Add, sums->integers, constant);
      Value reals = nn::CastOp::create(rewriter, op.getLoc(), op.getType(), biased, false, nn::ScaleRounding::Up);
      rewriter.replaceOpWithNewOp<nn::BinaryOp>(op, BinaryKind::Mul, reals, sums->scale);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "expected scaled sums and whole multiples of their scale");
  }

private:
  LargestSums &recognized;
};

/// Merges a factor of scaled sums into their scale.
struct FactorOfSums : OpRewritePattern<nn::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BinaryOp op, PatternRewriter &rewriter) const override {
    const bool divides = op.getKind() == BinaryKind::Div;
    if (!divides && op.getKind() != BinaryKind::Mul)
      return rewriter.notifyMatchFailure(op, "expected a product or quotient");
    for (auto [scaled, factor] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      if (divides && scaled != op.getLhs())
        continue;
      std::optional<ScaledSums> sums = matchScaledSums(scaled);
      if (!sums || scaled.getType() != op.getType() || !scaled.hasOneUse() || !getConstant(factor) ||
          !spansLastAxis(factor, op.getType()))
        continue;
      Value scale = combineScales(rewriter, op.getLoc(), op.getKind(), sums->scale, factor);
      rewriter.replaceOpWithNewOp<nn::BinaryOp>(op, BinaryKind::Mul, sums->reals, scale);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "expected scaled sums and a constant for each column");
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct RecognizeQuantized : impl::RecognizeQuantizedPassBase<RecognizeQuantized> {
  using RecognizeQuantizedPassBase::RecognizeQuantizedPassBase;

  void runOnOperation() override {
    if (!isQuantized())
      return;
    RewritePatternSet movement(&getContext()), patterns(&getContext());
    addMovedCodes(movement);
    addMovedQuantizations(movement);
    apply(std::move(movement));
    SmallVector<Attribute> inIntegers;
    if (plan::isOnCpu(getOperation()))
      fuseAttention(inIntegers);
    rewriteContractions(inIntegers);
    addAverages(patterns);
    addInterpolation(patterns);
    addQuantizations(patterns);
    patterns.add<FactorOfSums>(&getContext());
    patterns.add<BiasOfSums>(&getContext(), recognized);
    apply(std::move(patterns));
  }

private:
  void apply(RewritePatternSet patterns) {
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setMaxIterations(GreedyRewriteConfig::kNoLimit);
    if (succeeded(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return;
    getOperation().emitError("recognition of quantized layers did not converge");
    signalPassFailure();
  }

  /// True if the model quantizes any value other than weights.
  bool isQuantized() {
    WalkResult walk = getOperation().walk([](Operation *op) {
      const bool computesCodes =
          isa<nn::QuantizeOp>(op) || (isa<nn::DequantizeOp>(op) && !getConstant(op->getOperand(0)));
      return computesCodes ? WalkResult::interrupt() : WalkResult::advance();
    });
    return walk.wasInterrupted();
  }

  void fuseAttention(SmallVectorImpl<Attribute> &fused) {
    SmallVector<nn::MatMulOp> products;
    getOperation().walk([&](nn::MatMulOp product) { products.push_back(product); });
    IRRewriter rewriter(&getContext());
    for (nn::MatMulOp product : products)
      fuseQuantizedAttention(rewriter, product, unsignedLeft, mostKeys, fused);
    numContractions += fused.size();
    (void)runRegionDCE(rewriter, getOperation()->getRegions()); // This fails if nothing is erased.
  }

  void rewriteContractions(SmallVectorImpl<Attribute> &inIntegers) {
    SmallVector<Operation *> contractions;
    getOperation().walk([&](Operation *op) {
      auto known = dyn_cast<nn::OperatorInterface>(op);
      if (known && known.getWorkKind() == nn::WorkKind::Contraction &&
          getElementTypeOrSelf(op->getResult(0).getType()).isFloat())
        contractions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    SmallVector<Attribute> inFloats;
    for (Operation *op : contractions) {
      std::variant<QuantizedOperands, std::string> found = "integers have no operator of its kind";
      if (isa<nn::ConvOp, nn::MatMulOp>(op))
        found = findQuantizedOperands(op);
      if (auto *operands = std::get_if<QuantizedOperands>(&found)) {
        inIntegers.push_back(LocationAttr(op->getLoc()));
        recognized[computeInIntegers(rewriter, op, *operands, unsignedLeft)] = operands->largestSum;
        ++numContractions;
        continue;
      }
      inFloats.push_back(
          rewriter.getArrayAttr({LocationAttr(op->getLoc()), rewriter.getStringAttr(std::get<std::string>(found))}));
    }
    getOperation()->setAttr(kInFloats, rewriter.getArrayAttr(inFloats));
    getOperation()->setAttr(kInIntegers, rewriter.getArrayAttr(inIntegers));
  }

  LargestSums recognized;
};

} // namespace

} // namespace nacre::graph
