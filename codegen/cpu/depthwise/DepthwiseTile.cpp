// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/depthwise/DepthwiseTile.h"

namespace nacre::codegen::cpu {

Distances DepthwiseTile::distancesOf(int64_t row, int64_t pixel) const {
  Distances distances;
  for (unsigned operand = 0; operand < contraction.operands.size(); ++operand)
    distances.push_back(distanceOf(operand, row, pixel));
  return distances;
}

void DepthwiseTile::boundSize(int64_t productsOfOutput) {
  constexpr int64_t mostProducts = 2048;
  while (productsOfOutput * size.outputs() > mostProducts && size.outputs() > 1)
    (size.high > 1 ? size.high : size.wide) /= 2;
}

} // namespace nacre::codegen::cpu
