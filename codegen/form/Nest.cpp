// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/Nest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include <algorithm>
#include <cassert>

using llvm::SmallVector;

namespace nacre::codegen {

int64_t Nest::countPoints(bool parallel) const {
  int64_t count = 1;
  for (const NestLoop &loop : loops)
    if (loop.parallel == parallel)
      count *= loop.size;
  return count;
}

//===----------------------------------------------------------------------===//
// 1. Canonical form
//===----------------------------------------------------------------------===//

namespace {

void dropLoop(Nest &nest, unsigned loop) {
  nest.loops.erase(nest.loops.begin() + loop);
  for (NestOperand &operand : nest.operands)
    operand.strides.erase(operand.strides.begin() + loop);
}

bool canMerge(const Nest &nest, unsigned outer) {
  const unsigned inner = outer + 1;
  if (nest.loops[outer].parallel != nest.loops[inner].parallel)
    return false;
  return llvm::all_of(nest.operands, [&](const NestOperand &operand) {
    return operand.strides[outer] == operand.strides[inner] * nest.loops[inner].size;
  });
}

} // namespace

void canonicalize(Nest &nest) {
  assert(nest.windows.empty() && "windows refer to loops");
  for (unsigned loop = nest.loops.size(); loop-- > 0;)
    if (nest.loops[loop].size == 1)
      dropLoop(nest, loop);
  for (unsigned outer = nest.loops.size(); outer-- > 0;)
    if (outer + 1 < nest.loops.size() && canMerge(nest, outer)) {
      nest.loops[outer + 1].size *= nest.loops[outer].size;
      dropLoop(nest, outer);
    }
}

//===----------------------------------------------------------------------===//
// 2. Blocks
//===----------------------------------------------------------------------===//

Nest takeBlock(Nest nest, std::optional<unsigned> cut, int64_t count) {
  if (cut) {
    nest.loops[*cut].size = count;
    for (NestOperand &operand : nest.operands)
      operand.cutStride = operand.strides[*cut];
  }
  canonicalize(nest);
  return nest;
}

void takePart(Nest &nest, unsigned loop, int64_t parts) {
  assert(nest.loops[loop].size % parts == 0 && "parts are equal");
  nest.loops[loop].size /= parts;
  for (NestOperand &operand : nest.operands)
    operand.partStride = operand.strides[loop] * nest.loops[loop].size;
}

//===----------------------------------------------------------------------===//
// 3. The vector loop
//===----------------------------------------------------------------------===//

VectorChoice chooseVectorLoop(const Nest &nest) {
  // The main cost of a loop is lanes that must be gathered one by one. This costs most in arrays that a reduction reads
  // in every iteration. Vectors that are half empty cost less. A horizontal sum adds a small cost at the end.
  constexpr int64_t kSomeLanes = 8;
  VectorChoice best;
  int64_t bestCost = std::numeric_limits<int64_t>::max();
  for (auto [index, loop] : llvm::enumerate(nest.loops)) {
    if (loop.size == 1)
      continue;
    int64_t cost = loop.parallel ? 0 : 1;
    for (const NestOperand &operand : nest.operands) {
      const int64_t stride = operand.strides[index];
      if (stride == 1 || stride == 0)
        continue;
      const bool often = llvm::any_of(llvm::zip_equal(nest.loops, operand.strides),
                                      [](auto pair) { return !std::get<0>(pair).parallel && std::get<1>(pair) != 0; });
      cost += often ? 1000 : operand.written ? 150 : 100;
    }
    if (loop.size < kSomeLanes)
      cost += 10 * (kSomeLanes - loop.size);
    // If loops cost the same, prefer the innermost one.
    if (cost <= bestCost) {
      bestCost = cost;
      best = {unsigned(index), !loop.parallel};
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// 4. Windows
//===----------------------------------------------------------------------===//

namespace {

/// Iterations [begin, end) of a parallel loop for which the same iterations [low, high) of the reducing loop stay in
/// memory.
struct Segment {
  int64_t begin, end, low, high;
};

struct Axis {
  unsigned moving; ///< The parallel loop.
  unsigned along;  ///< The reducing loop.
  SmallVector<Segment> segments;
};

/// Returns the quotient rounded up. `denominator` must be positive.
int64_t divideUp(int64_t numerator, int64_t denominator) {
  return numerator > 0 ? (numerator - 1) / denominator + 1 : -(-numerator / denominator);
}

std::optional<Axis> analyzeWindow(const Nest &nest, const NestWindow &window, size_t maxSegments) {
  std::optional<unsigned> moving, along;
  for (auto [index, coefficient] : llvm::enumerate(window.coefficients)) {
    if (coefficient == 0)
      continue;
    std::optional<unsigned> &loop = nest.loops[index].parallel ? moving : along;
    if (loop || coefficient < 0)
      return std::nullopt;
    loop = index;
  }
  if (!moving || !along)
    return std::nullopt;

  Axis axis{*moving, *along, {}};
  const int64_t reach = nest.loops[*along].size, step = window.coefficients[*along];
  const int64_t iterations = nest.loops[*moving].size, stride = window.coefficients[*moving];
  for (int64_t iteration = 0; iteration < iterations;) {
    if (axis.segments.size() == maxSegments)
      return std::nullopt;
    const int64_t first = window.constant + iteration * stride;
    // Iteration k stays in memory if 0 <= first + k * step < size.
    const int64_t low = first >= 0 ? 0 : std::min(reach, divideUp(-first, step));
    const int64_t ceiling = std::min(reach, divideUp(window.size - first, step)), high = std::max(low, ceiling);
    // `low` and `high` stay the same until `first` has moved so far that one more or one fewer iteration is inside.
    // Computing that point avoids a loop over the iterations, of which there may be billions.
    int64_t end = iterations;
    if (low > 0)
      end = std::min(end, divideUp(-(low - 1) * step - window.constant, stride));
    if (ceiling > low)
      end = std::min(end, divideUp(window.size - (ceiling - 1) * step - window.constant, stride));
    axis.segments.push_back({iteration, end, low, high});
    iteration = end;
  }
  return axis;
}

/// Restricts a loop to the iterations [begin, end).
void restrictLoop(Nest &nest, unsigned loop, int64_t begin, int64_t end) {
  nest.loops[loop].size = end - begin;
  for (NestOperand &operand : nest.operands)
    operand.offset += begin * operand.strides[loop];
}

} // namespace

std::optional<SmallVector<NestRegion>> divideWindows(const Nest &nest, std::optional<unsigned> cut, size_t maxRegions) {
  NestRegion whole{nest, 0, cut ? nest.loops[*cut].size : 1};
  whole.nest.windows.clear();
  SmallVector<NestRegion> regions = {whole};
  llvm::SmallBitVector divides(nest.loops.size());
  for (const auto &[index, window] : llvm::enumerate(nest.windows)) {
    // Divide equal windows of several operands only once.
    if (llvm::is_contained(llvm::ArrayRef(nest.windows).take_front(index), window))
      continue;
    std::optional<Axis> axis = analyzeWindow(nest, window, maxRegions);
    if (!axis || regions.size() * axis->segments.size() > maxRegions || divides[axis->moving] || divides[axis->along])
      return std::nullopt;
    divides.set(axis->moving);
    divides.set(axis->along);
    SmallVector<NestRegion> divided;
    for (const NestRegion &region : regions)
      for (const Segment &segment : axis->segments) {
        NestRegion part = region;
        restrictLoop(part.nest, axis->along, segment.low, segment.high);
        if (cut == axis->moving) {
          part.cutBegin = segment.begin;
          part.cutEnd = segment.end;
        } else {
          restrictLoop(part.nest, axis->moving, segment.begin, segment.end);
        }
        divided.push_back(std::move(part));
      }
    regions = std::move(divided);
  }
  return regions;
}

} // namespace nacre::codegen
