// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. the loads of 16 rows of queries, of all keys and of all values are in flight simultaneously. Keys are
//           stored to shared memory first. Values replace them when the scores are ready;
//        2. scores: a subgroup has some matrices of 16 keys. The weights replace the scores, as f16;
//        3. the result: a subgroup has a matrix of 16 columns and every sets-th matrix of 16 keys. Sums of subgroups
//           with the same columns are added up when the result is written.

#include "codegen/gpu/attention/MatrixAttention.h"

#include "codegen/gpu/contraction/GpuMachines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {
namespace {

constexpr int64_t kSubgroups = 8, kInvocations = kSubgroups * kSubgroup;
constexpr int64_t kChunk = 8; ///< Number of f16 elements in 16 bytes. All shared memory consists of such chunks.
constexpr int64_t kChunks = kMatrixSize / kChunk; ///< Number of chunks of f16 in a row of a matrix.
constexpr int64_t kQuads = kMatrixSize / kQuad;   ///< Number of quads of f32 in a row of a matrix.

/// Layout of shared memory, in chunks. The distance between rows is odd, so that they are in different banks.
struct Layout {
  explicit Layout(const AttentionForm &form)
      : keys(llvm::divideCeil(form.keys.size, kMatrixSize)), columns(form.columns.size / kMatrixSize),
        sets(kSubgroups / columns), queryPitch(form.depth.size / kChunk + kMatrixPadChunks),
        valuePitch(form.columns.size / kChunk + kMatrixPadChunks), scorePitch(keys * kQuads + kMatrixPadChunks),
        weightPitch(keys * kChunks + kMatrixPadChunks) {}

  int64_t keys, columns; ///< Number of matrices of 16 keys; number of matrices of 16 columns.
  int64_t sets;          ///< Number of sets of subgroups, which share the keys of the second product.
  int64_t queryPitch, valuePitch, scorePitch, weightPitch;

  int64_t queries() const { return kMatrixSize * queryPitch; }
  /// Returns the number of chunks for the keys, the values and the sums, which replace each other.
  int64_t operands() const {
    return std::max({keys * kMatrixSize * std::max(queryPitch, valuePitch), sets * kMatrixSize * columns * kQuads});
  }
  /// Returns the number of chunks for the scores, and for the weights that replace them.
  int64_t scores() const { return kMatrixSize * std::max(scorePitch, weightPitch); }
};

class MatrixAttention {
public:
  explicit MatrixAttention(AttentionRows &of)
      : of(of), form(of.form), build(of.build), layout(of.form), half(build.ops.getF16Type()),
        chunkType(VectorType::get({4}, build.ops.getI32Type())) {}

  void emit() {
    of.divide(kMatrixSize, kInvocations);
    queries = of.function.shared(layout.queries(), chunkType);
    operands = of.function.shared(layout.operands(), chunkType);
    scores = of.function.shared(layout.scores(), chunkType);
    subgroup = of.quotient(of.function.invocation, kSubgroup);

    const Lines ofQueries{Index::Queries, &form.rows, &form.depth, kMatrixSize, layout.queryPitch};
    const Lines ofKeys{Index::Keys, &form.keys, &form.depth, layout.keys * kMatrixSize, layout.queryPitch};
    const Lines ofValues{Index::Values, &form.keys, &form.columns, layout.keys * kMatrixSize, layout.valuePitch};
    SmallVector<Value> query = load(ofQueries), key = load(ofKeys), value = load(ofValues);
    store(ofQueries, query, queries);
    store(ofKeys, key, operands);
    build.barrier();
    emitScores();
    build.barrier();
    store(ofValues, value, operands);
    emitSweeps();
    build.barrier();
    emitResult();
  }

private:
  using Index = AttentionForm::Index;

  Value index(int64_t value) { return build.index(value); }

  //===--------------------------------------------------------------------===//
  // 1. Operands
  //===--------------------------------------------------------------------===//

  /// Lines of an operand, which are copied completely to shared memory.
  struct Lines {
    Index operand;
    const ContractionLoop *across, *along;
    int64_t count, pitch; ///< Number of lines; distance between lines in chunks.

    int64_t chunks() const { return along->size / kChunk; }
  };

  /// The line and the chunk that this invocation copies in an iteration. `isOne` is false if no chunk is left for it.
  struct Place {
    Value line, chunk, isOne;
  };
  Place placeOf(const Lines &lines, int64_t taken) {
    const int64_t count = lines.count * lines.chunks();
    Value number = build.add(of.function.invocation, index(taken));
    Place place;
    if (taken + kInvocations > count) {
      place.isOne = build.below(number, index(count));
      number = of.least(number, index(count - 1));
    }
    place.line = of.quotient(number, lines.chunks());
    place.chunk = of.remainder(number, lines.chunks());
    return place;
  }

  template <typename Body> void forEachPlace(const Lines &lines, Body body) {
    for (int64_t taken = 0; taken < lines.count * lines.chunks(); taken += kInvocations)
      body(placeOf(lines, taken));
  }

  SmallVector<Value> load(const Lines &lines) {
    SmallVector<Value> chunks;
    forEachPlace(lines, [&](const Place &place) {
      const bool isRow = lines.across == &form.rows;
      Value line = isRow ? of.rowAt(place.line) : of.least(place.line, index(form.keys.size - 1));
      Value address = of.operands.addressOf(lines.operand, {{lines.across, line}, {lines.along, place.chunk}}, kChunk);
      Value chunk = build.load(form.operands[lines.operand].argument, address, kChunk);
      const bool mayBeNone = lines.operand == Index::Values && lines.count != form.keys.size;
      chunks.push_back(of.zeroUnless(mayBeNone ? build.below(place.line, index(form.keys.size)) : Value(), chunk));
    });
    return chunks;
  }

  void store(const Lines &lines, ArrayRef<Value> chunks, Value to) {
    forEachPlace(lines, [&](const Place &place) {
      build.onlyIf(place.isOne, [&] {
        memref::StoreOp::create(build.ops, build.loc, chunks.front(), to,
                                build.add(build.multiply(place.line, lines.pitch), place.chunk));
      });
      chunks = chunks.drop_front();
    });
  }

  //===--------------------------------------------------------------------===//
  // 2. Matrices
  //===--------------------------------------------------------------------===//

  Value read(StringRef kind, Value from, Value at, int64_t pitch, bool transposed = false) {
    auto type = mlir::gpu::MMAMatrixType::get({kMatrixSize, kMatrixSize}, half, kind);
    return mlir::gpu::SubgroupMmaLoadMatrixOp::create(build.ops, build.loc, type, from, ValueRange{at},
                                                      build.ops.getIndexAttr(pitch),
                                                      transposed ? build.ops.getUnitAttr() : UnitAttr());
  }
  Value zeros() {
    auto type = mlir::gpu::MMAMatrixType::get({kMatrixSize, kMatrixSize}, of.type, "COp");
    return mlir::gpu::SubgroupMmaConstantMatrixOp::create(build.ops, build.loc, type, build.floatConstant(0, of.type));
  }
  Value multiplyAdd(Value a, Value b, Value sum) {
    return mlir::gpu::SubgroupMmaComputeOp::create(build.ops, build.loc, sum.getType(), a, b, sum,
                                                   /*a_transpose=*/UnitAttr(), /*b_transpose=*/UnitAttr());
  }
  void write(Value sum, Value to, Value at, int64_t pitch) {
    mlir::gpu::SubgroupMmaStoreMatrixOp::create(build.ops, build.loc, sum, to, ValueRange{at},
                                                build.ops.getIndexAttr(pitch), /*transpose=*/UnitAttr());
  }

  /// Emits the scores. If there are fewer matrices than subgroups, some subgroups compute the last matrix again and
  /// write the same values.
  void emitScores() {
    SmallVector<Value> query;
    for (int64_t step = 0; step < form.depth.size; step += kMatrixSize)
      query.push_back(read("AOp", queries, index(step / kChunk), layout.queryPitch));
    for (int64_t from = 0; from < layout.keys; from += kSubgroups) {
      Value tile = build.add(subgroup, index(from));
      if (from + kSubgroups > layout.keys)
        tile = of.least(tile, index(layout.keys - 1));
      Value first = build.multiply(tile, kMatrixSize * layout.queryPitch), sum = zeros();
      for (auto [step, left] : llvm::enumerate(query)) {
        Value at = build.add(first, index(int64_t(step) * kChunks));
        sum = multiplyAdd(left, read("BOp", operands, at, layout.queryPitch, /*transposed=*/true), sum);
      }
      write(sum, scores, build.multiply(tile, kQuads), layout.scorePitch);
    }
  }

  //===--------------------------------------------------------------------===//
  // 3. Sweeps
  //===--------------------------------------------------------------------===//

  /// Emits the sweeps. An invocation has every perRow-th chunk of eight keys of its row.
  void emitSweeps() {
    const int64_t chunks = layout.weightPitch - kMatrixPadChunks, perRow = of.perRow();
    SmallVector<KeptScore> kept;
    for (int64_t from = 0; from < chunks; from += perRow) {
      Value chunk = build.add(of.laneOfRow(), index(from));
      Value there = of.least(chunk, index(layout.keys * kChunks - 1));
      for (int64_t quad = 0; quad < 2; ++quad) {
        Value at = build.add(build.multiply(of.sweptRow(), layout.scorePitch),
                             build.add(build.multiply(there, 2), index(quad)));
        Value bits = memref::LoadOp::create(build.ops, build.loc, scores, at);
        Value four = vector::BitCastOp::create(build.ops, build.loc, VectorType::get({4}, of.type), bits);
        for (int64_t lane = 0; lane < kQuad; ++lane) {
          Value key = build.add(build.multiply(chunk, kChunk), index(quad * kQuad + lane));
          KeptScore one;
          if ((from + perRow) * kChunk > form.keys.size) {
            one.inside = build.below(key, index(form.keys.size));
            key = of.least(key, index(form.keys.size - 1));
          }
          one.key = key;
          one.score = build.lane(four, lane);
          kept.push_back(one);
        }
      }
    }
    of.sweep(kept);
    build.barrier(); // If no reduction, which has a barrier, precedes, some scores may still be unread.
    Value zero = build.floatConstant(0, of.type);
    for (auto [number, from] : llvm::enumerate(llvm::seq<int64_t>(0, llvm::divideCeil(chunks, perRow)))) {
      SmallVector<Value> weights;
      for (const KeptScore &one : ArrayRef(kept).slice(number * kChunk, kChunk))
        weights.push_back(one.inside
                              ? arith::SelectOp::create(build.ops, build.loc, one.inside, one.score, zero).getResult()
                              : one.score);
      Value chunk = build.add(of.laneOfRow(), index(from * perRow));
      build.onlyIf((from + 1) * perRow > chunks ? build.below(chunk, index(chunks)) : Value(), [&] {
        memref::StoreOp::create(build.ops, build.loc, narrowed(weights), scores,
                                build.add(build.multiply(of.sweptRow(), layout.weightPitch), chunk));
      });
    }
  }

  /// Returns eight f32 values as a chunk of f16.
  Value narrowed(ArrayRef<Value> eight) {
    SmallVector<Value, 4> words;
    for (int64_t from = 0; from < kChunk; from += 2) {
      Value pair =
          arith::TruncFOp::create(build.ops, build.loc, VectorType::get({2}, half), build.join(eight.slice(from, 2)));
      words.push_back(vector::ExtractOp::create(
          build.ops, build.loc,
          vector::BitCastOp::create(build.ops, build.loc, VectorType::get({1}, build.ops.getI32Type()), pair), 0));
    }
    return build.join(words);
  }

  //===--------------------------------------------------------------------===//
  // 4. The result
  //===--------------------------------------------------------------------===//

  void emitResult() {
    // Subgroups beyond the sets repeat the work of the last set.
    Value column = of.remainder(subgroup, layout.columns);
    Value set = of.least(of.quotient(subgroup, layout.columns), index(layout.sets - 1));
    Value sum = zeros(), before, hasLast, hasNone;
    for (int64_t from = 0; from < layout.keys; from += layout.sets) {
      Value tile = build.add(set, index(from));
      if (from + layout.sets > layout.keys) {
        hasLast = build.below(tile, index(layout.keys)), hasNone = build.below(index(layout.keys - 1), tile);
        before = sum;
        tile = of.least(tile, index(layout.keys - 1));
      }
      Value at = build.add(build.multiply(tile, kMatrixSize * layout.valuePitch), build.multiply(column, kChunks));
      sum = multiplyAdd(read("AOp", scores, build.multiply(tile, kChunks), layout.weightPitch),
                        read("BOp", operands, at, layout.valuePitch), sum);
    }
    build.barrier();
    const int64_t rowQuads = layout.columns * kQuads, quads = kMatrixSize * rowQuads;
    Value to = build.add(build.multiply(set, quads), build.multiply(column, kQuads));
    build.onlyIf(hasLast, [&] { write(sum, operands, to, rowQuads); });
    // A set without keys in the last iteration used the keys of another set. So its sum before that iteration is the
    // result.
    if (hasNone)
      build.onlyIf(hasNone, [&] { write(before, operands, to, rowQuads); });
    build.barrier();
    for (int64_t from = 0; from < quads; from += kInvocations) {
      Value number = build.add(of.function.invocation, index(from));
      Value row = build.add(of.firstRow, of.quotient(number, rowQuads)), quad = of.remainder(number, rowQuads);
      Value isOne = from + kInvocations > quads ? build.below(number, index(quads)) : Value();
      build.onlyIf(build.both(isOne, build.below(row, of.endRow)), [&] {
        Value total;
        for (int64_t other = 0; other < layout.sets; ++other) {
          Value bits = memref::LoadOp::create(build.ops, build.loc, operands, build.add(number, index(other * quads)));
          Value part = vector::BitCastOp::create(build.ops, build.loc, VectorType::get({4}, of.type), bits);
          total = total ? arith::AddFOp::create(build.ops, build.loc, total, part).getResult() : part;
        }
        Value address = of.operands.addressOf(Index::Result, {{&form.rows, row}, {&form.columns, quad}}, kQuad);
        build.store(of.finished(total, kQuad), form.operands[Index::Result].argument, address);
      });
    }
  }

  AttentionRows &of;
  const AttentionForm &form;
  PointBuilder &build;
  const Layout layout;
  const Type half;
  const VectorType chunkType;
  Value queries, operands, scores; ///< Arrays in shared memory.
  Value subgroup;
};

} // namespace

bool fitsMatrices(const AttentionRows &attention) {
  constexpr int64_t mostColumns = 128;
  constexpr int64_t mostShared = (48 << 10) / 16; // In chunks. Desktop GPUs give a workgroup this much shared memory.
  const AttentionForm &form = attention.form;
  using Index = AttentionForm::Index;
  auto areChunks = [&](Index operand, const ContractionLoop &along) {
    return form.operands[operand].elementType.isF16() && along.size % kMatrixSize == 0 && along.size <= mostColumns &&
           attention.operands.inVectors(operand, along, kChunk);
  };
  if (form.keys.size < kMatrixSize || !areChunks(Index::Queries, form.depth) || !areChunks(Index::Keys, form.depth) ||
      !areChunks(Index::Values, form.columns) || !attention.operands.inQuads(Index::Result, form.columns))
    return false;
  const Layout layout(form);
  const int64_t folds =
      llvm::count_if(form.sweeps, [](const Work &sweep) { return !sweep.allParallel(); }) * kInvocations / 4;
  return layout.queries() + layout.operands() + layout.scores() + folds <= mostShared;
}

void emitMatrixAttention(AttentionRows &attention) {
  for (const GpuMachine &machine : gpuMachines())
    if (machine.matrixLanes > 0)
      attention.function.families |= maskOf(machine.family);
  MatrixAttention(attention).emit();
}

} // namespace nacre::codegen::gpu
