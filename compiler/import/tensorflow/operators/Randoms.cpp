// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers: the same in every run (compositions/Random.h).

#include "compiler/import/compositions/Random.h"
#include "compiler/import/compositions/Tables.h"
#include "compiler/import/tensorflow/Handlers.h"
#include "dialects/nn/ShapeRules.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// What the node is to make, of a shape that operand 0 says; null after an error.
RankedTensorType readType(OperandBinder &node) {
  Type element = node.getType("dtype", node.nn.types().getF32Type());
  FailureOr<SmallVector<int64_t>> shape = node.getIntegers(0);
  if (failed(shape))
    return {};
  bool areSizes = llvm::all_of(*shape, [](int64_t size) { return size >= 0; }) && nn::countElements(*shape);
  if (areSizes && isa<FloatType>(element))
    return RankedTensorType::get(*shape, element);
  node.error() << "must make floating-point numbers, of a shape that fits into memory, but makes "
               << getTypeName(element) << "[" << Ints(*shape) << "]";
  return {};
}

/// Two seeds of zero are none.
RandomKey takeKey(OperandBinder &node) {
  int64_t seeds[] = {node.getInt("seed", 0), node.getInt("seed2", 0)};
  std::optional<uint32_t> seed;
  if (seeds[0] || seeds[1])
    seed = static_cast<uint32_t>(seeds[0] ^ (seeds[1] << 16));
  return node.nn.takeRandomKey(seed);
}

/// Of 23 bits, as TensorFlow's: one more is exact in float then, so that `floor(1 + x)`, a dropout of nothing, is 1.
void importRandomUniform(OperandBinder &node) {
  RankedTensorType type = readType(node);
  RandomKey key = takeKey(node);
  if (type)
    node.setResult(makeTable<double>(
        node.nn, type, [&](int64_t index) { return std::floor(std::ldexp(uniformAt(key, index), 23)) * 0x1p-23; }));
}

void importRandomNormal(OperandBinder &node) {
  RankedTensorType type = readType(node);
  RandomKey key = takeKey(node);
  if (type)
    node.setResult(normal(node.nn, type, key, 0, 1));
}

} // namespace

void registerRandoms(ImportRegistry &registry) {
  registry.add("RandomUniform", 1, {{"shape", Holds::Indices}}, importRandomUniform);
  registry.add("RandomStandardNormal", 1, {{"shape", Holds::Indices}}, importRandomNormal);
}

} // namespace nacre::importer::tensorflow_format
