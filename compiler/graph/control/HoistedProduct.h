// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether the products of a loop's rows with a matrix become one product before the loop. One product of many
// rows reads the matrix only once. But its result for all iterations is written to memory and read again. If the result
// does not fit in a cache, reading the matrix from a cache in each iteration is faster.

#ifndef NACRE_COMPILER_GRAPH_CONTROL_HOISTEDPRODUCT_H
#define NACRE_COMPILER_GRAPH_CONTROL_HOISTEDPRODUCT_H

#include "codegen/MachineModel.h"
#include <cstdint>

namespace nacre::graph {

struct HoistedProduct {
  int64_t iterations = 1;
  int64_t rows = 1; ///< Number of rows per iteration.
  int64_t depth = 1, columns = 1;
  int64_t elementBytes = 4;
};

inline bool pays(const HoistedProduct &product) {
  const double bytes = double(product.iterations) * product.rows * product.columns * product.elementBytes;
  return bytes <= double(codegen::kBigArm64.lastBytes) || product.depth > 2 * product.rows;
}

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_CONTROL_HOISTEDPRODUCT_H
