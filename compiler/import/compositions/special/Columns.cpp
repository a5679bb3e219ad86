// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of a term over a table of constants, for each element of a tensor.

#include "compiler/import/compositions/special/Columns.h"

using namespace mlir;

namespace nacre::importer {

Value toColumn(NnBuilder &nn, Value x) {
  if (!x)
    return {};
  SmallVector<int64_t> shape(getShape(x));
  shape.push_back(1);
  return nn.reshape(x, shape);
}

Value sumRows(NnBuilder &nn, Value terms) {
  if (!terms)
    return {};
  // The reshape ends the kernel of the sum. So this kernel fuses the terms, and not the operators that follow.
  // Otherwise, the terms would be stored in memory.
  Value sums = nn.reduce(nn::ReduceKind::Sum, terms, getRank(terms) - 1, /*keepDims=*/true);
  return sums ? nn.reshape(sums, getShape(sums).drop_back()) : Value();
}

} // namespace nacre::importer
