// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has three parts: 1. loops over the points (axes of size 1 have no loop); 2. the part of each result; 3.
// control flow.

#include "compiler/kernels/bodies/SerialBody.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace nacre::kernels {
namespace {

class SerialWriter {
public:
  SerialWriter(KernelBody &body, const SerialPoints &points)
      : body(body), loc(body.getLoc()), ops(body.getBuilder()), shape(shapeOf(body.getTarget())) {
    chooseLoops(points);
  }

  LogicalResult finish(SerialProgram program) {
    SmallVector<Value> targets;
    for (unsigned result = 0; result < body.getGroup().results.size(); ++result)
      targets.push_back(body.getTarget(result));
    SmallVector<OpFoldResult> begins(loops.size(), ops.getIndexAttr(0)), ends, steps;
    for (const Loop &loop : loops) {
      ends.push_back(ops.getIndexAttr(loop.extent));
      steps.push_back(ops.getIndexAttr(loop.step));
    }
    auto forall = scf::ForallOp::create(ops, loc, begins, ends, steps, targets, /*mapping=*/std::nullopt);
    OpBuilder inside = OpBuilder::atBlockBegin(forall.getBody());
    SerialPoint point = getPoint(inside, forall);
    SmallVector<Part> parts = llvm::map_to_vector(forall.getRegionIterArgs(),
                                                  [&](BlockArgument whole) { return getPart(inside, whole, point); });
    SmallVector<Value> tensors = llvm::map_to_vector(parts, [](const Part &part) { return part.tensor; });
    SmallVector<Value> written = program(inside, point, tensors);
    OpBuilder atEnd = OpBuilder::atBlockBegin(forall.getTerminator().getBody());
    for (auto [part, value] : llvm::zip_equal(parts, written)) {
      SmallVector<OpFoldResult> ones(part.offsets.size(), ops.getIndexAttr(1));
      tensor::ParallelInsertSliceOp::create(atEnd, loc, value, part.whole, part.offsets, part.sizes, ones);
    }
    return body.finishWith(forall.getResults());
  }

private:
  /// Loop over points along one axis. The first loop is along the cut axis.
  struct Loop {
    int64_t axis, extent, step;
  };

  struct Part {
    Value whole, tensor;
    SmallVector<OpFoldResult> offsets, sizes;
  };

  //===--------------------------------------------------------------------===//
  // 1. Loops
  //===--------------------------------------------------------------------===//

  void chooseLoops(const SerialPoints &points) {
    for (int64_t axis : points.axes)
      if (shape[axis] != 1)
        loops.push_back({axis, shape[axis], 1});
    if (loops.empty()) // There is only one point, which owns the whole first axis.
      loops.push_back({0, shape.empty() ? 1 : shape.front(), 0});
    Loop &cut = loops.front();
    // An empty target gets no launch. Until the launch is removed, its kernel needs a valid cut.
    const int64_t extent = std::max<int64_t>(1, cut.extent);
    const int64_t grain = cut.step == 0 || points.grain == 0 ? extent : points.grain;
    cut.step = grain;
    body.setCut(cut.axis, extent, grain);
  }

  SerialPoint getPoint(OpBuilder &inside, scf::ForallOp forall) {
    SerialPoint point;
    Value zero = arith::ConstantIndexOp::create(inside, loc, 0);
    for (int64_t size : shape)
      point.at.push_back(size == 1 ? zero : Value());
    for (auto [loop, index] : llvm::zip_equal(loops, forall.getInductionVars()))
      if (!shape.empty())
        point.at[loop.axis] = index;
    const Loop &cut = loops.front();
    point.size = arith::ConstantIndexOp::create(inside, loc, cut.step);
    if (cut.extent % cut.step != 0) {
      Value left = arith::SubIOp::create(inside, loc, arith::ConstantIndexOp::create(inside, loc, cut.extent),
                                         forall.getInductionVar(0));
      point.size = arith::MinSIOp::create(inside, loc, point.size, left);
    }
    return point;
  }

  //===--------------------------------------------------------------------===//
  // 2. Parts
  //===--------------------------------------------------------------------===//

  Part getPart(OpBuilder &inside, Value whole, const SerialPoint &point) {
    ArrayRef<int64_t> own = shapeOf(whole);
    Part part{whole, {}, SmallVector<OpFoldResult>(own.size(), inside.getIndexAttr(0)), {}};
    for (int64_t size : own)
      part.sizes.push_back(inside.getIndexAttr(size));
    if (own.size() == shape.size() && !own.empty())
      for (auto [number, loop] : llvm::enumerate(loops)) {
        part.offsets[loop.axis] = point.at[loop.axis];
        part.sizes[loop.axis] = inside.getIndexAttr(loop.step);
        if (number == 0 && loop.extent % loop.step != 0)
          part.sizes[loop.axis] = point.size;
      }
    SmallVector<OpFoldResult> ones(own.size(), inside.getIndexAttr(1));
    part.tensor = tensor::ExtractSliceOp::create(inside, loc, whole, part.offsets, part.sizes, ones);
    return part;
  }

  KernelBody &body;
  Location loc;
  OpBuilder &ops;
  SmallVector<int64_t> shape; ///< Shape of the first result.
  SmallVector<Loop> loops;
};

} // namespace

LogicalResult finishSerial(KernelBody &body, const SerialPoints &points, SerialProgram program) {
  return SerialWriter(body, points).finish(program);
}

//===----------------------------------------------------------------------===//
// 3. Control flow
//===----------------------------------------------------------------------===//

SmallVector<Value> emitLoop(OpBuilder &builder, Location loc, Value begin, Value end, ValueRange carried,
                            function_ref<SmallVector<Value>(OpBuilder &, Value, ValueRange)> body) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, begin, end, one, carried,
                                 [&](OpBuilder &inside, Location at, Value index, ValueRange values) {
                                   scf::YieldOp::create(inside, at, body(inside, index, values));
                                 });
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> emitIf(OpBuilder &builder, Location loc, Value condition, ValueRange carried,
                          function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
  auto branch = scf::IfOp::create(
      builder, loc, condition,
      [&](OpBuilder &inside, Location at) { scf::YieldOp::create(inside, at, body(inside, carried)); },
      [&](OpBuilder &inside, Location at) { scf::YieldOp::create(inside, at, carried); });
  return SmallVector<Value>(branch.getResults());
}

} // namespace nacre::kernels
