// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers groups of rows (fusion/RowGroups.h): reductions of the same axes, and operators on their results.
//
// The kernel has one operation for each reduction. If columns read a value per row, a separate operation computes it
// once per row. If several members read a value per column, a separate operation computes it, too. Each reader computes
// all other values itself.

#include "compiler/kernels/bodies/ScalarBodies.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nacre::kernels {

namespace {

class RowsLowering {
public:
  explicit RowsLowering(KernelBody &body)
      : body(body), anchor(cast<nn::ReduceOp>(body.getGroup().anchor)), whole(shapeOf(anchor.getOperand())) {}

  LogicalResult lower() {
    for (Operation *member : body.getGroup().members) {
      Value result = member->getResult(0);
      if (auto reduction = dyn_cast<nn::ReduceOp>(member))
        defineReduction(reduction);
      else if (result != body.getGroup().result && (isRowValue(result) ? columnsRead(member) : isShared(member)))
        defineMap(result);
    }
    body.setUncuttable(anchor.getAxes());
    return body.finish();
  }

private:
  bool isRowValue(Value value) const { return shapeOf(value) != whole; }

  /// True if a member reads, for each column, the value per row that `member` computes.
  bool columnsRead(Operation *member) const {
    return llvm::any_of(member->getUsers(), [&](Operation *user) {
      return body.getGroup().members.contains(user) && !isRowValue(user->getResult(0));
    });
  }

  /// True if several members read the result of `member`, and `member` is more than a conversion.
  bool isShared(Operation *member) const {
    const llvm::SmallPtrSet<Operation *, 4> users(member->user_begin(), member->user_end());
    return users.size() > 1 && !isa<nn::CastOp>(member);
  }

  void defineReduction(nn::ReduceOp op) {
    const Type type = getComputeType(elementTypeOf(op.getOperand()));
    const bool isUnsigned = elementTypeOf(op.getOperand()).isUnsignedInteger();
    const bool isMean = op.getKind() == nn::ReduceKind::Mean;
    const nn::ReduceKind kind = isMean ? nn::ReduceKind::Sum : op.getKind();
    OpBuilder &builder = body.getBuilder();
    Location loc = body.getLoc();
    Sweep sweep;
    sweep.shape.assign(whole.begin(), whole.end());
    sweep.values = {op.getOperand()};
    SmallVector<int64_t> rows;
    SmallVector<AffineExpr> kept;
    int64_t columns = 1;
    for (auto [axis, size] : llvm::enumerate(whole)) {
      const bool isReduced = llvm::is_contained(op.getAxes(), int64_t(axis));
      sweep.iterators.push_back(isReduced ? utils::IteratorType::reduction : utils::IteratorType::parallel);
      columns *= isReduced ? size : 1;
      if (!isReduced) {
        rows.push_back(size);
        kept.push_back(builder.getAffineDimExpr(axis));
      }
    }
    sweep.destinationMap = AffineMap::get(whole.size(), 0, kept, body.getContext());
    sweep.destination = body.fill(getIdentity(kind, type, isUnsigned), body.empty(rows, type));
    sweep.body = [&](OpBuilder &b, ValueRange values, ValueRange, Value old) {
      return combine(b, loc, kind, old, values[0], isUnsigned);
    };
    Value reduced = body.emitSweep(sweep);
    // The result keeps the reduced axes as axes of size 1, so the map uses all axes of its shape.
    body.define(op.getResult(), {{reduced}, {sweep.destinationMap}, [=](OpBuilder &b, ValueRange scalars) -> Value {
                                   if (!isMean)
                                     return scalars[0];
                                   return arith::MulFOp::create(b, loc, scalars[0],
                                                                emitConstant(b, loc, type, 1.0 / double(columns)));
                                 }});
  }

  void defineMap(Value value) {
    Sweep sweep;
    sweep.shape = llvm::to_vector(shapeOf(value));
    sweep.values = {value};
    sweep.destination = body.empty(sweep.shape, getComputeType(elementTypeOf(value)));
    sweep.body = [](OpBuilder &, ValueRange values, ValueRange, Value) { return values[0]; };
    body.defineAs(value, body.emitSweep(sweep));
  }

  KernelBody &body;
  nn::ReduceOp anchor;
  const ArrayRef<int64_t> whole;
};

} // namespace

LogicalResult lowerRows(KernelBody &body) { return RowsLowering(body).lower(); }

} // namespace nacre::kernels
