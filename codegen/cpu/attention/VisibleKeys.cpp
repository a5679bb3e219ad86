// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/attention/VisibleKeys.h"

#include "codegen/cpu/Units.h"
#include "codegen/cpu/VectorBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <algorithm>

using namespace mlir;

namespace nacre::codegen::cpu {

/// Returns the position of the row `first` among the keys, which may be negative.
static Value emitPosition(VectorBuilder &build, const AttentionForm &form, ArrayRef<Value> batch, Value first) {
  if (!form.offset)
    return build.add(first, form.bounds->offset);
  const Access &access = form.offset->access;
  Value address = build.index(access.offset);
  for (auto [number, index] : llvm::enumerate(batch))
    address = build.address({{address, 0}, {index, 0}}, {1, access.strides[number]}, 0);
  Value offset = build.loadScalar(build.buffers[access.argument], address);
  return build.sum(first, arith::IndexCastOp::create(build.ops, build.loc, build.ops.getIndexType(), offset));
}

KeyRange emitVisibleKeys(VectorBuilder &build, const AttentionForm &form, ArrayRef<Value> batch, Value first,
                         Value count, int64_t chunk) {
  const int64_t keys = form.keys.size, furthest = keys + form.rows.size;
  auto clamped = [&](Value key, int64_t low, int64_t high) {
    return build.make<arith::MinSIOp>(build.make<arith::MaxSIOp>(key, build.index(low)), build.index(high));
  };
  Value position = emitPosition(build, form, batch, first);
  Value low = build.index(0), high = build.index(keys);
  if (form.bounds->before)
    low = clamped(build.add(position, -std::min(*form.bounds->before, furthest)), 0, keys - 1);
  if (form.bounds->behind)
    high = clamped(build.add(build.sum(position, count), std::min(*form.bounds->behind, furthest)), 0, keys);
  high = build.make<arith::MaxSIOp>(high, build.add(low, 1));
  return {build.divide(low, chunk), build.divide(build.add(high, chunk - 1), chunk), chunk};
}

void emitPanels(KernelFunction &function, VectorBuilder &build, const MatrixProduct &product,
                const PackedColumns &packed, const PanelWalk &walk, const Addresses &at, const KeyRange &visible) {
  const int64_t columns = product.columns.size, whole = columns / packed.width, rest = columns % packed.width;
  auto panel = [&](Position number, int64_t valid) {
    PanelWalk ofPanel = walk;
    ofPanel.columns = valid;
    Addresses there = at;
    there[Contraction::Rhs] = build.address({number}, {packed.stride}, 0);
    if (at[Contraction::Rhs])
      there[Contraction::Rhs] = build.sum(there[Contraction::Rhs], at[Contraction::Rhs]);
    for (unsigned operand = Contraction::Result; operand < there.size(); ++operand)
      there[operand] =
          build.address({{at[operand], 0}, number}, {1, product.columns.strides[operand] * packed.width}, 0);
    emitPanelWalk(function, build, product, ofPanel, there);
  };
  auto wholePanel = [&](Position number) { panel(number, packed.width); };
  auto lastPanel = [&](Position) { panel({Value(), whole}, rest); };
  if (!visible.low) {
    build.loop(0, whole, 1, wholePanel);
    if (rest != 0)
      lastPanel({});
    return;
  }
  const int64_t ofChunk = visible.chunk / packed.width;
  Value low = build.scaled(visible.low, ofChunk),
        high = emitMin(build, build.scaled(visible.high, ofChunk), build.index(packed.panels));
  build.loop(low, emitMin(build, high, build.index(whole)), 1, wholePanel);
  if (rest != 0)
    build.loop(build.index(whole), high, 1, lastPanel); // at most one iteration
}

void finishRow(VectorBuilder &build, RowPlace sums, RowPlace to, int64_t count, const Work *epilogue) {
  const unsigned lanes = build.target.vectors.bytes / 4,
                 bits = cast<MemRefType>(to.buffer.getType()).getElementTypeBitWidth();
  const int64_t whole = count - count % lanes;
  auto finish = [&](Position at, Piece piece) {
    Value elements = build.load(sums.buffer, build.address({{sums.address, 0}, at}, {1, 1}, 0), piece);
    if (epilogue) // It reads only the sums.
      elements = inlineBody(build, *epilogue->body, {elements, Value()}, piece.width).front();
    build.store(elements, to.buffer, build.address({{to.address, 0}, at}, {1, 1}, 0), piece);
  };
  build.loop(0, whole, lanes, [&](Position at) { finish(at, {0, lanes, lanes}); });
  const bool masks = hasMasks(build.target, 32) && hasMasks(build.target, bits);
  for (const Piece &piece : cutIntoPieces(count - whole, lanes, masks))
    finish({Value(), whole + piece.offset}, {0, piece.lanes, piece.width});
}

} // namespace nacre::codegen::cpu
