// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/TransposeInRegisters.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace nacre::codegen::cpu {

/// Exchanges the halves of every 2 * distance lanes between rows that are `distance` apart.
static void swapHalves(VectorBuilder &build, MutableArrayRef<Value> rows, int64_t distance) {
  const int64_t lanes = rows.size();
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const bool second = lane & distance;
    low.push_back(second ? lanes + lane - distance : lane);
    high.push_back(second ? lanes + lane : lane + distance);
  }
  for (int64_t row = 0; row < lanes; ++row) {
    if (row & distance)
      continue;
    Value a = rows[row], b = rows[row + distance];
    rows[row] = vector::ShuffleOp::create(build.ops, build.loc, a, b, low);
    rows[row + distance] = vector::ShuffleOp::create(build.ops, build.loc, a, b, high);
  }
}

void transposeInRegisters(VectorBuilder &build, MutableArrayRef<Value> rows) {
  for (int64_t distance = int64_t(rows.size()) / 2; distance > 0; distance /= 2)
    swapHalves(build, rows, distance);
}

void transposeByInterleaving(VectorBuilder &build, MutableArrayRef<Value> rows) {
  const size_t half = rows.size() / 2;
  const int64_t lanes = cast<VectorType>(rows.front().getType()).getNumElements();
  // Each step exchanges the highest bit of the row's index with the lowest bit of the lane's index.
  for (size_t step = rows.size(); step > 1; step /= 2) {
    SmallVector<Value> before(rows);
    for (size_t row = 0; row < half; ++row)
      for (int64_t part : {0, 1}) {
        SmallVector<int64_t> order;
        for (int64_t lane = 0; lane < lanes; ++lane)
          order.push_back((part * lanes + lane) / 2 + (lane % 2) * lanes);
        rows[2 * row + part] = vector::ShuffleOp::create(build.ops, build.loc, before[row], before[row + half], order);
      }
  }
}

} // namespace nacre::codegen::cpu
