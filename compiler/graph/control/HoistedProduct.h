// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  whether the products of a loop's rows with a matrix should be one product before the loop.
// Why:   one product of many rows reads the matrix once; but its result, of all turns, is written to memory and read again,
//        and where that is more than a cache holds, memory is slower than reading the matrix from a cache in each turn.

#ifndef NACRE_COMPILER_GRAPH_CONTROL_HOISTEDPRODUCT_H
#define NACRE_COMPILER_GRAPH_CONTROL_HOISTEDPRODUCT_H

#include "codegen/MachineModel.h"
#include <cstdint>

namespace nacre::graph {

struct HoistedProduct {
  int64_t turns = 1;
  int64_t rows = 1; ///< Of a turn.
  int64_t depth = 1, columns = 1;
  int64_t elementBytes = 4;
};

inline bool pays(const HoistedProduct &product) {
  const double bytes = double(product.turns) * product.rows * product.columns * product.elementBytes;
  return bytes <= double(codegen::kBigArm64.lastBytes) || product.depth > 2 * product.rows;
}

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_CONTROL_HOISTEDPRODUCT_H
