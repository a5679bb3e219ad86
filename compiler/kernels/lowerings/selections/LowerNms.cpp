// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers non-maximum suppression to a serial program. A point is one class of one image. Few boxes are candidates, and
// few candidates are taken. A heap sorts only the candidates that are needed.
//
// 1. Boxes and their overlap.
// 2. The candidates, in a heap.
// 3. The boxes taken, each after a comparison with all boxes taken before.

#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/bodies/SerialBody.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "compiler/kernels/lowerings/selections/SerialHeap.h"
#include "compiler/kernels/lowerings/selections/SerialWriter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nacre::kernels {
namespace {

using Writer = SerialWriter;

class NmsWriter {
public:
  NmsWriter(KernelBody &body, nn::NmsOp op)
      : op(op), loc(body.getLoc()), boxes(body.read(op.getBoxes())), scores(body.read(op.getScores())),
        most(body.read(op.getMost())), iouThreshold(body.read(op.getIouThreshold())),
        scoreThreshold(op.getScoreThreshold() ? body.read(op.getScoreThreshold()) : Value()) {}

  SmallVector<Value> write(OpBuilder &ops, const SerialPoint &point, ValueRange parts) {
    batch = point.at[0];
    category = point.at[1];
    Writer w{ops, loc};
    SmallVector<Value> candidates = findCandidates(w);
    return takeBest(w, candidates[0], candidates[1], parts);
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. Boxes
  //===--------------------------------------------------------------------===//

  /// Loads an element of an operand in its compute type, which is the same for all operands.
  Value number(Writer w, Value host, Value tensor, ValueRange at) {
    Type elementType = cast<RankedTensorType>(host.getType()).getElementType();
    return fromStorage(w.ops, loc, w.load(tensor, at), elementType);
  }

  Value scoreOf(Writer w, Value box) { return number(w, op.getScores(), scores, {batch, category, box}); }

  /// Returns the lower and the upper end of a box along one of its two axes.
  std::pair<Value, Value> endsOf(Writer w, Value box, int64_t axis) {
    Value a = number(w, op.getBoxes(), boxes, {batch, box, w.index(axis)});
    Value b = number(w, op.getBoxes(), boxes, {batch, box, w.index(axis + 2)});
    if (!op.getCentered())
      return {arith::MinimumFOp::create(w.ops, loc, a, b), arith::MaximumFOp::create(w.ops, loc, a, b)};
    Value half = arith::MulFOp::create(w.ops, loc, b, emitConstant(w.ops, loc, b.getType(), 0.5));
    return {arith::SubFOp::create(w.ops, loc, a, half), arith::AddFOp::create(w.ops, loc, a, half)};
  }

  /// True if two boxes meet along the first axis. Most pairs do not: exporters move the boxes of each class to a place
  /// of their own.
  Value meet(Writer w, Value box, Value other) {
    auto [low, high] = endsOf(w, box, 0);
    auto [otherLow, otherHigh] = endsOf(w, other, 0);
    auto isMore = [&](Value a, Value b) -> Value {
      return arith::CmpFOp::create(w.ops, loc, arith::CmpFPredicate::OGT, a, b);
    };
    return w.both(isMore(high, otherLow), isMore(otherHigh, low));
  }

  /// True if the overlap of two boxes exceeds the threshold. Boxes without area overlap nothing.
  Value overlap(Writer w, Value box, Value other) {
    auto isMore = [&](Value a, Value b) -> Value {
      return arith::CmpFOp::create(w.ops, loc, arith::CmpFPredicate::OGT, a, b);
    };
    Value common, area, otherArea, zero;
    auto times = [&](Value &product, Value length) {
      product = product ? arith::MulFOp::create(w.ops, loc, product, length) : length;
    };
    for (int64_t axis : {0, 1}) {
      auto [low, high] = endsOf(w, box, axis);
      auto [otherLow, otherHigh] = endsOf(w, other, axis);
      zero = emitConstant(w.ops, loc, low.getType(), 0);
      Value from = arith::MaximumFOp::create(w.ops, loc, low, otherLow);
      Value to = arith::MinimumFOp::create(w.ops, loc, high, otherHigh);
      times(common, arith::MaximumFOp::create(w.ops, loc, arith::SubFOp::create(w.ops, loc, to, from), zero));
      times(area, arith::SubFOp::create(w.ops, loc, high, low));
      times(otherArea, arith::SubFOp::create(w.ops, loc, otherHigh, otherLow));
    }
    Value both = arith::SubFOp::create(w.ops, loc, arith::AddFOp::create(w.ops, loc, area, otherArea), common);
    Value threshold = number(w, op.getIouThreshold(), iouThreshold, {});
    Value hasAreas = w.both(isMore(area, zero), isMore(otherArea, zero));
    Value isSame = isMore(arith::DivFOp::create(w.ops, loc, common, both), threshold);
    return w.both(w.both(hasAreas, isMore(common, zero)), isSame);
  }

  //===--------------------------------------------------------------------===//
  // 2. Candidates
  //===--------------------------------------------------------------------===//

  SerialHeap heapOfBoxes() {
    return {loc,
            [this](OpBuilder &b, ValueRange tensors, Value position) -> Scalars {
              return {Writer{b, loc}.load(tensors[0], position)};
            },
            [this](OpBuilder &b, ValueRange tensors, Value position, ValueRange element) -> Scalars {
              return {Writer{b, loc}.store(tensors[0], position, element[0])};
            },
            [this](OpBuilder &b, ValueRange x, ValueRange y) -> Value {
              Writer w{b, loc};
              Value mine = scoreOf(w, w.toIndex(x[0])), its = scoreOf(w, w.toIndex(y[0]));
              auto isMore = [&](Value a, Value c) -> Value {
                return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, a, c);
              };
              Value isTie = w.negate(w.either(isMore(mine, its), isMore(its, mine)));
              return w.either(isMore(mine, its), w.both(isTie, w.less(x[0], y[0])));
            }};
  }

  /// Returns the heap of the candidates, and the number of candidates.
  SmallVector<Value> findCandidates(Writer w) {
    const int64_t number = op.getBoxes().getType().getDimSize(1);
    Value scratch = tensor::EmptyOp::create(w.ops, loc, ArrayRef<int64_t>(number), w.ops.getI64Type());
    SmallVector<Value> found =
        emitLoop(w.ops, loc, w.index(0), w.index(number), {scratch, w.index(0)},
                 [&](OpBuilder &inside, Value iteration, ValueRange values) -> SmallVector<Value> {
                   Writer w{inside, loc};
                   // Each box is written after the candidates found so far. The next write replaces it unless it is a
                   // candidate.
                   Value score = scoreOf(w, iteration), next = w.add(values[1], 1);
                   Value isCandidate =
                       scoreThreshold
                           ? arith::CmpFOp::create(inside, loc, arith::CmpFPredicate::OGT, score,
                                                   this->number(w, op.getScoreThreshold(), scoreThreshold, {}))
                           : arith::CmpFOp::create(inside, loc, arith::CmpFPredicate::ORD, score, score);
                   next = w.choose(isCandidate, next, values[1]);
                   return {w.store(values[0], values[1], w.toInteger(iteration)), next};
                 });
    return {makeHeap(w.ops, heapOfBoxes(), found[0], found[1]).front(), found[1]};
  }

  //===--------------------------------------------------------------------===//
  // 3. Boxes taken
  //===--------------------------------------------------------------------===//

  Value isSuppressed(Writer w, Value box, Value selected, Value taken, Value zero) {
    auto loop = scf::WhileOp::create(
        w.ops, loc, TypeRange{w.ops.getI1Type(), w.ops.getIndexType()}, ValueRange{w.yes(false), w.index(0)},
        [&](OpBuilder &inside, Location, ValueRange values) {
          Writer w{inside, loc};
          scf::ConditionOp::create(inside, loc, w.both(w.negate(values[0]), w.less(values[1], taken)), values);
        },
        [&](OpBuilder &inside, Location, ValueRange values) {
          Writer w{inside, loc};
          Value other = w.toIndex(w.load(selected, {zero, zero, values[1]}));
          Value isSame = emitIf(inside, loc, meet(w, box, other), w.yes(false), [&](OpBuilder &close, ValueRange) {
                           return SmallVector<Value>{overlap(Writer{close, loc}, box, other)};
                         }).front();
          scf::YieldOp::create(inside, loc, {isSame, w.add(values[1], 1)});
        });
    return loop.getResult(0);
  }

  SmallVector<Value> takeBest(Writer w, Value candidates, Value count, ValueRange parts) {
    Value zero = w.index(0), limit = w.index(int64_t(op.getLimit()));
    Value allowed = w.load(most, {});
    if (!allowed.getType().isInteger(64))
      allowed = arith::ExtSIOp::create(w.ops, loc, w.ops.getI64Type(), allowed);
    allowed = arith::MinSIOp::create(w.ops, loc, allowed, w.integer(int64_t(op.getLimit())));
    allowed = arith::MaxSIOp::create(w.ops, loc, allowed, w.integer(0)); // An index has 32 bits on a GPU.
    allowed = w.toIndex(allowed);
    SmallVector<Value> carried{parts[0], candidates, zero, count};
    auto loop = scf::WhileOp::create(
        w.ops, loc, ValueRange(carried).getTypes(), carried,
        [&](OpBuilder &inside, Location, ValueRange values) {
          Writer w{inside, loc};
          scf::ConditionOp::create(inside, loc, w.both(w.less(values[2], allowed), w.less(zero, values[3])), values);
        },
        [&](OpBuilder &inside, Location, ValueRange values) {
          Writer w{inside, loc};
          Value best = w.load(values[1], zero), left = w.sub(values[3], 1), last = w.load(values[1], left);
          Value rest = sink(inside, heapOfBoxes(), values[1], last, zero, left).front();
          Value goes = isSuppressed(w, w.toIndex(best), values[0], values[2], zero);
          // The box is written after the boxes taken so far. The next write replaces it if it is suppressed.
          Value selected = w.store(values[0], {zero, zero, values[2]}, best);
          Value taken = w.choose(goes, values[2], w.add(values[2], 1));
          scf::YieldOp::create(inside, loc, {selected, rest, taken, left});
        });
    Value taken = loop.getResult(2);
    Value selected = emitLoop(w.ops, loc, taken, limit, loop.getResult(0),
                              [&](OpBuilder &inside, Value iteration, ValueRange values) -> SmallVector<Value> {
                                Writer w{inside, loc};
                                return {w.store(values[0], {zero, zero, iteration}, w.integer(0))};
                              })
                         .front();
    return {selected, w.store(parts[1], {zero, zero, zero}, w.toInteger(taken))};
  }

  nn::NmsOp op;
  Location loc;
  Value boxes, scores, most, iouThreshold, scoreThreshold;
  Value batch, category; ///< Indices of the point.
};

} // namespace

LogicalResult lowerNms(KernelBody &body, nn::NmsOp op) {
  NmsWriter writer(body, op);
  SerialPoints points;
  points.axes = {0, 1};
  return finishSerial(body, points, [&](OpBuilder &ops, const SerialPoint &point, ValueRange parts) {
    return writer.write(ops, point, parts);
  });
}

} // namespace nacre::kernels
