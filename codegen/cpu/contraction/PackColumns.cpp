// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/contraction/PackColumns.h"

#include "codegen/cpu/TransposeInRegisters.h"
#include "codegen/cpu/VectorMath.h"
#include "codegen/cpu/contraction/PanelWalk.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

class ColumnPacker {
public:
  ColumnPacker(VectorBuilder &build, const PackedSource &source, PackedAxis steps, PackedAxis columns,
               const PackedColumns &packed, Type type)
      : build(build), source(source), steps(steps), columns(columns), packed(packed), type(type),
        element(cast<MemRefType>(source.buffer.getType()).getElementType()),
        lanes(build.target.vectors.bytes / bytesOfFloat) {}

  void emit() {
    const int64_t whole = columns.size / packed.width, rest = columns.size % packed.width;
    build.loop(0, whole, 1, [&](Position number) { emitPanel(number, packed.width); });
    if (rest != 0)
      emitPanel({Value(), whole}, rest);
  }

private:
  void emitPanel(Position number, int64_t count) {
    Value from = build.address({{source.first, 0}, number}, {1, packed.width * columns.stride}, 0);
    Value to = build.address({number}, {packed.stride}, 0);
    if (steps.stride == 1 && columns.stride != 1 && steps.size >= lanes)
      return transposeBlocks(count, from, to);
    build.loop(0, steps.size, 1, [&](Position step) {
      copyStep(count, build.address({{from, 0}, step}, {1, steps.stride}, 0),
               build.address({{to, 0}, step}, {1, packed.width}, 0));
    });
  }

  void copyStep(int64_t count, Value from, Value to) {
    for (const Piece &piece : cutIntoPieces(count, lanes, hasMasks(build.target, element.getIntOrFloatBitWidth()))) {
      Value address = build.add(from, piece.offset * columns.stride);
      Value values = columns.stride == 1 ? build.load(source.buffer, address, piece)
                                         : build.loadStrided(source.buffer, address, columns.stride, piece);
      build.store(extended(values), packed.buffer, build.add(to, piece.offset), piece);
    }
    completeVector(build, packed.buffer, to, count, type);
  }

  /// Square blocks, the last of which begins early enough to be whole. Beyond the last column, that one is read again.
  void transposeBlocks(int64_t count, Value from, Value to) {
    const Piece whole = {0, lanes, lanes};
    auto block = [&](Position step) {
      for (int64_t column = 0; column < count; column += lanes) {
        SmallVector<Value> vectors;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          const int64_t own = std::min(column + lane, count - 1) * columns.stride;
          vectors.push_back(extended(build.load(source.buffer, build.address({{from, 0}, step}, {1, 1}, own), whole)));
        }
        transposeInRegisters(build, vectors);
        for (auto [number, vector] : llvm::enumerate(vectors))
          build.store(vector, packed.buffer,
                      build.address({{to, 0}, step}, {1, packed.width}, int64_t(number) * packed.width + column),
                      whole);
      }
    };
    const int64_t last = steps.size / lanes * lanes;
    build.loop(0, last, lanes, block);
    if (last < steps.size)
      block({Value(), steps.size - lanes});
  }

  Value extended(Value values) { return element == type ? values : emitExtend(build, values, type); }

  static constexpr int64_t bytesOfFloat = 4;

  VectorBuilder &build;
  const PackedSource &source;
  const PackedAxis steps, columns;
  const PackedColumns &packed;
  const Type type, element;
  const unsigned lanes;
};

} // namespace

void completeVector(VectorBuilder &build, Value panel, Value row, int64_t columns, Type type) {
  const unsigned bits = type.getIntOrFloatBitWidth(), lanes = build.target.vectors.bytes * 8 / bits;
  for (const Piece &piece : cutIntoPieces(llvm::alignTo(columns, lanes) - columns, lanes, hasMasks(build.target, bits)))
    build.store(build.floatConstant(0.0, vectorOf(type, piece.width)), panel, build.add(row, columns + piece.offset),
                piece);
}

PackedColumns packColumns(KernelFunction &function, VectorBuilder &build, const PackedSource &source, PackedAxis steps,
                          PackedAxis columns, int64_t width, Type type) {
  PackedColumns packed;
  packed.width = width;
  packed.panels = llvm::divideCeil(columns.size, width);
  packed.stride = steps.size * width;
  packed.buffer = allocateScratch(function, build, packed.panels * packed.stride, type);
  ColumnPacker(build, source, steps, columns, packed, type).emit();
  return packed;
}

} // namespace nacre::codegen::cpu
