// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits serial kernels: an unchanged small program for each point, over flat memory.
// Why:   the order of the program is part of its meaning, but neighbouring points can run side by side.
// How:   1. loops over the points; the first loop is divided into units; 2. along the last loop, several points run
//           together as lanes of vectors (Lanes.h), if all of them do the same; 3. the program (SerialProgram.h). Its
//           iterations that may run in parallel are lanes, too.

#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/Halo.h"
#include "codegen/cpu/Units.h"
#include "codegen/cpu/VectorBody.h"
#include "codegen/cpu/serial/Lanes.h"
#include "codegen/form/serial/SerialProgram.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/PlanDialect.h"
#include "dialects/plan/SerialIterations.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

using namespace mlir;

namespace nacre::codegen::cpu {
namespace {

/// Number of vectors in a step along the points. Their sums are computed together.
constexpr int64_t kVectors = 4;

/// Emits values as scalars, or as vectors of `width` lanes if they differ between points.
class LaneEngine final : public SerialEngine {
public:
  LaneEngine(VectorBuilder &builder, KernelFunction &function, const SerialForm &form, const Lanes &lanes,
             unsigned width)
      : builder(builder), function(function), form(form), lanes(&lanes), width(width) {}

  Value load(Value value, const Place &place, Value address) override {
    return isVarying(value) ? builder.load(memoryOf(place), address, {0, width, width})
                            : builder.loadScalar(memoryOf(place), address);
  }
  void store(Value stored, const Place &place, Value address) override {
    if (width == 1)
      builder.storeScalar(stored, memoryOf(place), address);
    else
      builder.store(builder.broadcast(stored, width), memoryOf(place), address, {0, width, width});
  }
  Value compute(Operation *op, ArrayRef<Value> operands) override {
    return inlineOperation(builder, op, operands, width);
  }
  Value constant(TypedAttr value) override { return builder.constant(value); }
  Value allocate(RankedTensorType type) override {
    constexpr uint64_t kAlignment = 64;
    Value begin = builder.index(int64_t(function.scratchBytes));
    function.scratchBytes += llvm::alignTo(uint64_t(storedBytes(type)), kAlignment);
    return memref::ViewOp::create(builder.ops, builder.loc,
                                  MemRefType::get({type.getNumElements()}, type.getElementType()), function.scratch,
                                  begin, ValueRange());
  }
  Type typeOf(Value value) override { return isVarying(value) ? vectorOf(value.getType(), width) : value.getType(); }
  Value carry(Value emitted, Value value) override {
    return isVarying(value) ? builder.broadcast(emitted, width) : emitted;
  }
  /// Emits the iterations of the last loop as lanes.
  bool parallel(ArrayRef<scf::ForOp> loops, Iteration iteration) override {
    std::optional<Lanes> found = width == 1 ? findLanes(form, loops.back()) : std::nullopt;
    if (!found)
      return false;
    SmallVector<Value> counters(loops.size());
    emitInLanes(loops, *found, counters, 0, iteration);
    return true;
  }

private:
  void emitInLanes(ArrayRef<scf::ForOp> loops, const Lanes &found, SmallVectorImpl<Value> &counters, size_t depth,
                   Iteration iteration) {
    scf::ForOp loop = loops[depth];
    const int64_t extent = loop.getStaticTripCount()->getSExtValue();
    if (depth + 1 < loops.size())
      return builder.loop(builder.index(0), builder.index(extent), 1, [&](Position at) {
        counters[depth] = at.counter;
        emitInLanes(loops, found, counters, depth + 1, iteration);
      });
    const Lanes *before = std::exchange(lanes, &found);
    const int64_t fit = builder.target.vectors.bytes * 8 / found.widestBits;
    int64_t low = 0;
    for (int64_t step : {kVectors * fit, fit, int64_t(1)}) {
      const int64_t high = extent - (extent - low) % step;
      if (high == low)
        continue;
      width = unsigned(step);
      builder.loop(builder.index(low), builder.index(high), step, [&](Position at) {
        counters[depth] = at.counter;
        iteration(counters);
      });
      low = high;
    }
    width = 1;
    lanes = before;
  }

  bool isVarying(Value value) const { return width > 1 && lanes->varying.contains(value); }
  Value memoryOf(const Place &place) const {
    return place.argument ? function.buffers[*place.argument] : place.scratch;
  }

  VectorBuilder &builder;
  KernelFunction &function;
  const SerialForm &form;
  const Lanes *lanes;
  unsigned width;
};

class SerialEmitter {
public:
  SerialEmitter(const SerialForm &form, KernelFunction &function)
      : form(form), function(function), builder(function), indices(form.loops()) {
    if (std::optional<Lanes> found = findLanes(form)) {
      lanes = std::move(*found);
      const unsigned fit = builder.target.vectors.bytes * 8 / lanes.widestBits;
      width = std::min<int64_t>(fit, llvm::bit_floor(uint64_t(std::max<int64_t>(1, form.extentOf(form.loops() - 1)))));
    }
  }

  void run() {
    const double nanoseconds = estimate();
    divideIntoUnits(function, nanoseconds / double(form.cutExtent), form.cutExtent, form.grain);
    emitUnits(builder, function, [&](Value low, Value high, Value) {
      emitLoop(0, low, high);
      for (auto [written, axis] : llvm::zip_equal(form.written, form.cutAxes)) {
        if (form.isDivided())
          emitHalo(builder, function.buffers[written.slice.argument], written, axis, low, high);
        else if (written.haloValue)
          emitHalo(builder, function.buffers[written.slice.argument], written, axis, builder.index(0),
                   builder.index(written.slice.shape[axis]));
      }
    });
  }

private:
  /// Returns the estimated nanoseconds of all points.
  double estimate() {
    const MachineModel &model = builder.target.model;
    scf::ForallOp points = form.points;
    const double count = plan::countPoints(points);
    double cycles = model.pointCycles;
    points.getBody()->walk([&](Operation *op) {
      const bool moves = isa<tensor::ExtractOp, tensor::InsertOp>(op);
      if (!moves && !isa<arith::ArithDialect>(op->getDialect()) && !isa<math::MathDialect>(op->getDialect()))
        return;
      const double iterations = plan::countIterations(points, op);
      cycles += iterations * (moves ? 1 : operationCost(*op)) / model.chainedInstructionsPerCycle;
      function.flops += count * iterations * isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(op);
    });
    return count * cycles / model.gigahertz / width;
  }

  //===--------------------------------------------------------------------===//
  // 1. Loops over points
  //===--------------------------------------------------------------------===//

  void emitLoop(unsigned loop, Value low, Value high) {
    if (loop == form.loops())
      return emitPoints(1);
    if (loop > 0) {
      low = builder.index(0);
      high = builder.index(form.extentOf(loop));
    }
    if (loop + 1 == form.loops() && width > 1)
      return emitLanes(loop, low, high);
    builder.loop(low, high, loop == 0 ? form.grain : 1, [&](Position at) {
      indices[loop] = at.counter;
      emitLoop(loop + 1, low, high);
    });
  }

  //===--------------------------------------------------------------------===//
  // 2. Lanes
  //===--------------------------------------------------------------------===//

  void emitLanes(unsigned loop, Value low, Value high) {
    for (int64_t step : {kVectors * width, int64_t(width), int64_t(1)}) {
      if (step > form.extentOf(loop))
        continue;
      Value end = high;
      if (step > 1) {
        Value rest = builder.remainder(arith::SubIOp::create(builder.ops, builder.loc, high, low), step);
        end = arith::SubIOp::create(builder.ops, builder.loc, high, rest);
      }
      builder.loop(low, end, step, [&](Position at) {
        indices[loop] = at.counter;
        emitPoints(unsigned(step));
      });
      low = end;
    }
  }

  //===--------------------------------------------------------------------===//
  // 3. The program
  //===--------------------------------------------------------------------===//

  void emitPoints(unsigned count) {
    LaneEngine engine(builder, function, form, lanes, count);
    SerialProgram(builder.ops, builder.loc, form, engine).emit(indices);
  }

  const SerialForm &form;
  KernelFunction &function;
  VectorBuilder builder;
  Lanes lanes;
  int64_t width = 1; ///< Number of points in a vector
  SmallVector<Value> indices;
};

} // namespace

LogicalResult emitSerial(plan::KernelOp kernel, KernelFunction &function) {
  FailureOr<SerialForm> form = parseSerial(kernel);
  if (failed(form))
    return failure();
  SerialEmitter(*form, function).run();
  return success();
}

} // namespace nacre::codegen::cpu
