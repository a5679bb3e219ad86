// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/operands/Randoms.h"

#include "compiler/import/compositions/Random.h"
#include "compiler/import/compositions/Tables.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer {

/// Returns the type of the node's result, or null after an error.
static RankedTensorType readType(OperandBinder &node, Type element) {
  FailureOr<SmallVector<int64_t>> shape = node.getIntegers(0);
  if (failed(shape))
    return {};
  bool areSizes = shape->size() <= static_cast<size_t>(maxRank) &&
                  llvm::all_of(*shape, [](int64_t size) { return size >= 0; }) && nn::countElements(*shape);
  if (areSizes && isa<FloatType>(element))
    return RankedTensorType::get(*shape, element);
  node.error() << "must produce floating-point numbers of a shape that fits into memory, but produces "
               << getTypeName(element) << "[" << Ints(*shape) << "]";
  return {};
}

static RandomKey takeKey(OperandBinder &node, RandomSeeds seeds) {
  std::optional<uint32_t> seed;
  if (seeds[0] || seeds[1])
    seed = static_cast<uint32_t>(static_cast<uint64_t>(seeds[0]) ^ (static_cast<uint64_t>(seeds[1]) << 16));
  return node.nn.takeRandomKey(seed);
}

/// Values have 23 random bits, as in TensorFlow. So 1 + x is exact, and `floor(1 + x)`, a dropout of ratio 0, is 1.
void drawUniform(OperandBinder &node, Type element, RandomSeeds seeds) {
  RankedTensorType type = readType(node, element);
  RandomKey key = takeKey(node, seeds);
  if (type)
    node.setResult(makeTable<double>(
        node.nn, type, [&](int64_t index) { return std::floor(std::ldexp(uniformAt(key, index), 23)) * 0x1p-23; }));
}

void drawNormal(OperandBinder &node, Type element, RandomSeeds seeds) {
  RankedTensorType type = readType(node, element);
  RandomKey key = takeKey(node, seeds);
  if (type)
    node.setResult(normal(node.nn, type, key, 0, 1));
}

} // namespace nacre::importer
