// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/Units.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <optional>

using namespace mlir;

namespace nacre::codegen::cpu {

/// True if units of `extent` indices can be grouped into `stretches` stretches of the axis whose lengths differ by at
/// most one index.
static bool isEven(int64_t axis, int64_t extent, int64_t stretches) {
  const int64_t units = llvm::divideCeil(axis, extent);
  return units % stretches == 0 && std::abs(units * extent - axis) < stretches;
}

int64_t evenExtent(int64_t axis, int64_t extent, int64_t least, int64_t most, int64_t multiple) {
  auto find = [&](int64_t from, int64_t to, int64_t stretches) -> std::optional<int64_t> {
    constexpr int64_t mostTries = 64; // If no nearby extent divides the axis evenly, any extent is even enough.
    const int64_t step = from <= to ? 1 : -1;
    for (int64_t tries = 0; tries < mostTries && (to - from) * step >= 0; ++tries, from += step)
      if (from % multiple == 0 && isEven(axis, from, 2) && isEven(axis, from, stretches))
        return from;
    return std::nullopt;
  };
  const int64_t half = std::max({least, extent / 2, int64_t(1)});
  if (std::optional<int64_t> quarters = find(extent, std::min(half, extent), 4))
    return *quarters;
  if (std::optional<int64_t> smaller = find(extent, std::clamp<int64_t>(least, 1, extent), 2))
    return *smaller;
  if (std::optional<int64_t> larger = find(extent, std::clamp(most, extent, 2 * extent), 2))
    return *larger;
  return extent;
}

int64_t divideIntoUnits(KernelFunction &function, double indexCost, int64_t cutExtent, int64_t multiple) {
  // Limit of units: enough for eight threads with four units each. More units would only add overhead.
  constexpr int64_t kManyUnits = 32;
  indexCost = std::max(indexCost, 0.1);
  int64_t extent = int64_t(std::clamp(std::ceil(kUnitNanoseconds / indexCost), 1.0, double(cutExtent)));
  if (extent * kManyUnits < cutExtent)
    extent = llvm::divideCeil(cutExtent, kManyUnits);
  if (multiple > 1)
    extent = std::min(cutExtent, int64_t(llvm::alignTo(extent, multiple)));
  extent = evenExtent(cutExtent, extent, 1, extent, multiple);
  function.unitExtent = extent;
  function.unitsPerBlock = 1;
  function.unitCost = extent * indexCost;
  const int64_t units = llvm::divideCeil(cutExtent, extent);
  if (extent > 1 || units >= kManyUnits)
    return 1;
  // Clamp before the conversion: the work of a kernel may exceed the range of integers.
  const int64_t most = kManyUnits / units;
  return int64_t(std::clamp(indexCost / kUnitNanoseconds, 1.0, double(most)));
}

Value emitMin(VectorBuilder &builder, Value a, Value b) {
  return arith::MinSIOp::create(builder.ops, builder.loc, a, b);
}

Value emitMax(VectorBuilder &builder, Value a, Value b) {
  return arith::MaxSIOp::create(builder.ops, builder.loc, a, b);
}

void emitUnits(VectorBuilder &builder, KernelFunction &function,
               llvm::function_ref<void(Value low, Value high, Value part)> body) {
  OpBuilder &ops = builder.ops;
  const Location loc = builder.loc;
  Value extent = builder.index(function.unitExtent);
  /// Returns the index at which the block `block` begins, or the end of the share.
  auto boundary = [&](Value block) -> Value {
    Value distance = arith::MulIOp::create(ops, loc, block, extent, arith::IntegerOverflowFlags::nsw);
    Value begin = arith::AddIOp::create(ops, loc, function.shareBegin, distance, arith::IntegerOverflowFlags::nsw);
    return emitMin(builder, begin, function.shareEnd);
  };
  if (function.unitsPerBlock == 1) {
    body(boundary(function.begin), boundary(function.end), Value());
    return;
  }
  builder.loop(function.begin, function.end, 1, [&](Position unit) {
    Value parts = builder.index(function.unitsPerBlock);
    Value block = arith::DivUIOp::create(ops, loc, unit.counter, parts);
    Value part = arith::RemUIOp::create(ops, loc, unit.counter, parts);
    body(boundary(block), boundary(builder.add(block, 1)), part);
  });
}

} // namespace nacre::codegen::cpu
