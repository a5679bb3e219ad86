// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits kernels point by point, with one invocation for each written element or vector of elements. These are
//        maps, windows, short reductions, permutes, gathers, scans, and every kernel that all other emitters decline.
// Why:   points are independent, so every kernel can be computed like this. For most kernels other than contractions,
//        it is the fastest way.
// How:   1. plan a pass over the points of each written tensor. Tensors that are computed on the way are written in the
//           same pass;
//        2. count the points of a row of workgroups in the order of memory, in vectors if they are contiguous;
//        3. an invocation requests the value at its point (Evaluator.h), and writes it;
//        4. write the halos.

#include "codegen/gpu/Emitters.h"
#include "codegen/gpu/Halo.h"
#include "codegen/gpu/points/Evaluator.h"
#include "codegen/gpu/points/PointGrid.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace nacre::codegen::gpu {

namespace {

/// Range of the cut axis that a row of workgroups computes.
struct RowRange {
  Value begin, end;     ///< Null if the kernel is not divided. The range is then the whole axis.
  int64_t multiple = 1; ///< Known divisor of `begin`.
};

/// A pass over the points of a written tensor.
struct Pass {
  unsigned written = 0, work = 0, result = 0;
  unsigned cutAxis = 0;
  unsigned lanes = 1;
  /// Sizes of the axes. The size of the cut axis is the number of its indices in a row of workgroups.
  SmallVector<int64_t> sizes;
  /// Number of elements along each axis that an invocation computes. `sizes` counts groups of these elements.
  SmallVector<int64_t> steps;
};

class PointsEmitter {
public:
  PointsEmitter(plan::KernelOp kernel, const KernelForm &form, KernelFunction &function)
      : form(form), function(function), build(function), evaluator(build, kernel, form),
        divided(form.cutExtent > 1 && form.grain < form.cutExtent) {}

  LogicalResult run();

private:
  // 1. Passes
  LogicalResult planPass(unsigned written, unsigned work, unsigned result);
  unsigned chooseWidth(const Pass &pass) const;
  void chooseSteps(Pass &pass) const;
  void countStrides(unsigned work, unsigned loop, int64_t &fit, int64_t &others) const;

  // 2. The grid
  void divide();

  // 3. Points
  void emitPass(const Pass &pass);
  SmallVector<Point, 0> pointsOfSteps(const Pass &pass, const Point &element);
  Point pointOf(const Pass &pass, Value counter, Value &inside);
  bool storeAll(unsigned work, const Point &at);

  const KernelForm &form;
  KernelFunction &function;
  PointBuilder build;
  Evaluator evaluator;
  const bool divided;

  SmallVector<Pass> passes;
  PointGrid grid;
  RowRange range;
  Value thread;
  llvm::SmallDenseSet<unsigned> done; ///< Indices of the written tensors that are finished.
};

//===----------------------------------------------------------------------===//
// 1. Passes
//===----------------------------------------------------------------------===//

LogicalResult PointsEmitter::planPass(unsigned written, unsigned work, unsigned result) {
  Pass pass{written, work, result, form.cutAxis, 1, form.written[written].slice.shape, {}};
  if (divided && (pass.cutAxis >= pass.sizes.size() || pass.sizes[pass.cutAxis] != form.cutExtent)) {
    // Another tensor may have the cut axis at another position, which must be unambiguous.
    auto axis = llvm::find(pass.sizes, form.cutExtent);
    if (axis == pass.sizes.end() || llvm::count(pass.sizes, form.cutExtent) != 1) {
      function.declined = "the cut axis of every written tensor must be known";
      return failure();
    }
    pass.cutAxis = axis - pass.sizes.begin();
  }
  pass.lanes = chooseWidth(pass);
  chooseSteps(pass);
  passes.push_back(std::move(pass));
  return success();
}

/// Counts the storages that `work` reads along its loop `loop`. `fit` counts those that are read as vectors or
/// broadcast, `others` those with other strides.
void PointsEmitter::countStrides(unsigned number, unsigned loop, int64_t &fit, int64_t &others) const {
  const Work &work = form.work[number];
  for (const Input &input : work.inputs) {
    if (input.source == Input::Source::Storage) {
      const int64_t stride = input.access.strides[loop];
      (stride == 0 || stride == 1 ? fit : others) += 1;
    }
    if (input.source != Input::Source::Work)
      continue;
    const Result &read = form.work[input.work].results[input.result];
    for (auto [here, there] : llvm::zip_equal(input.map.getResults(), read.map.getResults()))
      if (here.isFunctionOfDim(loop))
        for (unsigned inner = form.work[input.work].loops(); inner-- > 0;)
          if (there.isFunctionOfDim(inner)) {
            countStrides(input.work, inner, fit, others);
            break;
          }
  }
}

unsigned PointsEmitter::chooseWidth(const Pass &pass) const {
  const WrittenTensor &written = form.written[pass.written];
  constexpr int64_t lanes = 4;
  auto isWhole = [](int64_t number) { return number % lanes == 0; };
  std::optional<unsigned> along = contiguousAxis(pass.sizes, written.slice.strides);
  if (!along || written.elementType.getIntOrFloatBitWidth() > 32 || !isWhole(pass.sizes[*along]) ||
      !isWhole(written.slice.offset) || !function.liesInVectors(written.slice.argument, lanes))
    return 1;
  for (auto [size, stride] : llvm::zip_equal(pass.sizes, written.slice.strides))
    if (size > 1 && stride != 1 && !isWhole(stride))
      return 1;
  std::optional<unsigned> cut = divided ? std::optional<unsigned>(pass.cutAxis) : std::nullopt;
  if (!evaluator.lanesFit(lanes, cut, Evaluator::VectorAxis{pass.work, pass.result, *along}) ||
      (along == cut && !isWhole(form.grain)))
    return 1;

  const Work &work = form.work[pass.work];
  int64_t fit = 0, others = 0, iterations = 1;
  for (unsigned loop = work.loops(); loop-- > 0;)
    if (work.results[pass.result].map.getResult(*along).isFunctionOfDim(loop)) {
      countStrides(pass.work, loop, fit, others);
      break;
    }
  if (others > fit)
    return 1;
  // A kernel with long sums is faster with many invocations than with wide ones.
  constexpr int64_t kManyPoints = 16384, kLongSum = 25;
  int64_t points = 1;
  for (int64_t size : pass.sizes)
    points *= size;
  for (const Work &reduction : form.work) {
    int64_t length = 1;
    for (auto [size, parallel] : llvm::zip_equal(reduction.sizes, reduction.parallel))
      length *= parallel ? 1 : size;
    iterations = std::max(iterations, length);
  }
  return iterations > kLongSum && points < kManyPoints ? 1 : lanes;
}

/// Lets one invocation compute all elements of an axis' innermost loop, if several loops walk that axis. These elements
/// share the inputs that only the other loops move. Does so only if enough invocations remain.
void PointsEmitter::chooseSteps(Pass &pass) const {
  constexpr int64_t mostSteps = 4, manyGroups = 131072;
  pass.steps.assign(pass.sizes.size(), 1);
  if (form.written.size() != 1)
    return;
  SmallVector<int64_t> steps = pass.steps, sizes = pass.sizes;
  int64_t all = 1, groups = 1;
  for (unsigned axis = 0; axis < sizes.size(); ++axis) {
    if (axis != pass.cutAxis)
      steps[axis] = evaluator.innermostOf(pass.work, pass.result, axis);
    sizes[axis] /= steps[axis];
    all *= steps[axis];
    groups *= sizes[axis];
  }
  if (all == 1 || all > mostSteps || groups / pass.lanes < manyGroups)
    return;
  pass.steps = steps;
  pass.sizes = sizes;
}

//===----------------------------------------------------------------------===//
// 2. The grid
//===----------------------------------------------------------------------===//

void PointsEmitter::divide() {
  // The tensor with the largest number of points decides.
  int64_t perIndex = 1, step = 1, total = 1;
  for (const Pass &pass : passes) {
    int64_t points = 1;
    bool vectorsAlongCut = false;
    for (auto [axis, size] : llvm::enumerate(pass.sizes)) {
      if (divided && unsigned(axis) == pass.cutAxis) {
        vectorsAlongCut = pass.lanes > 1 && form.written[pass.written].slice.strides[axis] == 1;
        continue;
      }
      points *= size;
    }
    if (vectorsAlongCut)
      step = std::max<int64_t>(step, pass.lanes);
    else
      points /= pass.lanes;
    perIndex = std::max(perIndex, points);
    total = std::max(total, points * (divided ? form.cutExtent : 1));
  }
  constexpr int64_t kSmall = 64, kLarge = 128, kManyPoints = 65536;
  function.workgroupSize = total >= kManyPoints ? kLarge : kSmall;
  grid = choosePointGrid(divided ? form.cutExtent : 1, step, perIndex, function.workgroupSize);
  if (!divided)
    grid.unitExtent = form.cutExtent;
  function.unitExtent = grid.unitExtent;
  function.groups = grid.groups;

  range.begin = build.index(0);
  if (divided) {
    range.begin = build.add(function.shareBegin, build.multiply(function.row, grid.unitExtent));
    range.end = arith::MinUIOp::create(build.ops, build.loc, build.add(range.begin, build.index(grid.unitExtent)),
                                       function.shareEnd);
    range.multiple = std::gcd(form.grain, grid.unitExtent);
  }
  thread = build.add(build.multiply(function.group, function.workgroupSize), function.invocation);
  for (Pass &pass : passes)
    if (divided)
      pass.sizes[pass.cutAxis] = grid.unitExtent;

  function.flops = countFlops(form);
}

//===----------------------------------------------------------------------===//
// 3. Points
//===----------------------------------------------------------------------===//

/// Returns the element with index `counter`. Sets `inside` to a condition that is false if there is no such element.
Point PointsEmitter::pointOf(const Pass &pass, Value counter, Value &inside) {
  int64_t points = 1;
  for (int64_t size : pass.sizes)
    points *= size;
  points /= pass.lanes;
  if (points % grid.threads != 0)
    inside = build.both(inside, build.below(counter, build.index(points)));
  Point element = pointsInOrder(counter, pass.sizes, form.written[pass.written].slice.strides, pass.lanes);
  for (auto [position, step] : llvm::zip_equal(element, pass.steps))
    position.scale *= step;
  if (divided) {
    Position &cut = element[pass.cutAxis];
    cut.base = range.begin;
    cut.baseMultiple = range.multiple;
    inside = build.both(inside, build.below(build.value(cut), range.end));
  }
  return element;
}

/// Stores every written result of `work` at `at`. Returns false if a result cannot be stored.
bool PointsEmitter::storeAll(unsigned number, const Point &at) {
  const Work &work = form.work[number];
  for (auto [result, described] : llvm::enumerate(work.results)) {
    if (!described.written)
      continue;
    FailureOr<Access> access =
        composeAccess(form.written[*described.written].slice, described.map, described.elementType);
    if (failed(access))
      return false;
    evaluator.store(evaluator.evaluate(number, result, at), *access, at);
    done.insert(*described.written);
  }
  return true;
}

/// Returns the sorted positions of `at` that depend on a counter or a base.
static Point movingPart(Point at) {
  llvm::erase_if(at, [](const Position &position) { return !position.counter && !position.base; });
  llvm::sort(at, [](const Position &a, const Position &b) { return a < b; });
  return at;
}

/// Returns the points of all elements that the invocation of `element` computes.
SmallVector<Point, 0> PointsEmitter::pointsOfSteps(const Pass &pass, const Point &element) {
  SmallVector<Point, 0> points = {element};
  for (auto [axis, steps] : llvm::enumerate(pass.steps)) {
    SmallVector<Point, 0> all;
    for (const Point &first : points)
      for (int64_t step = 0; step < steps; ++step) {
        all.push_back(first);
        all.back()[axis].constant += step;
      }
    points = std::move(all);
  }
  for (Point &point : points)
    point = evaluator.loopsOf(pass.work, pass.result, point);
  return points;
}

void PointsEmitter::emitPass(const Pass &pass) {
  int64_t points = 1;
  for (int64_t size : pass.sizes)
    points *= size;
  points /= pass.lanes;
  build.loop(int64_t(llvm::divideCeil(points, grid.threads)), [&](Value iteration) {
    evaluator.inScope([&] {
      Value inside;
      Point element = pointOf(pass, build.add(thread, build.multiply(iteration, grid.threads)), inside);
      build.onlyIf(inside, [&] {
        // Read everything before writing anything, because a storage may be both read and written.
        SmallVector<std::pair<unsigned, Point>, 1> stores;
        for (const Point &at : pointsOfSteps(pass, element)) {
          evaluator.evaluate(pass.work, pass.result, at);
          stores.emplace_back(pass.work, at);
        }
        const Point at = stores.front().second;
        for (unsigned work = 0; work < pass.work; ++work) {
          std::optional<Point> point = evaluator.onlyPointOf(work);
          if (point && movingPart(*point) == movingPart(at))
            stores.emplace_back(work, *point);
        }
        for (const auto &[work, point] : stores)
          storeAll(work, point);
      });
    });
  });
}

LogicalResult PointsEmitter::run() {
  if (!evaluator.accepts(function.declined))
    return failure();
  // Start with the last tensor, because its dependencies are computed on the way.
  for (unsigned work = form.work.size(); work-- > 0;)
    for (auto [result, described] : llvm::enumerate(form.work[work].results))
      if (described.written && failed(planPass(*described.written, work, result)))
        return failure();
  divide();
  for (const Pass &pass : passes)
    if (!done.contains(pass.written))
      emitPass(pass);
  for (const Pass &pass : passes) {
    const WrittenTensor &written = form.written[pass.written];
    if (written.haloValue)
      emitHalo(function, written, pass.cutAxis, range.begin,
               divided ? range.end : build.index(written.slice.shape[pass.cutAxis]));
  }
  return success();
}

} // namespace

LogicalResult emitPoints(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<KernelForm> form = parseKernel(kernel);
  if (failed(form)) {
    function.declined = "not one of the forms of docs/phases/kernels.md";
    return failure();
  }
  return PointsEmitter(kernel, *form, function).run();
}

} // namespace nacre::codegen::gpu
