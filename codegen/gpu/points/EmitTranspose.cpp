// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits maps that read along one axis and write along another one: transposes, with any function.
// Why:   adjacent invocations should both read and write adjacent elements. Emitters of points achieve only one of the
//        two.
// How:   1. cut two axes into tiles: the contiguous axis of the reads, and the contiguous axis of the writes;
//        2. a workgroup computes a tile in the order of reading, into shared memory;
//        3. it writes the tile in the order of writing.

#include "codegen/gpu/Emitters.h"
#include "codegen/gpu/Halo.h"
#include "codegen/gpu/InlineBody.h"
#include "codegen/gpu/points/Evaluator.h"
#include "codegen/gpu/points/PointGrid.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {

namespace {

constexpr int64_t kTile = 32, kWorkgroup = 128, kRowsAtOnce = kWorkgroup / kTile;

class TransposeEmitter {
public:
  TransposeEmitter(plan::KernelOp kernel, const KernelForm &form, KernelFunction &function)
      : form(form), work(form.work.front()), function(function), build(function), evaluator(build, kernel, form),
        divided(form.cutExtent > 1 && form.grain < form.cutExtent) {}

  LogicalResult run();

private:
  LogicalResult chooseAxes();
  void divide();
  Point pointOf(Value alongRead, Value alongWritten, Value &inside);

  const KernelForm &form;
  const Work &work;
  KernelFunction &function;
  PointBuilder build;
  Evaluator evaluator;
  const bool divided;

  Access target;
  /// Index of the loop along which reads are contiguous, and of the loop along which writes are.
  unsigned read = 0, written = 0;
  std::optional<unsigned> cut; ///< Index of the loop that walks the cut axis.
  Value begin, end;            ///< Range of the cut axis.
  Point tile;                  ///< Index of the tile for each loop, or the index itself for loops without tiles.
};

//===----------------------------------------------------------------------===//
// 1. Tiles
//===----------------------------------------------------------------------===//

/// Chooses the axes of tiles. Fails if tiles would be slower, because reads and writes are along the same axis, or axes
/// are short.
LogicalResult TransposeEmitter::chooseAxes() {
  if (form.work.size() != 1 || !work.allParallel() || work.results.size() != 1 || !work.results.front().written)
    return failure();
  const Result &result = work.results.front();
  FailureOr<Access> access = composeAccess(form.written.front().slice, result.map, result.elementType);
  if (failed(access) || !llvm::all_of(result.map.getResults(), [](AffineExpr e) { return isa<AffineDimExpr>(e); }) ||
      result.elementType.getIntOrFloatBitWidth() < 32)
    return failure();
  target = std::move(*access);
  auto contiguous = [&](ArrayRef<int64_t> strides) {
    std::optional<unsigned> found;
    for (unsigned loop = 0; loop < work.loops(); ++loop)
      if (strides[loop] == 1 && work.sizes[loop] >= kTile / 2)
        found = loop;
    return found;
  };
  std::optional<unsigned> alongWritten = contiguous(target.strides), alongRead;
  for (const Input &input : work.inputs)
    if (input.source == Input::Source::Storage && input.access.padded.empty())
      if (std::optional<unsigned> along = contiguous(input.access.strides); along && !alongRead)
        alongRead = along;
  if (!alongRead || !alongWritten || alongRead == alongWritten)
    return failure();
  read = *alongRead;
  written = *alongWritten;
  if (divided)
    cut = cast<AffineDimExpr>(result.map.getResult(form.cutAxis)).getPosition();
  return success();
}

void TransposeEmitter::divide() {
  SmallVector<int64_t> counts(work.sizes);
  for (unsigned loop : {read, written})
    counts[loop] = llvm::divideCeil(counts[loop], kTile);
  if (cut)
    counts[*cut] = 1;
  int64_t groups = 1;
  for (int64_t count : counts)
    groups *= count;
  const bool isTiled = cut == read || cut == written;
  // A row of workgroups must not exceed the limit of workgroups. Otherwise, the emitter of points gets the kernel.
  function.workgroupSize = kWorkgroup;
  function.unitExtent = !cut ? form.cutExtent : isTiled ? kTile : 1;
  function.groups = groups;
  begin = build.index(0);
  if (cut) {
    begin = build.add(function.shareBegin, build.multiply(function.row, function.unitExtent));
    end = arith::MinUIOp::create(build.ops, build.loc, build.add(begin, build.index(function.unitExtent)),
                                 function.shareEnd);
  }
  tile = splitCounter(function.group, counts);
  function.flops = countFlops(form);
}

/// Returns the point at these places within the tile. Sets `inside` to a condition that is false if there is no such
/// point.
Point TransposeEmitter::pointOf(Value alongRead, Value alongWritten, Value &inside) {
  Point at = tile;
  auto place = [&](unsigned loop, Value within) {
    Position position;
    const Value first = cut == loop ? begin : build.multiply(build.value(tile[loop]), kTile);
    position.base = build.add(first, within);
    if (cut == loop)
      inside = build.both(inside, build.below(position.base, end));
    else if (work.sizes[loop] % kTile != 0)
      inside = build.both(inside, build.below(position.base, build.index(work.sizes[loop])));
    at[loop] = position;
  };
  place(read, alongRead);
  place(written, alongWritten);
  if (cut && cut != read && cut != written) {
    at[*cut] = Position();
    at[*cut].base = begin;
  }
  return at;
}

//===----------------------------------------------------------------------===//
// 2. and 3. Reading and writing
//===----------------------------------------------------------------------===//

LogicalResult TransposeEmitter::run() {
  if (!evaluator.accepts(function.declined))
    return failure();
  if (failed(chooseAxes())) {
    function.declined = "nothing is read along an axis other than the one it is written along";
    return failure();
  }
  divide();
  if (function.groups > kMostGroups) {
    function.declined = "there are more tiles than a launch may have workgroups";
    return failure();
  }

  // The pitch has one more column, so that the elements of a column are in different banks.
  constexpr int64_t kPitch = kTile + 1;
  Value shared = function.shared(kTile * kPitch, storedType(work.results.front().elementType));
  Value fast = arith::RemUIOp::create(build.ops, build.loc, function.invocation, build.index(kTile));
  Value slow = arith::DivUIOp::create(build.ops, build.loc, function.invocation, build.index(kTile));
  auto rows = [&](llvm::function_ref<void(Value row)> body) {
    for (int64_t first = 0; first < kTile; first += kRowsAtOnce)
      body(build.add(slow, build.index(first)));
  };
  auto addressOf = [&](Value row, Value column) { return build.add(build.multiply(row, kPitch), column); };
  rows([&](Value row) {
    Value inside;
    Point at = pointOf(fast, row, inside);
    build.onlyIf(inside, [&] {
      evaluator.inScope([&] {
        Value value = evaluator.evaluate(0, 0, at);
        memref::StoreOp::create(build.ops, build.loc, value, shared, ValueRange{addressOf(row, fast)});
      });
    });
  });
  build.barrier();
  rows([&](Value row) {
    Value inside;
    Point at = pointOf(row, fast, inside);
    build.onlyIf(inside, [&] {
      Value value = memref::LoadOp::create(build.ops, build.loc, shared, ValueRange{addressOf(fast, row)});
      evaluator.store(value, target, at);
    });
  });
  if (const WrittenTensor &tensor = form.written.front(); tensor.haloValue)
    emitHalo(function, tensor, form.cutAxis, begin, divided ? end : build.index(tensor.slice.shape[form.cutAxis]));
  return success();
}

} // namespace

LogicalResult emitTranspose(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<KernelForm> form = parseKernel(kernel);
  if (failed(form)) {
    function.declined = "not one of the forms of docs/phases/kernels.md";
    return failure();
  }
  return TransposeEmitter(kernel, *form, function).run();
}

} // namespace nacre::codegen::gpu
