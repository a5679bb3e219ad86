// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/panels/PackColumns.h"

#include "codegen/cpu/TransposeInRegisters.h"
#include "codegen/cpu/VectorMath.h"
#include "codegen/cpu/panels/PanelWalk.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::cpu {
/// Writes zeros from the column `columns` to the column `end` of the row at `row`.
static void fill(VectorBuilder &build, Value panel, Value row, int64_t columns, int64_t end, Type type) {
  const unsigned bits = type.getIntOrFloatBitWidth(), lanes = build.target.vectors.bytes * 8 / bits;
  for (const Piece &piece : cutIntoPieces(end - columns, lanes, hasMasks(build.target, bits)))
    build.store(build.floatConstant(0.0, vectorOf(type, piece.width)), panel, build.add(row, columns + piece.offset),
                piece);
}

namespace {

class RowPacker {
public:
  RowPacker(VectorBuilder &build, const PackedSource &source, PackedAxis steps, PackedAxis columns,
            const PanelRows &rows, Type type)
      : build(build), source(source), steps(steps), columns(columns), rows(rows), type(type),
        element(cast<MemRefType>(source.buffer.getType()).getElementType()),
        lanes(build.target.vectors.bytes * 8 / type.getIntOrFloatBitWidth()) {}

  void emit() {
    // A block of vectors that ends after the end of its panel would overwrite the next row.
    if (steps.stride == 1 && columns.stride != 1 && steps.size >= lanes && rows.width % lanes == 0)
      return transposeBlocks();
    build.loop(0, steps.size, 1, [&](Position step) {
      copyStep(build.address({{source.first, 0}, step}, {1, steps.stride}, 0),
               build.address({{rows.first, 0}, step}, {1, rows.stride}, 0));
    });
  }

private:
  void copyStep(Value from, Value to) {
    const int64_t count = columns.size;
    for (const Piece &piece : cutIntoPieces(count, lanes, hasMasks(build.target, element.getIntOrFloatBitWidth()))) {
      Value address = build.add(from, piece.offset * columns.stride);
      Value values = columns.stride == 1 ? build.load(source.buffer, address, piece)
                                         : build.loadStrided(source.buffer, address, columns.stride, piece);
      build.store(extended(values), rows.buffer, build.add(to, piece.offset), piece);
    }
    if (rows.filled)
      fill(build, rows.buffer, to, count, rows.width, type);
    else
      completeVector(build, rows.buffer, to, count, type);
  }

  /// Transposes square blocks. The last block begins early enough to be whole. For columns after the last one, it
  /// writes zeros or repeats the last column.
  void transposeBlocks() {
    const Piece whole = {0, lanes, lanes};
    const int64_t count = columns.size, end = rows.filled ? rows.width : count;
    auto block = [&](Position step) {
      for (int64_t column = 0; column < end; column += lanes) {
        SmallVector<Value> vectors;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          if (rows.filled && column + lane >= count) {
            vectors.push_back(build.floatConstant(0.0, vectorOf(type, lanes)));
            continue;
          }
          const int64_t own = std::min(column + lane, count - 1) * columns.stride;
          vectors.push_back(
              extended(build.load(source.buffer, build.address({{source.first, 0}, step}, {1, 1}, own), whole)));
        }
        transposeInRegisters(build, vectors);
        for (auto [number, vector] : llvm::enumerate(vectors))
          build.store(vector, rows.buffer,
                      build.address({{rows.first, 0}, step}, {1, rows.stride}, int64_t(number) * rows.stride + column),
                      whole);
      }
    };
    const int64_t last = steps.size / lanes * lanes;
    build.loop(0, last, lanes, block);
    if (last < steps.size)
      block({Value(), steps.size - lanes});
  }

  Value extended(Value values) { return element == type ? values : emitExtend(build, values, type); }

  VectorBuilder &build;
  const PackedSource &source;
  const PackedAxis steps, columns;
  const PanelRows &rows;
  const Type type, element;
  const unsigned lanes;
};

} // namespace

void copyNeighbours(VectorBuilder &build, const PackedSource &source, ArrayRef<PackedLoop> loops,
                    const PackedSource &target, Value count) {
  if (!loops.empty()) {
    const PackedLoop &loop = loops.front();
    return build.loop(0, loop.size, 1, [&](Position step) {
      copyNeighbours(build, {source.buffer, build.address({{source.first, 0}, step}, {1, loop.read}, 0)},
                     loops.drop_front(),
                     {target.buffer, build.address({{target.first, 0}, step}, {1, loop.written}, 0)}, count);
    });
  }
  const Type type = cast<MemRefType>(source.buffer.getType()).getElementType();
  const unsigned lanes = build.target.vectors.bytes * 8 / type.getIntOrFloatBitWidth();
  Value whole = build.address({{build.divide(count, lanes), 0}}, {int64_t(lanes)}, 0);
  auto copy = [&](Position at, unsigned width) {
    const Piece piece = {0, width, width};
    Value values = build.load(source.buffer, build.address({{source.first, 0}, at}, {1, 1}, 0), piece);
    build.store(values, target.buffer, build.address({{target.first, 0}, at}, {1, 1}, 0), piece);
  };
  build.loop(build.index(0), whole, lanes, [&](Position at) { copy(at, lanes); });
  build.loop(whole, count, 1, [&](Position at) { copy(at, 1); });
}

void completeVector(VectorBuilder &build, Value panel, Value row, int64_t columns, Type type) {
  const unsigned lanes = build.target.vectors.bytes * 8 / type.getIntOrFloatBitWidth();
  fill(build, panel, row, columns, llvm::alignTo(columns, lanes), type);
}

void packRows(VectorBuilder &build, const PackedSource &source, PackedAxis steps, PackedAxis columns,
              const PanelRows &rows, Type type) {
  RowPacker(build, source, steps, columns, rows, type).emit();
}

PackedColumns packColumns(KernelFunction &function, VectorBuilder &build, const PackedSource &source, PackedAxis steps,
                          PackedAxis columns, int64_t width, Type type) {
  PackedColumns packed;
  packed.width = width;
  packed.panels = llvm::divideCeil(columns.size, width);
  packed.stride = steps.size * width;
  packed.buffer = allocateScratch(function, build, packed.panels * packed.stride, type);
  auto pack = [&](Position number, int64_t count) {
    Value from = build.address({{source.first, 0}, number}, {1, width * columns.stride}, 0);
    Value to = build.address({number}, {packed.stride}, 0);
    packRows(build, {source.buffer, from}, steps, {count, columns.stride}, {packed.buffer, to, width, width}, type);
  };
  const int64_t whole = columns.size / width, rest = columns.size % width;
  build.loop(0, whole, 1, [&](Position number) { pack(number, width); });
  if (rest != 0)
    pack({Value(), whole}, rest);
  return packed;
}

} // namespace nacre::codegen::cpu
