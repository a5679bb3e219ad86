// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps: 1. sources of values; 2. operations in bodies; 3. loops that the cut divides; 4. keys of attention; 5. the
//        total for the kernel.

#include "compiler/price/LaunchWork.h"

#include "dialects/StoredBytes.h"
#include "dialects/plan/KeyBounds.h"
#include "dialects/plan/Notes.h"
#include "dialects/plan/ScalarOps.h"
#include "dialects/plan/SerialIterations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace nacre::price {

static double bytesOf(Type type) { return double(storedBytes(cast<ShapedType>(type))); }

double weightBytes(Operation *launches) {
  llvm::SmallSetVector<StringRef, 16> seen;
  double bytes = 0;
  launches->walk([&](plan::LaunchOp launch) {
    for (Value input : launch.getInputs())
      if (auto use = plan::rootOf(input).getDefiningOp<plan::UseOp>(); use && seen.insert(use.getWeight()))
        bytes += bytesOf(use.getType());
  });
  return bytes;
}

namespace {

//===----------------------------------------------------------------------===//
// 1. Sources
//===----------------------------------------------------------------------===//

/// Slice of one of the kernel's arguments.
struct Slice {
  std::optional<unsigned> argument; // `nullopt` if the slice is of a tensor that never leaves the kernel.
  double bytes = 0;
};

Slice sliceOf(Value value) {
  while (auto pad = value.getDefiningOp<tensor::PadOp>())
    value = pad.getSource();
  Slice slice{std::nullopt, bytesOf(value.getType())};
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tensor::ExtractSliceOp, tensor::PadOp>(op))
      value = op->getOperand(0);
    else if (auto fill = dyn_cast<linalg::FillOp>(op))
      value = fill.getOutputs().front();
    else
      return slice;
  }
  slice.argument = cast<BlockArgument>(value).getArgNumber();
  return slice;
}

//===----------------------------------------------------------------------===//
// 2. Bodies
//===----------------------------------------------------------------------===//

struct BodyCost {
  double flops = 0, functions = 0;
};

BodyCost costOf(Operation &op) {
  constexpr double kDivision = 4; // Number of simple operations that take as long as a division.
  constexpr double kPower = 3;    // A logarithm, an exponential, and the extra digits of both.
  if (isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp, arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return {};
  if (plan::isScalar(&op))
    return {double(plan::costOf(&op).arithmetic), 0};
  if (isa<arith::DivFOp, arith::RemFOp, math::SqrtOp, math::RsqrtOp>(op))
    return {kDivision, 0};
  if (isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp, math::CopySignOp>(
          op) ||
      isa<arith::ArithDialect>(op.getDialect()))
    return {1, 0};
  if (isa<math::FmaOp>(op))
    return {2, 0};
  if (isa<math::PowFOp>(op))
    return {0, kPower};
  return {0, isa<math::MathDialect>(op.getDialect()) ? 1.0 : 0.0};
}

BodyCost costOf(Block &body) {
  BodyCost sum;
  for (Operation &op : body) {
    const BodyCost cost = costOf(op);
    sum.flops += cost.flops;
    sum.functions += cost.functions;
  }
  return sum;
}

/// True for a product of two operands of f16.
bool multipliesHalves(linalg::GenericOp op) {
  auto isHalf = [&](unsigned input) { return getElementTypeOrSelf(op.getDpsInputs()[input]).isF16(); };
  return isHalf(0) && isHalf(1);
}

/// True for a product that reads each operand again in the iterations of some loop. Loops of one iteration do not
/// count.
bool usesOperandsAgain(linalg::GenericOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (unsigned operand = 0; operand < 2; ++operand) {
    bool again = false;
    for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
      again |= type == utils::IteratorType::parallel && sizes[loop] > 1 && !maps[operand].isFunctionOfDim(loop);
    if (!again)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// 3. The cut's loops
//===----------------------------------------------------------------------===//

/// Returns the loops of `op` along the cut axis `axis` of the target, which has rank `rank`.
llvm::SmallBitVector cutLoops(linalg::GenericOp op, int64_t axis, int64_t rank) {
  llvm::SmallBitVector loops(op.getNumLoops());
  for (OpOperand &operand : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (map.getNumResults() != rank || axis >= rank)
      continue;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (map.getResult(axis).isFunctionOfDim(loop))
        loops.set(loop);
  }
  return loops;
}

bool isDivided(AffineMap map, const llvm::SmallBitVector &cut) {
  for (unsigned loop : cut.set_bits())
    if (map.isFunctionOfDim(loop))
      return true;
  // If the loop along the cut axis is unknown, assume that the data is divided.
  return cut.none();
}

//===----------------------------------------------------------------------===//
// 4. Keys
//===----------------------------------------------------------------------===//

/// The operations of attention that skip keys, and the part of the keys that they compute.
struct ComputedKeys {
  double part = 1;
  linalg::GenericOp hides; ///< Operation with the bounds, over [batches..., rows, keys]; null if all keys are computed.
  linalg::GenericOp last;  ///< The second product, over [batches..., rows, columns, keys]. All later ones have no keys.

  /// Returns the loop over keys of `op`; `nullopt` if the operation has none, or computes all of them.
  std::optional<unsigned> loopOf(linalg::GenericOp op) {
    if (!hides || last->isBeforeInBlock(op))
      return std::nullopt;
    return op == last ? hides.getNumLoops() : hides.getNumLoops() - 1;
  }
};

/// Codes have no bounds for emitters, and neither have rows of one batch that have different offsets.
ComputedKeys computedKeysOf(plan::KernelOp kernel) {
  ComputedKeys keys;
  if (kernel.getKind() != plan::KernelKind::Attention)
    return keys;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    if (keys.hides && op.getNumLoops() > keys.hides.getNumLoops())
      keys.last = op;
    const std::optional<plan::KeyBounds> bounds = plan::getKeyBounds(op);
    const unsigned loops = op.getNumLoops();
    if (!bounds || !getElementTypeOrSelf(op.getDpsInputs().front()).isF32())
      continue;
    if (bounds->offsetInput) {
      AffineMap offset = op.getMatchingIndexingMap(op.getDpsInputOperand(*bounds->offsetInput));
      if (offset.isFunctionOfDim(loops - 1) || offset.isFunctionOfDim(loops - 2))
        continue;
    }
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    keys.part = plan::computedPart(*bounds, sizes[loops - 2], sizes[loops - 1]);
    keys.hides = op;
  }
  return keys.last ? keys : ComputedKeys();
}

//===----------------------------------------------------------------------===//
// 5. The kernel
//===----------------------------------------------------------------------===//

class Reader {
public:
  Reader(plan::LaunchOp launch, plan::KernelOp kernel) : launch(launch), kernel(kernel), keys(computedKeysOf(kernel)) {}

  LaunchWork read() {
    for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
      addGeneric(op);
    for (auto op : kernel.getBody().front().getOps<scf::ForallOp>())
      addProgram(op);
    if (work.points == 0)
      assumeCopy();
    work.form = formOf();
    work.products.rate = plan::productRateOf(kernel);
    if (const std::optional<plan::WinogradNote> note = plan::winogradOf(kernel))
      work.products.winogradGain = double(note->directCycles) / double(note->cycles);
    for (auto &[argument, traffic] : touched) {
      const bool isWeight = argument < unsigned(kernel.getNumInputs()) &&
                            plan::rootOf(launch.getInputs()[argument]).getDefiningOp<plan::UseOp>();
      Traffic &sum = isWeight ? work.weights : work.tensors;
      sum.divided += traffic.divided;
      sum.whole += traffic.whole;
    }
    return work;
  }

private:
  WorkForm formOf() {
    switch (kernel.getKind()) {
    case plan::KernelKind::Attention:
    case plan::KernelKind::Separable:
      return WorkForm::Product;
    case plan::KernelKind::Contraction:
      return isProduct ? WorkForm::Product : hasWindows ? WorkForm::Depthwise : WorkForm::Streamed;
    case plan::KernelKind::Nest:
      return WorkForm::Pointwise;
    case plan::KernelKind::Row:
      return WorkForm::Row;
    case plan::KernelKind::Permute:
    case plan::KernelKind::Indexed:
      return WorkForm::Movement;
    case plan::KernelKind::Scan:
    case plan::KernelKind::Serial:
      return WorkForm::Scan;
    }
    llvm_unreachable("no other kind of kernel");
  }

  void addGeneric(linalg::GenericOp op) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    SmallVector<double> sizes(ranges.begin(), ranges.end());
    if (const std::optional<unsigned> ofKeys = keys.loopOf(op))
      sizes[*ofKeys] *= keys.part;
    double iterations = 1, points = 1;
    for (auto [size, type] : llvm::zip_equal(sizes, op.getIteratorTypesArray())) {
      iterations *= size;
      points *= type == utils::IteratorType::parallel ? size : 1;
    }
    const BodyCost cost = costOf(*op.getBody());
    const bool contracts = op.getNumDpsInputs() >= 2 && op.getNumReductionLoops() > 0;
    (contracts ? work.products.flops : work.flops) += cost.flops * iterations;
    work.products.areOfIntegers |= contracts && getElementTypeOrSelf(op.getResultTypes().front()).isInteger();
    work.products.areOfHalves |= contracts && multipliesHalves(op);
    work.functions += cost.functions * iterations;
    work.points = std::max(work.points, points);
    const bool hasTiles = contracts && usesOperandsAgain(op);
    isProduct |= hasTiles;
    hasWindows |= contracts && !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isProjectedPermutation();
    work.accesses += points * op.getNumDpsInits();
    for (OpOperand *operand : op.getDpsInputOperands())
      work.accesses += !hasTiles && op.payloadUsesValueFromOperand(operand) ? iterations : 0;

    auto target = cast<ShapedType>(kernel.getOutputs().front().getType());
    const llvm::SmallBitVector cut = cutLoops(op, kernel.getCutAxis(), target.getRank());
    for (OpOperand *operand : op.getDpsInputOperands())
      if (op.payloadUsesValueFromOperand(operand))
        touch(sliceOf(operand->get()), isDivided(op.getMatchingIndexingMap(operand), cut));
    for (OpOperand &operand : op.getDpsInitsMutable())
      touch(sliceOf(operand.get()), true);
    // Gathers and lookups read at most one element in each iteration.
    op.getBody()->walk([&](Operation *read) {
      auto extract = dyn_cast<tensor::ExtractOp>(read);
      auto lookup = dyn_cast<plan::LookupOp>(read);
      if (!extract && !lookup)
        return;
      Slice slice = sliceOf(extract ? extract.getTensor() : lookup.getTable());
      slice.bytes =
          std::min(slice.bytes, iterations * bytesOf(RankedTensorType::get({}, read->getResult(0).getType())));
      work.accesses += iterations;
      touch(slice, true);
    });
  }

  /// Counts a serial kernel, which reads and writes at most one element in each iteration. Reads at the index of the
  /// point are divided by the cut. Parallel iterations count as points. In kernels with parallel iterations, memory
  /// that only one point uses is assumed to cost no time.
  void addProgram(scf::ForallOp points) {
    double lanes = 1;
    points.getBody()->walk([&](Operation *op) {
      if (op->hasAttr(plan::kParallel))
        lanes = std::max(lanes, double(cast<scf::ForOp>(op).getStaticTripCount()->getZExtValue()));
    });
    auto isOfPoint = [&](Operation *op) {
      auto read = dyn_cast<tensor::ExtractOp>(op);
      return lanes > 1 && read && points.getRegion().isAncestor(read.getTensor().getParentRegion());
    };
    work.points = std::max(work.points, plan::countPoints(points) * lanes);
    points.getBody()->walk([&](Operation *op) {
      const double iterations = plan::countPoints(points) * plan::countIterations(points, op);
      const BodyCost cost = costOf(*op);
      work.flops += cost.flops * iterations;
      work.functions += cost.functions * iterations;
      work.accesses += isa<tensor::ExtractOp, tensor::InsertOp>(op) && !isOfPoint(op) ? iterations : 0;
      auto read = dyn_cast<tensor::ExtractOp>(op);
      if (!read || points.getRegion().isAncestor(read.getTensor().getParentRegion()))
        return;
      Slice slice = sliceOf(read.getTensor());
      slice.bytes = std::min(slice.bytes, iterations * bytesOf(RankedTensorType::get({}, read.getType())));
      touch(slice, llvm::is_contained(read.getIndices(), points.getInductionVar(0)));
    });
    for (Value target : points.getOutputs())
      touch(sliceOf(target), true);
  }

  /// Counts an argument, but only once if several operations read it.
  void touch(const Slice &slice, bool divided) {
    if (!slice.argument)
      return;
    Traffic &traffic = touched[*slice.argument];
    double &bytes = divided ? traffic.divided : traffic.whole;
    bytes = std::max(bytes, slice.bytes);
    if (traffic.whole > 0)
      traffic.divided = 0;
  }

  void assumeCopy() {
    for (BlockArgument argument : kernel.getBody().getArguments())
      touch(sliceOf(argument), true);
    work.points = cast<ShapedType>(kernel.getOutputs().front().getType()).getNumElements();
    work.accesses = 2 * work.points;
  }

  plan::LaunchOp launch;
  plan::KernelOp kernel;
  LaunchWork work;
  ComputedKeys keys;
  bool isProduct = false, hasWindows = false;
  llvm::MapVector<unsigned, Traffic> touched;
};

} // namespace

double Products::cpuFlops(const RateLimits &limits) const {
  const double most = areOfIntegers ? limits.integers : areOfHalves ? limits.halves : rate;
  return flops / (std::min(rate, most) * winogradGain);
}

LaunchWork readWork(plan::LaunchOp launch, plan::KernelOp kernel, double rivals) {
  LaunchWork work = Reader(launch, kernel).read();
  work.rivals = rivals;
  return work;
}

} // namespace nacre::price
