// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/fallback/OutputSlices.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nacre::codegen::cpu;

nacre::codegen::Box OutputSlice::hull() const {
  Box hull = slice;
  for (auto [size, step] : llvm::zip_equal(hull.sizes, steps))
    size = (size - 1) * step + 1;
  return hull;
}

namespace {

/// Returns a slice for the whole `storage`, computed by `work`.
OutputSlice wholeOf(Value storage, Value work) {
  auto shape = cast<RankedTensorType>(storage.getType()).getShape();
  OutputSlice output;
  output.storage = storage;
  output.work = work;
  output.slice = {SmallVector<int64_t>(shape.size(), 0), llvm::to_vector(shape)};
  output.steps.assign(shape.size(), 1);
  output.axes = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  return output;
}

/// Changes `output` from the result of `insert` to the tensor that `insert` inserts.
void enter(OutputSlice &output, tensor::InsertSliceOp insert) {
  SmallVector<int64_t> outer = std::exchange(output.axes, {});
  for (auto [i, axis] : llvm::enumerate(outer)) {
    output.slice.offsets[axis] += insert.getStaticOffset(i);
    output.slice.sizes[axis] = insert.getStaticSize(i);
    output.steps[axis] *= insert.getStaticStride(i);
    if (!insert.getDroppedDims().test(i))
      output.axes.push_back(axis);
  }
  output.work = insert.getSource();
}

/// Changes `output` to the tensor within its halo, if `output` is a filled region around a tensor.
void enterHalo(OutputSlice &output) {
  auto insert = output.work.getDefiningOp<tensor::InsertSliceOp>();
  auto fill = insert ? insert.getDest().getDefiningOp<linalg::FillOp>() : linalg::FillOp();
  if (!fill)
    return;
  matchPattern(fill.getDpsInputOperand(0)->get(), m_Constant(&output.haloValue));
  assert(output.haloValue && "halos must be filled with constants");
  output.region = output.slice;
  enter(output, insert);
}

} // namespace

SmallVector<OutputSlice, 1> nacre::codegen::cpu::readOutputSlices(Value storage, Value yielded) {
  SmallVector<OutputSlice, 1> found;
  for (Value contents = yielded; contents != storage;) {
    OutputSlice output = wholeOf(storage, contents);
    auto insert = contents.getDefiningOp<tensor::InsertSliceOp>();
    const bool whole = !insert || insert.getDest().getDefiningOp<linalg::FillOp>();
    if (!whole)
      enter(output, insert);
    enterHalo(output);
    found.push_back(std::move(output));
    if (whole)
      break;
    contents = insert.getDest();
  }
  return found;
}
