// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits loops around runs of elements for each box of the halo (codegen/form/HaloBoxes.h). Runs are filled vector by
// vector.

#include "codegen/cpu/Halo.h"

#include "codegen/form/HaloBoxes.h"
#include "dialects/StoredBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

class HaloEmitter {
public:
  HaloEmitter(VectorBuilder &build, Value buffer, const WrittenTensor &written, unsigned axis)
      : build(build), buffer(buffer), written(written), slice(written.hull()), cutAxis(axis) {}

  /// Emits the halo. `low` and `high` are indices of the target's own elements, without the halo.
  void emit(Value low, Value high) {
    if (int64_t step = written.steps[cutAxis]; step != 1) {
      low = build.scaled(low, step);
      high = arith::MinUIOp::create(build.ops, build.loc, build.scaled(high, step), build.index(slice.shape[cutAxis]));
    }
    for (const HaloBox &box : cutHalo(slice.shape, written.haloLow, written.haloHigh, cutAxis))
      switch (box.owner) {
      case HaloBox::Owner::First:
        onlyIf(low, 0, [&] { fill(box, 0, start(), {}, {}); });
        break;
      case HaloBox::Owner::Last:
        onlyIf(high, slice.shape[cutAxis], [&] { fill(box, 0, start(), {}, {}); });
        break;
      case HaloBox::Owner::Alongside:
        fill(box, 0, start(), low, high);
        break;
      }
  }

private:
  Value start() { return build.index(slice.offset); }

  void onlyIf(Value index, int64_t is, llvm::function_ref<void()> body) {
    Value equal = arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::eq, index, build.index(is));
    auto branch = scf::IfOp::create(build.ops, build.loc, equal, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(build.ops);
    build.ops.setInsertionPointToStart(branch.thenBlock());
    body();
  }

  /// Fills the axes of `box` from `axis` on, at `address`. If `low` is not null, the cut axis is filled from `low` to
  /// `high` instead of the box's own range.
  void fill(const Box &box, unsigned axis, Value address, Value low, Value high) {
    const unsigned rank = slice.shape.size();
    // Axes from here on are one run if their elements are consecutive.
    int64_t run = 1;
    unsigned first = rank;
    while (first > axis && slice.strides[first - 1] == run && !(low && first - 1 == cutAxis))
      run *= box.sizes[--first];
    if (axis == first) {
      for (unsigned inner = axis; inner < rank; ++inner)
        address = build.add(address, box.offsets[inner] * slice.strides[inner]);
      return fillRun(address, run);
    }
    auto body = [&](Position index) {
      fill(box, axis + 1, build.address({{address, 0}, index}, {1, slice.strides[axis]}, 0), low, high);
    };
    if (low && axis == cutAxis)
      build.loop(low, high, 1, body);
    else
      build.loop(box.offsets[axis], box.offsets[axis] + box.sizes[axis], 1, body);
  }

  void fillRun(Value address, int64_t count) {
    const unsigned width = build.target.lanes(bytesOfElement(written.elementType));
    auto splat = [&](unsigned lanes) { return build.broadcast(build.constant(written.haloValue), lanes); };
    const int64_t whole = count - count % width;
    build.loop(0, whole, width, [&](Position at) {
      build.store(splat(width), buffer, build.address({{address, 0}, at}, {1, 1}, 0), {0, width, width});
    });
    for (Piece piece :
         cutIntoPieces(count - whole, width, hasMasks(build.target, written.elementType.getIntOrFloatBitWidth())))
      build.store(splat(piece.width), buffer, build.add(address, whole + piece.offset), {0, piece.lanes, piece.width});
  }

  VectorBuilder &build;
  Value buffer;
  const WrittenTensor &written;
  const StridedSlice slice;
  const unsigned cutAxis;
};

} // namespace

void emitHalo(VectorBuilder &build, Value buffer, const WrittenTensor &written, unsigned axis, Value low, Value high) {
  if (written.haloValue)
    HaloEmitter(build, buffer, written, axis).emit(low, high);
}

void emitHaloOfFirst(VectorBuilder &build, Value part, Value buffer, const WrittenTensor &written, unsigned axis,
                     Value low, Value high) {
  if (!written.haloValue)
    return;
  Value isFirst = arith::CmpIOp::create(build.ops, build.loc, arith::CmpIPredicate::eq, part, build.index(0));
  auto branch = scf::IfOp::create(build.ops, build.loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(build.ops);
  build.ops.setInsertionPointToStart(branch.thenBlock());
  emitHalo(build, buffer, written, axis, low, high);
}

} // namespace nacre::codegen::cpu
