// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SumsOfPads.h.

#include "compiler/graph/simplify/SumsOfPads.h"

#include "dialects/nn/NnDialect.h"

using namespace mlir;

namespace nacre::graph {

namespace {

/// Returns the only user of `op`, if it is an addition of the same shape in the same block, or null.
nn::BinaryOp getOuterSum(nn::BinaryOp op) {
  auto outer = op->hasOneUse() ? dyn_cast<nn::BinaryOp>(*op->user_begin()) : nn::BinaryOp();
  return outer && outer.getKind() == nn::BinaryKind::Add && outer.getType() == op.getType() &&
                 outer->getBlock() == op->getBlock()
             ? outer
             : nn::BinaryOp();
}

/// Appends the terms of the tree of additions that ends in `sum`, from left to right.
void collectTerms(nn::BinaryOp sum, SmallVectorImpl<Value> &terms) {
  for (Value operand : sum->getOperands())
    if (auto inner = operand.getDefiningOp<nn::BinaryOp>();
        inner && inner.getKind() == nn::BinaryKind::Add && getOuterSum(inner) == sum)
      collectTerms(inner, terms);
    else
      terms.push_back(operand);
}

bool isZero(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().isZero();
  auto integer = dyn_cast<IntegerAttr>(value);
  return integer && integer.getValue().isZero();
}

/// Term that is zero except for the range of `part`, which begins at `begin` along `axis`.
struct Padded {
  size_t term;
  int64_t axis, begin, end;
  Value part;
};

std::optional<Padded> findPadded(Value value, size_t term) {
  auto pad = value.getDefiningOp<nn::PadOp>();
  if (!pad || !pad->hasOneUse() || pad.getMode() != nn::PadMode::Constant || !isZero(pad.getValue()))
    return std::nullopt;
  std::optional<Padded> found;
  for (auto [axis, low, high] : llvm::enumerate(pad.getLow(), pad.getHigh())) {
    if (low == 0 && high == 0)
      continue;
    if (low < 0 || high < 0 || found)
      return std::nullopt;
    const int64_t size = pad.getOperand().getType().getShape()[axis];
    found = {term, int64_t(axis), low, low + size, pad.getOperand()};
  }
  return found;
}

struct SumOfPads : OpRewritePattern<nn::BinaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BinaryOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != nn::BinaryKind::Add || getOuterSum(op))
      return rewriter.notifyMatchFailure(op, "expected the last of several additions");
    SmallVector<Value> terms;
    collectTerms(op, terms);
    SmallVector<Padded> padded;
    for (auto [index, term] : llvm::enumerate(terms))
      if (std::optional<Padded> found = term.getType() == op.getType() ? findPadded(term, index) : std::nullopt)
        padded.push_back(*found);
    llvm::stable_sort(
        padded, [](const Padded &a, const Padded &b) { return std::tie(a.axis, a.begin) < std::tie(b.axis, b.begin); });
    bool changed = false;
    for (ArrayRef<Padded> rest = padded; !rest.empty();) {
      size_t count = 1;
      while (count < rest.size() && rest[count].axis == rest[0].axis && rest[count].begin == rest[count - 1].end)
        ++count;
      if (count > 1) {
        join(op, rest.take_front(count), terms, rewriter);
        changed = true;
      }
      rest = rest.drop_front(count);
    }
    if (!changed)
      return rewriter.notifyMatchFailure(op, "expected adjacent slices between zeros");
    Value sum;
    for (Value term : terms)
      if (term)
        sum = sum ? nn::BinaryOp::create(rewriter, op.getLoc(), nn::BinaryKind::Add, sum, term) : term;
    rewriter.replaceOp(op, sum);
    return success();
  }

private:
  /// Replaces the terms of `run` by one term, at the position of the first one.
  static void join(nn::BinaryOp op, ArrayRef<Padded> run, SmallVectorImpl<Value> &terms, PatternRewriter &rewriter) {
    const int64_t axis = run.front().axis, size = op.getType().getShape()[axis];
    Value joined = nn::ConcatOp::create(
        rewriter, op.getLoc(), llvm::map_to_vector(run, [](const Padded &padded) { return padded.part; }), axis);
    if (run.front().begin > 0 || run.back().end < size) {
      SmallVector<int64_t> low(op.getType().getRank(), 0), high(low);
      low[axis] = run.front().begin;
      high[axis] = size - run.back().end;
      auto pad = terms[run.front().term].getDefiningOp<nn::PadOp>();
      joined = nn::PadOp::create(rewriter, op.getLoc(), nn::PadMode::Constant, joined, low, high, pad.getValue());
    }
    size_t first = terms.size();
    for (const Padded &padded : run) {
      first = std::min(first, padded.term);
      terms[padded.term] = Value();
    }
    terms[first] = joined;
  }
};

} // namespace

void addSumsOfPads(RewritePatternSet &patterns) { patterns.add<SumOfPads>(patterns.getContext()); }

} // namespace nacre::graph
