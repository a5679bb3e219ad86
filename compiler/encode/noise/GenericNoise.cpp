// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the moments or samples of the results of linalg.generic.

#include "compiler/encode/noise/KernelNoise.h"
#include "compiler/encode/noise/LoopMaps.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nacre::encode {

//===----------------------------------------------------------------------===//
// 1. Operands
//===----------------------------------------------------------------------===//

/// Distances in the numbers of an operand, for each loop.
struct KernelNoise::Operand {
  SmallVector<int64_t, 8> strides;
  int64_t start = 0;

  int64_t placeOf(ArrayRef<int64_t> at) const {
    int64_t place = start;
    for (auto [stride, index] : llvm::zip_equal(strides, at))
      place += stride * index;
    return place;
  }
};

/// Fails if an index is not a sum of loops with constant factors.
std::optional<KernelNoise::Operand> KernelNoise::operandOf(OpOperand &use, linalg::GenericOp op,
                                                           ArrayRef<int64_t> kept) {
  const AffineMap map = op.getMatchingIndexingMap(&use);
  Operand operand;
  operand.strides.assign(map.getNumDims(), 0);
  const SmallVector<int64_t, 4> strides = stridesOf(kept);
  for (auto [axis, index] : llvm::enumerate(map.getResults())) {
    if (strides[axis] == 0)
      continue;
    SmallVector<int64_t> factors;
    if (!index.isPureAffine() || failed(getFlattenedAffineExpr(index, map.getNumDims(), 0, &factors)) ||
        factors.size() != map.getNumDims() + 1)
      return std::nullopt;
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
      operand.strides[loop] += factors[loop] * strides[axis];
    operand.start += factors.back() * strides[axis];
  }
  return operand;
}

double KernelNoise::countIterations(linalg::GenericOp op) {
  const SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<bool> isKept(extents.size(), false);
  for (OpOperand &use : op->getOpOperands()) {
    if (!op.payloadUsesValueFromOperand(&use) || !isa<RankedTensorType>(use.get().getType()))
      continue;
    if (std::optional<Operand> operand = operandOf(use, op, momentsOf(use.get()).kept))
      for (auto [loop, stride] : llvm::enumerate(operand->strides))
        isKept[loop] = isKept[loop] || stride != 0;
  }
  double iterations = 1;
  for (auto [extent, kept] : llvm::zip_equal(extents, isKept))
    iterations *= kept ? double(extent) : 1;
  return iterations;
}

void KernelNoise::limit(linalg::GenericOp op, int64_t mostIterations) {
  // Positions share moments before channels do: weights distinguish channels.
  for (size_t keptAxes : {1, 0}) {
    if (countIterations(op) <= double(mostIterations))
      return;
    for (Value value : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type)
        continue;
      SmallVector<bool> shared(type.getRank(), true);
      std::fill_n(shared.rbegin(), std::min(keptAxes, shared.size()), false);
      // Samples stay as they are unless moments change: they know which numbers belong together.
      if (TensorMoments moments = momentsOf(value).sharedAlong(shared); moments.kept != momentsOf(value).kept)
        set(value, std::move(moments));
    }
  }
}

//===----------------------------------------------------------------------===//
// 2. Copies
//===----------------------------------------------------------------------===//

/// Transposes, casts and broadcasts keep moments as they are.
bool KernelNoise::runCopy(linalg::GenericOp op, const LaneProgram &program) {
  const std::optional<unsigned> copied = program.copiedArgument();
  if (!copied || *copied >= op.getNumDpsInputs() || op.getNumReductionLoops() > 0)
    return false;
  OpOperand &use = *op.getDpsInputOperand(*copied);
  if (!isa<RankedTensorType>(use.get().getType()))
    return false;
  const TensorMoments &source = momentsOf(use.get());
  const std::optional<Operand> operand = operandOf(use, op, source.kept);
  if (!operand)
    return false;
  const AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  SmallVector<bool> isKept;
  for (int64_t stride : operand->strides)
    isKept.push_back(stride != 0);
  TensorMoments result;
  result.shape = llvm::to_vector<4>(type.getShape());
  result.kept = keptAxes(map, type.getShape(), isKept);
  const bool isRounded = type.getElementType().isF16() && !getElementTypeOrSelf(use.get().getType()).isF16();
  SmallVector<int64_t, 8> at(operand->strides.size());
  forEachIndex(result.kept, [&](ArrayRef<int64_t> index) {
    setLoops(at, map, index, op.getStaticLoopRanges());
    const Moments &moments = source.numbers[operand->placeOf(at)];
    result.numbers.push_back(isRounded ? roundedToHalf(moments) : moments);
  });
  set(op.getResult(0), std::move(result));
  return true;
}

//===----------------------------------------------------------------------===//
// 3. Sums of products
//===----------------------------------------------------------------------===//

static Value withoutCasts(Value value) {
  while (Operation *cast = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(cast))
      break;
    value = cast->getOperand(0);
  }
  return value;
}

/// Returns the two inputs whose products the body adds to its result.
static std::optional<std::pair<unsigned, unsigned>> factorsOf(linalg::GenericOp op) {
  Block &body = *op.getBody();
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  auto sum = withoutCasts(body.getTerminator()->getOperand(0)).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return std::nullopt;
  for (auto [before, added] : {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())}) {
    auto product = withoutCasts(added).getDefiningOp<arith::MulFOp>();
    if (before != body.getArguments().back() || !product)
      continue;
    auto left = dyn_cast<BlockArgument>(withoutCasts(product.getLhs()));
    auto right = dyn_cast<BlockArgument>(withoutCasts(product.getRhs()));
    if (left && right && left != right && left.getOwner() == &body && right.getOwner() == &body &&
        left.getArgNumber() < op.getNumDpsInputs() && right.getArgNumber() < op.getNumDpsInputs())
      return std::pair(left.getArgNumber(), right.getArgNumber());
  }
  return std::nullopt;
}

bool KernelNoise::runProduct(linalg::GenericOp op) {
  const std::optional<std::pair<unsigned, unsigned>> factors = factorsOf(op);
  if (!factors)
    return false;
  OpOperand *leftUse = op.getDpsInputOperand(factors->first), *rightUse = op.getDpsInputOperand(factors->second);
  if (values[leftUse->get()].weight)
    std::swap(leftUse, rightUse);
  if (!isa<RankedTensorType>(leftUse->get().getType()) || !isa<RankedTensorType>(rightUse->get().getType()))
    return false;
  std::shared_ptr<const WeightNumbers> weight = values[rightUse->get()].weight;
  if (!weight)
    limit(op, 1 << 26);

  // Along an axis that several loops index, all windows of the left operand have the same moments.
  const AffineMap leftMap = op.getMatchingIndexingMap(leftUse);
  const SmallVector<bool> isWindow = llvm::map_to_vector(leftMap.getResults(), [&](AffineExpr index) {
    return !isa<AffineDimExpr>(index) && !joinedLoops(index, op.getStaticLoopRanges());
  });
  const TensorMoments left = momentsOf(leftUse->get()).sharedAlong(isWindow);
  const ArrayRef<int64_t> rightKept =
      weight ? ArrayRef<int64_t>(values[rightUse->get()].shape) : ArrayRef<int64_t>(momentsOf(rightUse->get()).kept);
  const std::optional<Operand> ofLeft = operandOf(*leftUse, op, left.kept),
                               ofRight = operandOf(*rightUse, op, rightKept);
  if (!ofLeft || !ofRight)
    return false;

  const SmallVector<int64_t> extents = op.getStaticLoopRanges();
  double iterations = 1;
  for (auto [loop, extent] : llvm::enumerate(extents))
    iterations *= ofLeft->strides[loop] != 0 || ofRight->strides[loop] != 0 ? double(extent) : 1;
  constexpr double mostIterations = 1 << 28;
  if (iterations > mostIterations && left.numbers.size() > 1) {
    set(leftUse->get(), TensorMoments::uniform(left.shape, left.merged()));
    return runProduct(op);
  }
  const AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  ProductLoops loops;
  SmallVector<bool> isKept(extents.size(), false);
  SmallVector<int64_t> terms(extents.size(), 1), taps(extents.size(), 1), depth;
  int64_t rows = 1;
  bool isDepthwise = false;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    const bool movesLeft = ofLeft->strides[loop] != 0, movesRight = ofRight->strides[loop] != 0;
    if (iterator == utils::IteratorType::parallel) {
      isKept[loop] = movesLeft || movesRight;
      isDepthwise =
          isDepthwise || (leftMap.isFunctionOfDim(loop) && op.getMatchingIndexingMap(rightUse).isFunctionOfDim(loop));
      rows *= leftMap.isFunctionOfDim(loop) ? extents[loop] : 1;
      continue;
    }
    depth.push_back(extents[loop]);
    (movesLeft ? terms[loop] : taps[loop]) = movesLeft || movesRight ? extents[loop] : 1;
    loops.repeats *= movesLeft || movesRight ? 1 : double(extents[loop]);
  }
  forEachIndex(terms,
               [&](ArrayRef<int64_t> at) { loops.terms.push_back({ofLeft->placeOf(at), ofRight->placeOf(at)}); });
  loops.taps.clear();
  forEachIndex(taps, [&](ArrayRef<int64_t> at) { loops.taps.push_back(ofRight->placeOf(at) - ofRight->start); });

  TensorMoments result;
  result.shape = llvm::to_vector<4>(type.getShape());
  result.kept = keptAxes(map, type.getShape(), isKept);
  SmallVector<int64_t, 8> at(extents.size());
  forEachIndex(result.kept, [&](ArrayRef<int64_t> index) {
    setLoops(at, map, index, extents);
    loops.results.push_back({ofLeft->placeOf(at) - ofLeft->start, ofRight->placeOf(at) - ofRight->start});
  });
  const bool isOfHalves =
      getElementTypeOrSelf(leftUse->get().getType()).isF16() && getElementTypeOrSelf(rightUse->get().getType()).isF16();
  const HalfSum half = isOfHalves ? halfSumOf(kernel, depth, rows == 1, isDepthwise) : HalfSum();
  result.numbers = weight ? sumProducts(left.numbers, *weight, loops, half)
                          : sumProducts(left.numbers, momentsOf(rightUse->get()).numbers, loops, half);
  // Sums begin with 0, or with a bias that is the same for all of them.
  const Moments first = momentsOf(op.getDpsInits().front()).merged();
  for (Moments &sum : result.numbers) {
    sum.mean += first.mean;
    sum.variance += first.variance;
    sum.offset += first.offset;
    sum.noise += first.noise;
    if (type.getElementType().isF16())
      sum = roundedToHalf(sum);
  }
  set(op.getResult(0), std::move(result));
  return true;
}

//===----------------------------------------------------------------------===//
// 4. Samples
//===----------------------------------------------------------------------===//

/// True if the body adds something to its previous result.
static bool isSum(linalg::GenericOp op) {
  Block &body = *op.getBody();
  auto sum = withoutCasts(body.getTerminator()->getOperand(0)).getDefiningOp<arith::AddFOp>();
  return sum && llvm::is_contained(sum->getOperands(), body.getArguments().back());
}

/// Makes `sums`, which began with `first`, sums of `factor` times as many elements.
static void extendSums(Lanes &sums, const Lanes &first, double factor) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    sums.value[lane] = first.value[lane] + factor * (sums.value[lane] - first.value[lane]);
    sums.noise[lane] = first.noise[lane] + factor * (sums.noise[lane] - first.noise[lane]);
    sums.offset[lane] = first.offset[lane] + factor * (sums.offset[lane] - first.offset[lane]);
  }
  sums.scaled /= factor;
}

bool KernelNoise::runLanes(linalg::GenericOp op, LaneProgram program) {
  // Results take more memory and time than the elements of a window.
  constexpr int64_t mostIterations = 1 << 14, mostOfWindow = 64;
  const SmallVector<int64_t> extents = op.getStaticLoopRanges();
  int64_t window = 1;
  for (auto [extent, iterator] : llvm::zip_equal(extents, op.getIteratorTypesArray()))
    window *= iterator == utils::IteratorType::reduction ? extent : 1;
  limit(op, window > 1 && window <= mostOfWindow ? 4 * mostIterations : mostIterations);
  static const Lanes zero;
  SmallVector<Operand> operands;
  SmallVector<const Lanes *> sources;
  SmallVector<bool> isKept(extents.size(), false);
  for (OpOperand &use : op->getOpOperands()) {
    const bool isRead = op.payloadUsesValueFromOperand(&use);
    if (isRead && !isa<RankedTensorType>(use.get().getType()))
      return false;
    std::optional<Operand> operand =
        operandOf(use, op, isRead ? lanesOf(use.get()).kept : SmallVector<int64_t, 4>(op.getRank(&use), 1));
    if (!operand)
      return false;
    for (auto [loop, stride] : llvm::enumerate(operand->strides))
      isKept[loop] = isKept[loop] || stride != 0;
    operands.push_back(*operand);
    sources.push_back(isRead ? lanesOf(use.get()).numbers.data() : &zero);
  }
  SmallVector<int64_t> reduced(extents.size(), 1);
  double shared = 1;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator != utils::IteratorType::reduction)
      continue;
    reduced[loop] = isKept[loop] ? extents[loop] : 1;
    shared *= isKept[loop] ? 1 : double(extents[loop]);
  }

  const unsigned inputs = op.getNumDpsInputs(), count = op.getNumDpsInits();
  std::vector<TensorLanes> results(count);
  SmallVector<AffineMap> maps;
  for (unsigned number = 0; number < count; ++number) {
    auto type = cast<RankedTensorType>(op.getResult(number).getType());
    maps.push_back(op.getMatchingIndexingMap(op.getDpsInitOperand(number)));
    results[number].shape = llvm::to_vector<4>(type.getShape());
    results[number].kept = keptAxes(maps.back(), type.getShape(), isKept);
    if (results[number].kept != results.front().kept || maps[number] != maps.front())
      return false;
  }
  // An average over more elements has about as much noise.
  constexpr double mostElements = 256;
  const unsigned elements = unsigned(std::min(shared, mostElements));
  SmallVector<int64_t, 8> at(extents.size());
  SmallVector<const Lanes *> arguments(operands.size());
  std::vector<Lanes> drawn(inputs);
  forEachIndex(results.front().kept, [&](ArrayRef<int64_t> index) {
    setLoops(at, maps.front(), index, extents);
    SmallVector<Lanes, 1> sums;
    for (unsigned operand = inputs; operand < inputs + count; ++operand)
      sums.push_back(sources[operand][operands[operand].placeOf(at)]);
    const SmallVector<Lanes, 1> first = sums;
    forEachIndex(reduced, [&](ArrayRef<int64_t> inner) {
      SmallVector<int64_t, 8> all = at;
      for (size_t loop = 0; loop < all.size(); ++loop)
        all[loop] += inner[loop];
      for (unsigned element = 0; element < elements; ++element) {
        const Draws::Order order = elements > 1 ? draws.order() : Draws::Order();
        for (unsigned input = 0; input < inputs; ++input) {
          arguments[input] = &sources[input][operands[input].placeOf(all)];
          if (elements > 1) {
            drawn[input] = reordered(*arguments[input], order);
            arguments[input] = &drawn[input];
          }
        }
        for (unsigned number = 0; number < count; ++number)
          arguments[inputs + number] = &sums[number];
        sums = program.run(arguments);
      }
    });
    for (unsigned number = 0; number < count; ++number) {
      if (shared > mostElements && isSum(op))
        extendSums(sums[number], first[number], shared / mostElements);
      if (getElementTypeOrSelf(op.getResult(number).getType()).isF16())
        draws.round(sums[number]);
      results[number].numbers.push_back(sums[number]);
    }
  });
  for (unsigned number = 0; number < count; ++number) {
    TensorNoise &tensor = values[op.getResult(number)] = TensorNoise();
    tensor.shape = results[number].shape;
    tensor.lanes = std::make_shared<TensorLanes>(std::move(results[number]));
  }
  return true;
}

void KernelNoise::runGeneric(linalg::GenericOp op) {
  if (hasPlainResults(op) && op.getNumResults() > 0) {
    if (runProduct(op))
      return;
    if (std::optional<LaneProgram> program = LaneProgram::get(*op.getBody());
        program && (runCopy(op, *program) || runLanes(op, std::move(*program))))
      return;
  }
  setUnknown(*op);
}

} // namespace nacre::encode
