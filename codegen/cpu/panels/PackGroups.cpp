// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/panels/PackGroups.h"

#include "dialects/StoredBytes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

class GroupPacker {
public:
  GroupPacker(VectorBuilder &build, const PackedSource &source, int64_t stepStride, PackedAxis columns,
              const DepthGroups &groups, const PanelRows &rows)
      : build(build), source(source), stepStride(stepStride), columns(columns), groups(groups), rows(rows),
        byte(cast<MemRefType>(source.buffer.getType()).getElementType()) {}

  void emit() {
    // The last group differs if its steps overlap the group before it, or if it has fewer steps.
    const bool isLastAnother = groups.overlap() > 0 || groups.valid() < groups.k;
    const int64_t alike = groups.groups() - (isLastAnother ? 1 : 0);
    build.loop(0, alike, 1, [&](Position group) { pack(group, 0, 0, groups.k); });
    if (isLastAnother)
      pack({Value(), alike}, -groups.overlap(), groups.overlap(), groups.valid());
  }

private:
  /// Packs the steps from `first` to `end` of the group. Step 0 of the group is moved by `moved` steps.
  void pack(Position group, int64_t moved, int64_t first, int64_t end) {
    Value from = build.address({{source.first, 0}, group}, {1, groups.k * stepStride}, moved * stepStride);
    Value to = build.address({{rows.first, 0}, group}, {1, rows.width * groups.k}, 0);
    if (columns.stride == 1)
      return interleave(from, to, first, end);
    build.loop(0, columns.size, 1, [&](Position column) {
      copyColumn(build.address({{from, 0}, column}, {1, columns.stride}, 0),
                 build.address({{to, 0}, column}, {1, groups.k}, 0), first, end);
    });
  }

  void copyColumn(Value from, Value to, int64_t first, int64_t end) {
    const Piece whole = {0, unsigned(groups.k), unsigned(groups.k)};
    if (stepStride == 1 && first == 0 && end == groups.k)
      return build.store(build.load(source.buffer, from, whole), rows.buffer, to, whole);
    Value zero = build.constant(build.ops.getIntegerAttr(byte, 0));
    for (int64_t step = 0; step < groups.k; ++step)
      build.storeScalar(
          step >= first && step < end ? build.loadScalar(source.buffer, build.add(from, step * stepStride)) : zero,
          rows.buffer, build.add(to, step));
  }

  void interleave(Value from, Value to, int64_t first, int64_t end) {
    const unsigned k = groups.k, lanes = std::max<unsigned>(1, build.target.vectors.bytes / k);
    for (const Piece &piece : cutIntoPieces(columns.size, lanes, hasMasks(build.target, 8))) {
      SmallVector<Value> steps;
      auto type = VectorType::get({int64_t(piece.width)}, byte);
      for (int64_t step = 0; step < groups.k; ++step)
        steps.push_back(step >= first && step < end
                            ? build.load(source.buffer, build.add(from, piece.offset + step * stepStride), piece)
                            : build.constant(cast<TypedAttr>(build.ops.getZeroAttr(type))));
      build.store(wordsOf(steps), rows.buffer, build.add(to, piece.offset * k), {0, piece.lanes * k, piece.width * k});
    }
  }

  /// Returns words that consist of one byte of each vector, in the order of the vectors.
  Value wordsOf(SmallVector<Value> vectors) {
    const int64_t lanes = cast<VectorType>(vectors.front().getType()).getNumElements(), bytes = lanes * groups.k;
    while (vectors.size() > 1) {
      SmallVector<Value> pairs;
      for (size_t number = 0; number < vectors.size(); number += 2)
        pairs.push_back(interleaved(vectors[number], vectors[number + 1]));
      vectors = std::move(pairs);
    }
    return vector::BitCastOp::create(build.ops, build.loc, VectorType::get({bytes}, byte), vectors.front());
  }

  /// Interleaves the elements of two vectors, and returns pairs of them as elements of twice the size.
  Value interleaved(Value a, Value b) {
    auto type = cast<VectorType>(a.getType());
    const int64_t lanes = type.getNumElements();
    SmallVector<int64_t> from;
    for (int64_t lane = 0; lane < lanes; ++lane)
      from.append({lane, lanes + lane});
    Value both = vector::ShuffleOp::create(build.ops, build.loc, a, b, from);
    Type element = build.ops.getIntegerType(2 * type.getElementTypeBitWidth());
    return vector::BitCastOp::create(build.ops, build.loc, VectorType::get({lanes}, element), both);
  }

  VectorBuilder &build;
  const PackedSource &source;
  const int64_t stepStride;
  const PackedAxis columns;
  const DepthGroups &groups;
  const PanelRows &rows;
  const Type byte;
};

} // namespace

void packGroups(VectorBuilder &build, const PackedSource &source, int64_t stepStride, PackedAxis columns,
                const DepthGroups &groups, const PanelRows &rows) {
  GroupPacker(build, source, stepStride, columns, groups, rows).emit();
}

} // namespace nacre::codegen::cpu
