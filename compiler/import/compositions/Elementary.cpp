// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that `nn` spells as several, for the handlers of every format.

#include "compiler/import/compositions/Elementary.h"

using namespace mlir;

namespace nacre::importer {

using nn::BinaryKind;
using nn::UnaryKind;

Value clamp(NnBuilder &nn, Value x, double low, double high) {
  return nn.binary(BinaryKind::Min, nn.binary(BinaryKind::Max, x, low), high);
}

Value hardSigmoid(NnBuilder &nn, Value x, double alpha, double beta) {
  return clamp(nn, nn.add(nn.mul(x, alpha), beta), 0, 1);
}

Value geluByTanh(NnBuilder &nn, Value x) {
  Value cubic = nn.add(x, nn.mul(nn.mul(nn.mul(x, x), x), 0.044715));
  Value curve = nn.add(nn.unary(UnaryKind::Tanh, nn.mul(cubic, 0.7978845608028654)), 1);
  return nn.mul(nn.mul(x, 0.5), curve);
}

Value swish(NnBuilder &nn, Value x, double alpha) {
  return nn.mul(x, nn.unary(UnaryKind::Sigmoid, alpha == 1 ? x : nn.mul(x, alpha)));
}

Value toMatrix(NnBuilder &nn, Value x, int64_t axis) {
  int64_t rows = 1, columns = 1;
  for (auto [index, dim] : llvm::enumerate(getShape(x)))
    (static_cast<int64_t>(index) < axis ? rows : columns) *= dim;
  return nn.reshape(x, {rows, columns});
}

} // namespace nacre::importer
