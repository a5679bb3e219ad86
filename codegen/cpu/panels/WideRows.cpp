// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. sort the loops by their strides, and merge each into the previous level if it continues or overlaps
//        it. The results are blocks of consecutive elements, and the distances between blocks;
//        2. copy block by block.

#include "codegen/cpu/panels/WideRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

/// Range of a unit on the cut axis, if this axis is a loop over rows. It has at most `most` iterations.
struct CutRows {
  Value low, high; ///< Null if a unit has all rows
  int64_t most = 1;
};

class RowWidener {
public:
  RowWidener(KernelFunction &function, VectorBuilder &build, const LoopedContraction &contraction, const CutRows &cut)
      : function(function), build(build), contraction(contraction), cut(cut),
        element(contraction.operands[Contraction::Lhs].elementType), type(build.ops.getI16Type()),
        lanes(build.target.vectors.bytes / 2) {
    collectLoops();
    levels.push_back({1, 1, runLength(), Value(), 0});
    if (!llvm::all_of(loops, [this](const Loop &loop) { return addToLevels(loop); }))
      addAllToOneLevel();
  }

  /// Copies the rows into scratch, which becomes the last of the function's buffers. Returns the contraction that reads
  /// the copy, and sets the address of Lhs in `at`.
  LoopedContraction emit(Addresses &at) {
    LoopedContraction wide = contraction;
    Value from = at[Contraction::Lhs], to = build.index(0);
    for (const Loop &loop : loops) {
      const int64_t moved = newStrides.lookup({loop.isOfDepth, loop.number});
      (loop.isOfDepth ? wide.depth : wide.rows)[loop.number].strides[Contraction::Lhs] = moved;
      from = build.sum(from, build.scaled(loop.first, loop.stride));
      to = build.sum(to, build.scaled(loop.first, -moved));
    }
    Value buffer = allocateScratch(function, build, spanOf(levels.size()), type);
    copy(levels.size(), buffer, from, build.index(0));
    wide.operands[Contraction::Lhs].elementType = type;
    wide.operands[Contraction::Lhs].argument = function.buffers.size();
    wide.isUnsignedLhs = false;
    function.buffers.push_back(buffer);
    at[Contraction::Lhs] = to;
    return wide;
  }

private:
  struct Loop {
    bool isOfDepth;
    unsigned number;
    int64_t size, stride; ///< `size` is the largest number of iterations
    Value iterations;     ///< Number of iterations; null if it is always `size`
    Value first;          ///< Iteration that reads the lowest address
    int64_t distance() const { return std::abs(stride); }
  };

  /// Level of the copy: at most `count` blocks of the level below, or elements in the lowest level. They are `stride`
  /// elements apart in the operand, and `copied` elements apart in the copy.
  struct Level {
    int64_t stride, copied, count;
    Value more;          ///< Number of iterations of the cut loop minus 1
    int64_t ofIteration; ///< Number of blocks that each further iteration of the cut loop adds
    int64_t least = 0;   ///< Number of blocks of the first iteration; 0 if the cut loop adds no blocks
  };

  //===--------------------------------------------------------------------===//
  // 1. Loops and levels
  //===--------------------------------------------------------------------===//

  /// Returns how many consecutive elements the innermost loop of the depth reads; 1 if each group has a single step.
  int64_t runLength() const {
    const DepthGroups &groups = contraction.groups;
    return isRun() ? (contraction.depth.back().size - 1) * groups.k + groups.valid() - groups.overlap() : 1;
  }
  bool isRun() const { return contraction.groups.run > 1; }

  void collectLoops() {
    auto collect = [&](bool isOfDepth, ArrayRef<ContractionLoop> of) {
      for (auto [number, loop] : llvm::enumerate(of)) {
        const bool isCut = !isOfDepth && cut.low && number == contraction.cutLoop;
        const int64_t stride = loop.strides[Contraction::Lhs], size = isCut ? cut.most : loop.size;
        if (stride == 0 || (size == 1 && !isCut))
          continue;
        Loop added = {isOfDepth, unsigned(number), size, stride, Value(), build.index(stride < 0 ? size - 1 : 0)};
        if (isCut) {
          added.iterations = arith::SubIOp::create(build.ops, build.loc, cut.high, cut.low);
          added.first = stride < 0 ? build.add(cut.high, -1) : cut.low;
        }
        loops.push_back(added);
      }
    };
    collect(false, contraction.rows);
    collect(true, ArrayRef(contraction.depth).drop_back(isRun() ? 1 : 0));
    llvm::stable_sort(loops, [](const Loop &a, const Loop &b) { return a.distance() < b.distance(); });
  }

  /// Returns the number of elements from the first to the last element of the lowest `count` levels in the copy.
  int64_t spanOf(size_t count) const {
    int64_t span = 1;
    for (const Level &level : ArrayRef(levels).take_front(count))
      span += (level.count - 1) * level.copied;
    return span;
  }
  int64_t spanInMemory() const {
    int64_t span = 1;
    for (const Level &level : levels)
      span += (level.count - 1) * level.stride;
    return span;
  }

  void setStride(const Loop &loop, int64_t stride) {
    newStrides[{loop.isOfDepth, loop.number}] = loop.stride < 0 ? -stride : stride;
  }

  void join(Level &level, const Loop &loop, int64_t blocks) {
    if (loop.iterations) {
      level.more = build.add(loop.iterations, -1);
      level.ofIteration = blocks;
      level.least = level.count;
    } else if (level.least) {
      level.least += (loop.size - 1) * blocks;
    }
    level.count += (loop.size - 1) * blocks;
    setStride(loop, blocks * level.copied);
  }

  /// Adds a loop to the levels. Returns false, and does nothing, if blocks would overlap partially.
  bool addToLevels(const Loop &loop) {
    Level &last = levels.back();
    const int64_t blocks = loop.distance() / last.stride;
    if (loop.distance() % last.stride == 0 && blocks <= last.count) {
      join(last, loop, blocks);
      return true;
    }
    if (loop.distance() < spanInMemory())
      return false;
    // Keep a storage's padding, because it separates rows in the cache's sets. Leave out larger gaps, whose elements
    // this unit does not read.
    const int64_t span = spanOf(levels.size());
    const bool isNear = loop.distance() * 8 <= span * 9;
    const int64_t nearer = std::min<int64_t>(loop.distance(), llvm::alignTo(span, kLineBytes / 2));
    levels.push_back({loop.distance(), isNear ? loop.distance() : nearer, 1, Value(), 0});
    join(levels.back(), loop, 1);
    return true;
  }

  /// Replaces all levels by one, which copies all elements from the first to the last without changing distances.
  void addAllToOneLevel() {
    levels.assign(1, {1, 1, runLength(), Value(), 0});
    for (const Loop &loop : loops)
      join(levels.front(), loop, loop.distance());
  }

  //===--------------------------------------------------------------------===//
  // 2. Copying
  //===--------------------------------------------------------------------===//

  Value countOf(const Level &level) {
    return level.least ? build.add(build.scaled(level.more, level.ofIteration), level.least) : build.index(level.count);
  }

  void copy(size_t count, Value buffer, Value from, Value to) {
    const Level &level = levels[count - 1];
    if (count == 1)
      return copyBlock(level, buffer, from, to);
    build.loop(build.index(0), countOf(level), 1, [&](Position block) {
      copy(count - 1, buffer, build.address({{from, 0}, block}, {1, level.stride}, 0),
           build.address({{to, 0}, block}, {1, level.copied}, 0));
    });
  }

  void copyBlock(const Level &level, Value buffer, Value from, Value to) {
    constexpr int64_t vectors = 4;
    const int64_t least = level.least ? level.least : level.count;
    Value count = countOf(level);
    auto upTo = [&](int64_t step) { return build.scaled(build.divide(count, step), step); };
    Value unrolled = upTo(vectors * lanes), whole = upTo(lanes);
    build.loop(build.index(0), unrolled, vectors * lanes, [&](Position at) {
      for (int64_t vector = 0; vector < vectors; ++vector)
        copyVector(buffer, from, to, at + vector * lanes, lanes);
    });
    build.loop(unrolled, whole, lanes, [&](Position at) { copyVector(buffer, from, to, at, lanes); });
    if (least % lanes == 0 && (!level.least || level.ofIteration % lanes == 0))
      return;
    if (least < lanes)
      return build.loop(whole, count, 1, [&](Position at) { copyVector(buffer, from, to, at, 1); });
    copyVector(buffer, from, to, {build.add(count, -lanes), 0}, lanes);
  }

  void copyVector(Value buffer, Value from, Value to, Position at, int64_t width) {
    const Piece piece = {0, unsigned(width), unsigned(width)};
    Value bytes = build.load(function.buffers[contraction.operands[Contraction::Lhs].argument],
                             build.address({{from, 0}, at}, {1, 1}, 0), piece);
    Type wide = VectorType::get({width}, type);
    Value values = contraction.isUnsignedLhs ? arith::ExtUIOp::create(build.ops, build.loc, wide, bytes).getResult()
                                             : arith::ExtSIOp::create(build.ops, build.loc, wide, bytes).getResult();
    build.store(values, buffer, build.address({{to, 0}, at}, {1, 1}, 0), piece);
  }

  KernelFunction &function;
  VectorBuilder &build;
  const LoopedContraction &contraction;
  const CutRows &cut;
  const Type element, type;
  const int64_t lanes;
  SmallVector<Loop> loops;
  SmallVector<Level> levels;
  /// New stride of each loop. The key is true for a loop of the depth, and the index of the loop.
  llvm::SmallDenseMap<std::pair<unsigned, unsigned>, int64_t> newStrides;
};

} // namespace

void forWideRows(KernelFunction &function, VectorBuilder &build, MatrixProduct &walked, const PanelWalk &rows,
                 const Addresses &at, llvm::function_ref<void(const PanelWalk &block, const Addresses &at)> emit) {
  const MatrixProduct before = walked;
  auto emitBlock = [&](const PanelWalk &block) {
    CutRows cut;
    if (walked.cut == LoopedContraction::Cut::Rows) {
      cut = {build.scaled(block.cutLow, walked.cutFactor), build.scaled(block.cutHigh, walked.cutFactor),
             std::min(block.cutMost * walked.cutFactor, walked.rows[walked.cutLoop].size)};
    }
    Addresses there = at;
    const MatrixProduct ofBytes = walked;
    static_cast<LoopedContraction &>(walked) = RowWidener(function, build, ofBytes, cut).emit(there);
    emit(block, there);
    function.buffers.pop_back();
    walked = before;
  };
  // Units of a cut along rows are small enough to be copied as a whole.
  const ContractionLoop &loop = walked.rows.front();
  const int64_t bytes = 2 * std::abs(loop.strides[Contraction::Lhs]), size = loop.size;
  const int64_t fits = int64_t(build.target.model.l2Bytes / 2) / std::max<int64_t>(1, bytes);
  if (walked.cut == LoopedContraction::Cut::Rows || size <= fits)
    return emitBlock(rows);
  constexpr int64_t multiple = 12; // Multiple of the rows of most tiles
  const int64_t extent = fits > multiple ? fits / multiple * multiple : std::max<int64_t>(1, fits);
  build.loop(0, size, extent, [&](Position first) {
    walked.cut = LoopedContraction::Cut::Rows;
    walked.cutLoop = 0;
    walked.cutFactor = 1;
    walked.cutExtent = size;
    PanelWalk block = rows;
    block.cutLow = build.address({first}, {1}, 0);
    block.cutHigh = arith::MinUIOp::create(build.ops, build.loc, build.add(block.cutLow, extent), build.index(size));
    block.cutExtent = block.cutMost = extent;
    emitBlock(block);
  });
}

} // namespace nacre::codegen::cpu
