// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans rows that a loop selects by its counter, and stacks rows that it writes by its counter. Scanned and stacked
// rows are accessed in place. In contrast, a gather copies its row, and a scatter to a carried value copies the whole
// value in every iteration. Values that depend only on scanned rows can also move out of the loop.
//
// 1. An index is a multiple of the iteration's index plus an addend.
// 2. Rows that a gather selects by such an index from an outside value are scanned. The operand is a slice of this
//    value, with the selected axis first.
// 3. Rows that a scatter writes at such an index to a carried value are stacked, if the loop reads no other row of this
//    value. After the loop, they replace the rows of the initial value. In the loop, readers of these rows read the
//    initial value.
// Rows are in memory order, so the last iteration of a reverse loop has the first row.

#include "compiler/graph/Matching.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/Regions.h"
#include "dialects/TensorTypes.h"

#include "dialects/nn/NarrowTypes.h"
#include <cmath>

namespace nacre::graph {
#define GEN_PASS_DEF_SCANROWSPASS
#include "compiler/graph/Passes.h.inc"
} // namespace nacre::graph

using namespace mlir;

namespace nacre::graph {

namespace {

//===----------------------------------------------------------------------===//
// 1. Indices
//===----------------------------------------------------------------------===//

/// Index of a row in an iteration: `factor * iteration + addend`.
struct IterationIndex {
  int64_t factor, addend;

  int64_t at(int64_t iteration) const { return factor * iteration + addend; }
};

/// Largest number of rows of an axis. With this limit, no computation in this file overflows.
constexpr int64_t mostRows = int64_t(1) << 31;

std::optional<IterationIndex> findIndex(nn::ForOp loop, Value value) {
  if (value == loop.getCounter())
    return IterationIndex{1, 0};
  if (std::optional<double> number = getNumber(value); number && std::fabs(*number) <= double(mostRows))
    return IterationIndex{0, int64_t(*number)};
  Operation *op = value.getDefiningOp();
  if (!op || typeOf(value).getNumElements() != 1)
    return std::nullopt;
  if (auto cast = dyn_cast<nn::CastOp>(op)) {
    const bool keeps = cast.getType().getElementType().isSignlessInteger() &&
                       cast.getType().getElementTypeBitWidth() >= 32 &&
                       typeOf(cast.getOperand()).getElementType().isSignlessInteger();
    return keeps ? findIndex(loop, cast.getOperand()) : std::nullopt;
  }
  if (isa<nn::ReshapeOp, nn::BroadcastOp>(op))
    return findIndex(loop, op->getOperand(0));
  auto binary = dyn_cast<nn::BinaryOp>(op);
  if (!binary || !binary.getType().getElementType().isSignlessInteger())
    return std::nullopt;
  std::optional<IterationIndex> a = findIndex(loop, binary.getLhs()), b = findIndex(loop, binary.getRhs());
  if (!a || !b)
    return std::nullopt;
  IterationIndex result;
  if (binary.getKind() == nn::BinaryKind::Add)
    result = {a->factor + b->factor, a->addend + b->addend};
  else if (binary.getKind() == nn::BinaryKind::Sub)
    result = {a->factor - b->factor, a->addend - b->addend};
  else if (binary.getKind() == nn::BinaryKind::Mul && (a->factor == 0 || b->factor == 0))
    result = {a->factor * b->addend + a->addend * b->factor, a->addend * b->addend};
  else
    return std::nullopt;
  if (std::abs(result.factor) > mostRows || std::abs(result.addend) > mostRows)
    return std::nullopt;
  return result;
}

/// Returns `value` as a function of the position of the iteration's row in scanned and stacked values. Returns
/// `nullopt` if it is not linear.
std::optional<IterationIndex> findRowIndex(nn::ForOp loop, Value value) {
  std::optional<IterationIndex> index = findIndex(loop, value);
  if (!index || !loop.getReverse())
    return index;
  const int64_t iterations = loop.getTripCount();
  if (iterations > mostRows || std::abs(index->factor) > mostRows / std::max<int64_t>(iterations, 1))
    return std::nullopt;
  return IterationIndex{-index->factor, index->at(iterations - 1)};
}

/// True if all iterations of `loop` select a valid row of `rows` rows, and no two iterations select the same row.
bool staysWithin(nn::ForOp loop, IterationIndex index, int64_t rows) {
  int64_t iterations = loop.getTripCount();
  if (index.factor == 0 || iterations == 0 || iterations > mostRows || std::abs(index.factor) > mostRows / iterations)
    return false;
  auto isRow = [&](int64_t row) { return row >= 0 && row < rows; };
  return isRow(index.at(0)) && isRow(index.at(iterations - 1));
}

//===----------------------------------------------------------------------===//
// 2. Reading
//===----------------------------------------------------------------------===//

/// Returns the body argument of `loop` for the row of `rows` in each iteration. Scans `rows` if the loop does not yet.
Value scan(IRRewriter &rewriter, nn::ForOp loop, Value rows) {
  for (auto [scanned, argument] : llvm::zip_equal(loop.getScanned(), loop.getScannedArguments()))
    if (scanned == rows)
      return argument;
  RankedTensorType type = typeOf(rows);
  rewriter.modifyOpInPlace(loop, [&] {
    loop.getScannedMutable().append(rows);
    loop.getBody().addArgument(type.clone(type.getShape().drop_front()), loop.getLoc());
  });
  return loop.getBody().getArguments().back();
}

/// Replaces a gather by a scan. `rows`, the operand of the gather, is computed outside of the loop.
void replaceGather(IRRewriter &rewriter, nn::ForOp loop, nn::GatherOp gather, Value rows, IterationIndex index) {
  rewriter.setInsertionPoint(loop);
  Value row = scan(
      rewriter, loop,
      makeRows(rewriter, gather.getLoc(), rows, gather.getAxis(), {index.addend, loop.getTripCount(), index.factor}));
  rewriter.setInsertionPoint(gather);
  if (row.getType() == gather.getType())
    rewriter.replaceOp(gather, row);
  else
    rewriter.replaceOpWithNewOp<nn::ReshapeOp>(gather, gather.getType(), row);
}

bool scanGather(IRRewriter &rewriter, nn::ForOp loop, nn::GatherOp gather) {
  if (nn::isNarrow(gather.getType().getElementType()) || typeOf(gather.getIndices()).getNumElements() != 1 ||
      !isOutside(gather.getOperand(), loop))
    return false;
  std::optional<IterationIndex> index = findRowIndex(loop, gather.getIndices());
  if (!index || !staysWithin(loop, *index, typeOf(gather.getOperand()).getDimSize(gather.getAxis())))
    return false;
  replaceGather(rewriter, loop, gather, gather.getOperand(), *index);
  return true;
}

//===----------------------------------------------------------------------===//
// 3. Writing
//===----------------------------------------------------------------------===//

struct WrittenRow {
  nn::ScatterNdOp scatter;
  IterationIndex index;
};

/// Returns the scatter that computes the next value of the carried value with index `carried`. Returns `nullopt` if it
/// does not write exactly one row, or if the loop reads another row.
std::optional<WrittenRow> findWrittenRow(nn::ForOp loop, unsigned carried) {
  auto scatter = loop.getYield().getCarried()[carried].getDefiningOp<nn::ScatterNdOp>();
  BlockArgument argument = loop.getCarriedArguments()[carried];
  if (!scatter || loop.getCount() || scatter.getOperand() != argument || !scatter->hasOneUse() ||
      !llvm::is_contained({nn::ScatterKind::Set, nn::ScatterKind::Add}, scatter.getKind()) ||
      typeOf(scatter.getIndices()).getNumElements() != 1)
    return std::nullopt;
  std::optional<IterationIndex> index = findRowIndex(loop, scatter.getIndices());
  if (!index || std::abs(index->factor) != 1 || !staysWithin(loop, *index, typeOf(argument).getDimSize(0)))
    return std::nullopt;
  for (OpOperand &use : argument.getUses()) {
    auto gather = dyn_cast<nn::GatherOp>(use.getOwner());
    const bool readsRow = gather && gather.getOperand() == argument && gather.getAxis() == 0 &&
                          typeOf(gather.getIndices()).getNumElements() == 1 &&
                          !nn::isNarrow(gather.getType().getElementType());
    std::optional<IterationIndex> read = readsRow ? findRowIndex(loop, gather.getIndices()) : std::nullopt;
    const bool isSame = read && read->factor == index->factor && read->addend == index->addend;
    if (use.getOwner() != scatter && !isSame)
      return std::nullopt;
  }
  return WrittenRow{scatter, *index};
}

/// Returns `before`, with the rows that the iterations have written replaced by `rows`.
Value placeRows(OpBuilder &builder, Location loc, Value rows, Value before, IterationIndex index, int64_t iterations) {
  int64_t first = std::min(index.at(0), index.at(iterations - 1)), behind = first + iterations,
          all = typeOf(before).getDimSize(0);
  if (index.factor < 0)
    rows = makeRows(builder, loc, rows, 0, {iterations - 1, iterations, -1});
  SmallVector<Value> parts;
  if (first > 0)
    parts.push_back(makeRows(builder, loc, before, 0, {0, first, 1}));
  parts.push_back(rows);
  if (behind < all)
    parts.push_back(makeRows(builder, loc, before, 0, {behind, all - behind, 1}));
  return parts.size() == 1 ? rows : Value(nn::ConcatOp::create(builder, loc, parts, uint64_t(0)));
}

/// Replaces a stack that only copies scanned rows by the value that is scanned.
void replaceCopies(IRRewriter &rewriter, nn::ForOp loop) {
  for (auto [stack, row] : llvm::zip_equal(loop.getStacks(), loop.getYield().getStacked()))
    for (auto [scanned, argument] : llvm::zip_equal(loop.getScanned(), loop.getScannedArguments()))
      if (row == argument)
        rewriter.replaceAllUsesWith(stack, scanned);
}

/// Creates the loop again, with a stack instead of the carried value with index `carried`.
nn::ForOp stackRows(IRRewriter &rewriter, nn::ForOp loop, unsigned carried, WrittenRow written) {
  Location loc = loop.getLoc();
  Value before = loop.getInitial()[carried];
  RankedTensorType type = typeOf(before);
  SmallVector<int64_t> stacked(type.getShape());
  stacked[0] = loop.getTripCount();

  // No iteration reads a row that another iteration has written, so readers may use the initial value.
  for (Operation *reader : llvm::make_early_inc_range(loop.getCarriedArguments()[carried].getUsers()))
    if (auto gather = dyn_cast<nn::GatherOp>(reader))
      replaceGather(rewriter, loop, gather, before, written.index);
  RankedTensorType rowType = type.clone(type.getShape().drop_front());
  Value summand;
  if (written.scatter.getKind() == nn::ScatterKind::Add) {
    rewriter.setInsertionPoint(loop);
    summand =
        scan(rewriter, loop,
             makeRows(rewriter, loc, before, 0, {written.index.addend, loop.getTripCount(), written.index.factor}));
  }

  nn::YieldOp yield = loop.getYield();
  rewriter.setInsertionPoint(yield);
  Value row = nn::ReshapeOp::create(rewriter, loc, rowType, written.scatter.getUpdates());
  if (summand)
    row = nn::BinaryOp::create(rewriter, loc, nn::BinaryKind::Add, summand, row);
  SmallVector<Value> rows(yield.getStacked());
  rows.push_back(row);
  SmallVector<Value> values(yield.getCarried());
  values[carried] = loop.getCarriedArguments()[carried]; // This argument is unused from now on.
  rewriter.replaceOpWithNewOp<nn::YieldOp>(yield, values, rows);

  rewriter.setInsertionPoint(loop);
  SmallVector<Type> types(loop->getResultTypes());
  types.push_back(type.clone(stacked));
  auto changed = nn::ForOp::create(rewriter, loc, types, loop.getTripCount(), loop.getCount(), loop.getInitial(),
                                   loop.getScanned(), loop.getReverse());
  rewriter.inlineRegionBefore(loop.getBody(), changed.getBody(), changed.getBody().end());
  SmallVector<Value> results(changed.getValues().drop_back());
  results[carried] = placeRows(rewriter, loc, changed.getValues().back(), before, written.index, loop.getTripCount());
  rewriter.replaceOp(loop, results);
  return changed;
}

struct ScanRows : impl::ScanRowsPassBase<ScanRows> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (Operation *op : findControl(getOperation())) {
      auto loop = dyn_cast<nn::ForOp>(op);
      if (!loop)
        continue;
      SmallVector<nn::GatherOp> gathers;
      loop.getBody().walk([&](nn::GatherOp gather) { gathers.push_back(gather); });
      for (nn::GatherOp gather : gathers)
        numScanned += scanGather(rewriter, loop, gather);
      for (unsigned carried = 0; carried < loop.getInitial().size(); ++carried)
        if (std::optional<WrittenRow> written = findWrittenRow(loop, carried)) {
          loop = stackRows(rewriter, loop, carried, *written);
          ++numStacked;
        }
      replaceCopies(rewriter, loop);
    }
  }
};

} // namespace

} // namespace nacre::graph
