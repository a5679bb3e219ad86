// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear attention.

#include "compiler/import/compositions/attention/LinearAttention.h"

using namespace mlir;

namespace nacre::importer {

LinearlyAttended attendLinearly(NnBuilder &nn, LinearAttention a) {
  if (!a.query || !a.key || !a.value || !a.state)
    return {};
  Type elementType = getElementType(a.query), stateType = getElementType(a.state);
  const bool isWide = elementType.isF64() || stateType.isF64();
  Type real = isWide ? Type(nn.types().getF64Type()) : Type(nn.types().getF32Type());
  for (Value *value : {&a.query, &a.key, &a.value, &a.decay, &a.beta, &a.state})
    *value = nn.cast(*value, real);
  if (!a.query || !a.key || !a.value || !a.state)
    return {};
  if (a.decay)
    a.decay = nn.unary(nn::UnaryKind::Exp, a.decay);
  Ints query = getShape(a.query), key = getShape(a.key);
  int64_t batch = query[0], positions = query[1], kvHeads = key[2], width = key[3], valueWidth = getShape(a.value)[3];

  SmallVector<Value> results;
  Value state = a.state;
  for (int64_t position = 0; position < positions; ++position) {
    auto take = [&](Value x, Ints shape) { return nn.reshape(nn.slice(x, 1, position, 1), shape); };
    Value value = take(a.value, {batch, kvHeads, 1, valueWidth});
    if (a.decay)
      state = nn.mul(state, take(a.decay, {batch, kvHeads, getShape(a.decay)[3], 1}));
    if (a.beta) {
      Value known = nn.matmul(take(a.key, {batch, kvHeads, 1, width}), state);
      value = nn.mul(nn.sub(value, known), take(a.beta, {batch, getShape(a.beta)[2], 1, 1}));
    }
    state = nn.add(state, nn.mul(take(a.key, {batch, kvHeads, width, 1}), value));
    // Heads that share a state are rows of the same product.
    Value read = nn.matmul(take(a.query, {batch, kvHeads, query[2] / kvHeads, width}), state);
    results.push_back(nn.reshape(read, {batch, 1, query[2] * valueWidth}));
  }
  Value result = results.size() == 1 ? results.front() : nn.concat(results, 1);
  return {nn.cast(nn.mul(result, a.scale), elementType), nn.cast(state, stateType)};
}

} // namespace nacre::importer
