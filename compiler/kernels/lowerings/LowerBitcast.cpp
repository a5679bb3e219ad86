// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reinterprets the bits of elements. There are three cases. Elements of the same size are converted. If elements become
// smaller, a table says by how many bits to shift for each part. If elements become larger, parts are shifted left and
// joined.
//
// A result that is stored directly keeps the bits of the operand. Even a conversion of a NaN from f16 to f32 may change
// bits.

#include "compiler/kernels/bodies/NarrowBodies.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "dialects/TensorTypes.h"
#include "dialects/nn/NarrowTypes.h"

using namespace mlir;

namespace nacre::kernels {

namespace {

/// Definition of a stored element of the result, computed from the elements of `tensors` at `maps`.
struct Regrouping {
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  std::function<Value(OpBuilder &, ValueRange)> scalar;
};

Regrouping convert(KernelBody &body, nn::BitcastOp op) {
  Type from = typeOf(op.getOperand()).getElementType(), to = op.getType().getElementType();
  AffineMap identity = body.getBuilder().getMultiDimIdentityMap(body.getShape(op.getResult()).size());
  return {{body.read(op.getOperand())}, {identity}, [=, loc = body.getLoc()](OpBuilder &b, ValueRange scalars) {
            Scalars s{b, loc};
            return emitElement(s, emitBits(s, scalars[0], from), to);
          }};
}

Regrouping split(KernelBody &body, nn::BitcastOp op) {
  Type from = typeOf(op.getOperand()).getElementType(), to = op.getType().getElementType();
  const int64_t rank = op.getType().getRank(), parts = op.getType().getShape().back();
  SmallVector<int32_t> shifts;
  for (int64_t part = 0; part < parts; ++part)
    shifts.push_back(int32_t(part * to.getIntOrFloatBitWidth()));
  Builder &builder = body.getBuilder();
  auto tableType = RankedTensorType::get({parts}, builder.getI32Type());
  Value table = body.readTable(DenseElementsAttr::get(tableType, ArrayRef<int32_t>(shifts)));
  SmallVector<AffineExpr> outer(builder.getMultiDimIdentityMap(rank).getResults().drop_back());
  return {{body.read(op.getOperand()), table},
          {AffineMap::get(rank, 0, outer, body.getContext()),
           AffineMap::get(rank, 0, builder.getAffineDimExpr(rank - 1), body.getContext())},
          [=, loc = body.getLoc()](OpBuilder &b, ValueRange scalars) {
            Scalars s{b, loc};
            // Some targets have no instructions that shift bytes.
            const unsigned width = std::max(32u, from.getIntOrFloatBitWidth());
            Value bits = resize(s, emitBits(s, scalars[0], from), width);
            return emitElement(s, s.make<arith::ShRUIOp>(bits, resize(s, scalars[1], width)), to);
          }};
}

Regrouping join(KernelBody &body, nn::BitcastOp op) {
  Type from = typeOf(op.getOperand()).getElementType(), to = op.getType().getElementType();
  const int64_t rank = op.getType().getRank(), parts = typeOf(op.getOperand()).getShape().back();
  Builder &builder = body.getBuilder();
  Regrouping result;
  for (int64_t part = 0; part < parts; ++part) {
    SmallVector<AffineExpr> position(builder.getMultiDimIdentityMap(rank).getResults());
    position.push_back(builder.getAffineConstantExpr(part));
    result.tensors.push_back(body.read(op.getOperand()));
    result.maps.push_back(AffineMap::get(rank, 0, position, body.getContext()));
  }
  result.scalar = [=, loc = body.getLoc()](OpBuilder &b, ValueRange scalars) {
    Scalars s{b, loc};
    const unsigned width = std::max(32u, to.getIntOrFloatBitWidth());
    Value joined;
    for (auto [part, scalar] : llvm::enumerate(scalars)) {
      Value bits = resize(s, emitBits(s, scalar, from), width);
      if (part == 0) {
        joined = bits;
        continue;
      }
      Value amount = s.like(bits, double(part * from.getIntOrFloatBitWidth()));
      joined = s.make<arith::OrIOp>(joined, s.make<arith::ShLIOp>(bits, amount));
    }
    return emitElement(s, joined, to);
  };
  return result;
}

} // namespace

LogicalResult lowerBitcast(KernelBody &body, nn::BitcastOp op) {
  const int64_t from = op.getOperand().getType().getRank(), to = op.getType().getRank();
  Regrouping work = from == to ? convert(body, op) : from < to ? split(body, op) : join(body, op);
  if (body.getGroup().result == op.getResult()) {
    Sweep sweep;
    sweep.shape = body.getShape(op.getResult());
    sweep.tensors = work.tensors;
    sweep.maps = work.maps;
    sweep.destination = body.getTarget();
    sweep.body = [&](OpBuilder &b, ValueRange, ValueRange scalars, Value) { return work.scalar(b, scalars); };
    return body.finishWith(body.emitSweep(sweep));
  }
  Type elementType = op.getType().getElementType();
  body.define(op.getResult(),
              {work.tensors, work.maps,
               [scalar = work.scalar, elementType, loc = body.getLoc()](OpBuilder &b, ValueRange scalars) {
                 return fromStorage(b, loc, scalar(b, scalars), elementType);
               }});
  return body.finish();
}

} // namespace nacre::kernels
