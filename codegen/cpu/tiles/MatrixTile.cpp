// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. which tiles are computed in matrices; 2. the shapes of registers; 3. the reduction; 4. the end of a tile.
//        The emitter numbers the registers: first sums, then rows, then columns.

#include "codegen/cpu/tiles/MatrixTile.h"

#include "dialects/StoredBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <array>

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

constexpr int64_t kRegisters = 8, kBytesOfWord = 4;

/// Returns the number of registers for `rows` rows.
int64_t registersOfRows(int64_t rows) { return llvm::divideCeil(rows, kRowsOfMatrix); }

/// Returns how many words an instruction multiplies if a run of `words` words takes several instructions of one shape.
int64_t wordsOfStep(int64_t words) {
  int64_t most = std::min(words, kWordsOfMatrix);
  while (words % most != 0)
    --most;
  return most;
}

} // namespace

//===----------------------------------------------------------------------===//
// 1. Which tiles
//===----------------------------------------------------------------------===//

bool matricesFit(int64_t rows, int64_t vectors) {
  const int64_t ofRows = registersOfRows(rows);
  return ofRows * vectors + ofRows + 1 <= kRegisters;
}

bool suitsMatrices(const LoopedContraction &contraction) {
  // With fewer rows or words, most of a register is empty.
  constexpr int64_t leastRows = 4, leastWords = 6;
  const DepthGroups &groups = contraction.groups;
  const ContractionLoop &run = contraction.depth.back();
  return contraction.parts == 1 && run.strides[Contraction::Lhs] == groups.k && groups.valid() == groups.k &&
         groups.overlap() == 0 && contraction.rows.back().size >= leastRows && wordsOfStep(run.size) >= leastWords;
}

namespace {

class MatrixTileEmitter {
public:
  MatrixTileEmitter(VectorBuilder &build, const LoopedContraction &contraction, ArrayRef<Value> buffers,
                    const Panel &panel, const DepthPart &part, const TileShape &shape, const Addresses &at)
      : build(build), contraction(contraction), buffers(buffers), panel(panel), part(part), shape(shape), at(at),
        rows(buffers[contraction.operands[Contraction::Lhs].argument]), groups(registersOfRows(shape.rows)),
        vectors(llvm::divideCeil(shape.columns, shape.machine.step.lanes)) {
    const unsigned innermost = contraction.depth.size() - 1;
    words = wordsOfStep(part.level == innermost ? part.steps : contraction.depth[innermost].size);
    assert(part.sums && matricesFit(shape.rows, vectors) && "sums reach vectors through memory");
  }

  void emit() {
    build.call("llvm.x86.ldtilecfg", build.inMemory(shapes()));
    forSums([&](int64_t number, Value pointer) {
      if (part.first)
        build.call("llvm.x86.tilezero", numberOf(number));
      else
        load(number, pointer, part.sumsStride * kBytesOfWord);
    });
    reduce(part.level, at[Contraction::Lhs], at[Contraction::Rhs]);
    forSums([&](int64_t number, Value pointer) {
      build.call("llvm.x86.tilestored64", {numberOf(number), pointer, bytes(part.sumsStride * kBytesOfWord)});
    });
    // Registers in use slow down a switch to another thread.
    build.call("llvm.x86.tilerelease", {});
    if (part.last)
      finish();
  }

private:
  //===--------------------------------------------------------------------===//
  // 2. Registers
  //===--------------------------------------------------------------------===//

  int64_t rowsOfGroup(int64_t group) const { return std::min(kRowsOfMatrix, shape.rows - group * kRowsOfMatrix); }
  int64_t registerOfRows(int64_t group) const { return groups * vectors + group; }
  /// Neighbouring columns take turns if two registers are left, so that a load need not wait for a product.
  int64_t registerOfColumns(int64_t vector) const {
    const int64_t first = groups * vectors + groups;
    return first + vector % std::min<int64_t>(2, kRegisters - first);
  }

  /// Returns the operand of `ldtilecfg`: 16 bytes of which the first is 1, the bytes of a row of each of 16 registers
  /// as 16-bit integers, and their numbers of rows.
  std::array<uint8_t, 64> shapes() const {
    std::array<uint8_t, 64> all = {1};
    auto set = [&](int64_t number, int64_t rows, int64_t words) {
      all[16 + 2 * number] = uint8_t(words * kBytesOfWord);
      all[48 + number] = uint8_t(rows);
    };
    for (int64_t number = 0; number < groups * vectors; ++number)
      set(number, rowsOfGroup(number / vectors), kWordsOfMatrix);
    for (int64_t group = 0; group < groups; ++group)
      set(registerOfRows(group), rowsOfGroup(group), words);
    for (int64_t vector = 0; vector < vectors; ++vector)
      set(registerOfColumns(vector), words, kWordsOfMatrix);
    return all;
  }

  Value numberOf(int64_t number) { return build.constant(build.ops.getI8IntegerAttr(int8_t(number))); }
  Value bytes(int64_t count) { return build.constant(build.ops.getI64IntegerAttr(count)); }

  void load(int64_t number, Value pointer, int64_t strideBytes) {
    build.call("llvm.x86.tileloadd64", {numberOf(number), pointer, bytes(strideBytes)});
  }

  /// Calls `body` with each register of sums, and the pointer to these sums in memory.
  void forSums(llvm::function_ref<void(int64_t number, Value pointer)> body) {
    for (int64_t number = 0; number < groups * vectors; ++number) {
      const int64_t row = number / vectors * kRowsOfMatrix, column = number % vectors * kWordsOfMatrix;
      body(number, build.asPointer(build.pointer(part.sums, build.add(part.sumsAt, row * part.sumsStride + column))));
    }
  }

  //===--------------------------------------------------------------------===//
  // 3. The reduction
  //===--------------------------------------------------------------------===//

  /// Adds up the iterations of the loop `level` and of the loops inside it.
  void reduce(unsigned level, Value lhs, Value rhs) {
    const int64_t size = level == part.level ? part.steps : contraction.depth[level].size;
    const bool isInnermost = level + 1 == contraction.depth.size();
    build.loop(0, size, isInnermost ? words : 1, [&](Position step) {
      Value left = build.address({{lhs, 0}, step}, {1, contraction.depth[level].strides[Contraction::Lhs]}, 0),
            right = build.address({{rhs, 0}, step}, {1, panel.strides[level]}, 0);
      isInnermost ? multiplyAdd(left, right) : reduce(level + 1, left, right);
    });
  }

  void multiplyAdd(Value lhs, Value rhs) {
    const int64_t rowStride = contraction.rows.back().strides[Contraction::Lhs],
                  wordsOfRegister = kWordsOfMatrix * contraction.groups.k;
    for (int64_t group = 0; group < groups; ++group)
      load(registerOfRows(group),
           build.asPointer(build.pointer(rows, build.add(lhs, group * kRowsOfMatrix * rowStride))),
           rowStride * bytesOf(rows));
    for (int64_t vector = 0; vector < vectors; ++vector) {
      load(registerOfColumns(vector),
           build.asPointer(build.pointer(panel.buffer, build.add(rhs, vector * wordsOfRegister))),
           panel.strides.back() * bytesOf(panel.buffer));
      for (int64_t group = 0; group < groups; ++group)
        build.call(shape.machine.step.ofMatrices, {numberOf(group * vectors + vector), numberOf(registerOfRows(group)),
                                                   numberOf(registerOfColumns(vector))});
    }
  }

  static int64_t bytesOf(Value buffer) { return bytesOfElement(cast<MemRefType>(buffer.getType()).getElementType()); }

  //===--------------------------------------------------------------------===//
  // 4. The end
  //===--------------------------------------------------------------------===//

  /// Finishes the sums a few rows at a time, whose vectors fit the registers.
  void finish() {
    constexpr int64_t together = 4;
    auto finishRows = [&](int64_t count, Position row) {
      DepthPart ofRows = part;
      ofRows.sumsAt = build.address({{part.sumsAt, 0}, row}, {1, part.sumsStride}, 0);
      finishTile(build, contraction, buffers, panel, ofRows, {count, shape.columns, shape.machine},
                 advanced(build, at, contraction.rows.back(), row));
    };
    const int64_t whole = shape.rows / together * together;
    build.loop(0, whole, together, [&](Position row) { finishRows(together, row); });
    if (whole < shape.rows)
      finishRows(shape.rows - whole, {Value(), whole});
  }

  VectorBuilder &build;
  const LoopedContraction &contraction;
  ArrayRef<Value> buffers;
  const Panel &panel;
  const DepthPart &part;
  const TileShape &shape;
  const Addresses &at;
  Value rows;
  const int64_t groups, vectors; ///< Registers that the rows take, and the columns
  int64_t words = 1;             ///< Words that one instruction multiplies
};

} // namespace

void emitMatrixTile(VectorBuilder &build, const LoopedContraction &contraction, ArrayRef<Value> buffers,
                    const Panel &panel, const DepthPart &part, const TileShape &shape, const Addresses &at) {
  MatrixTileEmitter(build, contraction, buffers, panel, part, shape, at).emit();
}

} // namespace nacre::codegen::cpu
