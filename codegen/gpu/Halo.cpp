// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A box of the halo (codegen/form/HaloBoxes.h) is a list of elements, or of groups of four elements. N invocations
// share it. Each invocation writes every Nth entry.

#include "codegen/gpu/Halo.h"

#include "codegen/form/HaloBoxes.h"
#include "codegen/gpu/IndexBuilder.h"
#include "codegen/gpu/InlineBody.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

class HaloEmitter {
public:
  HaloEmitter(KernelFunction &function, const WrittenTensor &written, unsigned axis)
      : function(function), build(function.builder, function.loc), written(written), slice(written.hull()),
        cutAxis(axis) {}

  /// Emits the halo of the target's elements from `low` to `high` of the cut axis.
  void emit(Value low, Value high) {
    if (int64_t step = written.steps[cutAxis]; step != 1) {
      low = build.multiply(low, step);
      high = build.least(build.multiply(high, step), build.constant(slice.shape[cutAxis]));
    }
    for (HaloBox box : cutHalo(slice.shape, written.haloLow, written.haloHigh, cutAxis))
      switch (box.owner) {
      case HaloBox::Owner::First:
        build.onlyIf(build.isEqual(low, build.constant(0)), [&] { fill(box, Value(), Value()); });
        break;
      case HaloBox::Owner::Last:
        build.onlyIf(build.isEqual(high, build.constant(slice.shape[cutAxis])), [&] { fill(box, Value(), Value()); });
        break;
      case HaloBox::Owner::Alongside:
        box.sizes[cutAxis] = 1;
        box.offsets[cutAxis] = 0;
        fill(box, low, build.subtract(high, low));
        break;
      }
  }

private:
  /// Returns the number of elements of a store: 4 if `box` can be filled four elements at a time along its last axis;
  /// otherwise, 1.
  unsigned widthOf(const Box &box) const {
    const unsigned last = slice.shape.size() - 1;
    auto isFour = [](int64_t value) { return value % 4 == 0; };
    int64_t start = slice.offset;
    for (auto [offset, stride] : llvm::zip_equal(box.offsets, slice.strides))
      start += offset * stride;
    const bool fits = last != cutAxis && slice.strides[last] == 1 && isFour(box.sizes[last]) && isFour(start) &&
                      function.liesInVectors(slice.argument, 4) &&
                      llvm::all_of(ArrayRef(slice.strides).drop_back(), isFour);
    return fits ? 4 : 1;
  }

  /// Fills `box`. If `first` is given, instead fills `count` copies along the cut axis, from index `first` on.
  void fill(const Box &box, Value first, Value count) {
    const unsigned width = widthOf(box), rank = slice.shape.size();
    int64_t size = 1, start = slice.offset;
    for (unsigned axis = 0; axis < rank; ++axis) {
      size *= box.sizes[axis];
      start += box.offsets[axis] * slice.strides[axis];
    }
    size /= width;
    Value all = first ? build.multiply(count, size) : build.constant(size);
    Value me = build.add(build.multiply(function.group, function.workgroupSize), function.invocation);
    auto loop =
        scf::ForOp::create(build.ops, build.loc, me, all, build.constant(function.groups * function.workgroupSize));
    OpBuilder::InsertionGuard guard(build.ops);
    build.ops.setInsertionPointToStart(loop.getBody());

    Value left = loop.getInductionVar(), address = build.constant(start);
    for (unsigned axis = rank; axis-- > 0;) {
      const int64_t iterations = axis + 1 == rank ? box.sizes[axis] / width : box.sizes[axis];
      const int64_t step = slice.strides[axis] * (axis + 1 == rank ? width : 1);
      if (iterations == 1)
        continue;
      address = build.add(address, build.multiply(build.remainder(left, iterations), step));
      left = build.divide(left, iterations);
    }
    // The quotient is the index of the copy along the cut axis.
    if (first)
      address = build.add(address, build.multiply(build.add(first, left), slice.strides[cutAxis]));
    Value value = arith::ConstantOp::create(build.ops, build.loc, storedConstant(written.haloValue));
    memref::StoreOp::create(build.ops, build.loc, broadcast(build.ops, build.loc, value, width),
                            function.buffer(slice.argument, width), ValueRange{build.divide(address, width)});
  }

  KernelFunction &function;
  IndexBuilder build;
  const WrittenTensor &written;
  const StridedSlice slice;
  const unsigned cutAxis;
};

} // namespace

void emitHalo(KernelFunction &function, const WrittenTensor &written, unsigned axis, Value low, Value high) {
  if (written.haloValue)
    HaloEmitter(function, written, axis).emit(low, high);
}

} // namespace nacre::codegen::gpu
