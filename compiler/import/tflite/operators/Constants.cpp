// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are known at compile time: shapes, tensors made of a few numbers, and random numbers. Random numbers are
// the same in every run.

#include "compiler/import/compositions/Tables.h"
#include "compiler/import/operands/Randoms.h"
#include "compiler/import/tflite/Handlers.h"
#include "dialects/NumberText.h"

#include "dialects/nn/shapes/ShapeRules.h"

#include <cmath>

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

/// Imports SHAPE. The result is i32 or i64.
void importShape(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  node->ignore({"output_type"});
  Value x = node.getOperand(0);
  Type type = node.getResultElementType();
  Value sizes = nn.sizesOf(x, 0, getRank(x));
  node.setResult(type && type.isInteger(64) ? sizes : nn.cast(sizes, nn.types().getI32Type()));
}

void importRank(TfliteNode &node) {
  auto type = RankedTensorType::get({}, node.nn.types().getI32Type());
  node.setResult(node.nn.splat(type, static_cast<double>(getRank(node.getOperand(0)))));
}

void importZerosLike(TfliteNode &node) { node.setResult(node.nn.splat(getType(node.getOperand(0)), 0)); }

void importFill(TfliteNode &node) {
  FailureOr<SmallVector<int64_t>> shape = node->getIntegers(0);
  if (failed(shape))
    return;
  Value value = node.getOperand(1);
  if (shape->size() > static_cast<size_t>(maxRank) || llvm::any_of(*shape, [](int64_t size) { return size < 0; }) ||
      getType(value).getNumElements() != 1) {
    node.error() << node->nameOf(0) << " must be a shape and " << node->nameOf(1)
                 << " must have one element, but they are [" << Ints(*shape) << "] and " << describe(value);
    return;
  }
  if (node->checkFits(*shape))
    node.setResult(node.nn.broadcast(node.nn.reshape(value, {}), *shape));
}

/// Imports RANGE: the sequence from a start to before a limit, in equal steps.
void importRange(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Type type = getElementType(node.getOperand(0));
  FailureOr<double> start = node->getNumber(0), limit = node->getNumber(1), step = node->getNumber(2);
  if (failed(start) || failed(limit) || failed(step))
    return;
  const double count = std::ceil((*limit - *start) / *step);
  if (*step == 0 || !std::isfinite(count) || count > INT32_MAX) {
    node.error() << "a range must have a non-zero step and at most " << INT32_MAX << " elements, but goes from "
                 << describeNumber(*start) << " to " << describeNumber(*limit) << " by " << describeNumber(*step);
    return;
  }
  const auto size = static_cast<int64_t>(std::max(count, 0.0));
  if (!node->allowsConstant(size, type.getIntOrFloatBitWidth() / 8))
    return;
  auto resultType = RankedTensorType::get(size, type);
  if (isa<FloatType>(type)) {
    // Adds one step after another in single precision, like the reference kernel.
    auto next = static_cast<float>(*start);
    return node.setResult(makeTable<double>(nn, resultType, [&](int64_t) {
      const float value = next;
      next += static_cast<float>(*step);
      return static_cast<double>(value);
    }));
  }
  node.setResult(makeTable<int64_t>(
      nn, resultType, [begin = static_cast<int64_t>(*start), by = static_cast<int64_t>(*step)](int64_t index) {
        return static_cast<int64_t>(static_cast<uint64_t>(begin) +
                                    static_cast<uint64_t>(index) * static_cast<uint64_t>(by));
      }));
}

/// Imports ONE_HOT. Along a new axis of classes, the result is operand 2 at the index, and operand 3 elsewhere. For an
/// index that is not a class, all elements are operand 3.
void importOneHot(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value indices = node.getOperand(0), on = node.getOperand(2), off = node.getOperand(3);
  FailureOr<int64_t> depth = node->getInteger(1);
  if (failed(depth) || !node->checkRank(0, 0, maxRank - 1))
    return;
  const int64_t rank = getRank(indices) + 1;
  FailureOr<int64_t> axis = node->getAxis(node->getInt("axis", 0), rank);
  if (failed(axis))
    return;
  if (*depth < 0 || *depth > INT32_MAX || getType(on).getNumElements() != 1 || getType(off).getNumElements() != 1) {
    node.error() << node->nameOf(1)
                 << " must be a number of classes, and the on and off values must have one element each, but they are "
                 << *depth << ", " << describe(on) << " and " << describe(off);
    return;
  }
  SmallVector<int64_t> shape(getShape(indices));
  shape.insert(shape.begin() + *axis, *depth);
  if (!node->checkFits(shape))
    return;
  shape[*axis] = 1;
  Value classes = nn.counting(*depth);
  Value isClass = nn.binary(nn::BinaryKind::Equal, nn.reshape(nn.cast(indices, nn.types().getI64Type()), shape),
                            classes ? nn.alignToAxis(classes, *axis, rank) : Value());
  node.setResult(nn.select(isClass, nn.reshape(on, {}), nn.reshape(off, {})));
}

void importBroadcastArgs(TfliteNode &node) {
  FailureOr<SmallVector<int64_t>> lhs = node->getIntegers(0), rhs = node->getIntegers(1);
  if (failed(lhs) || failed(rhs))
    return;
  llvm::Expected<nn::Shape> shape = nn::broadcastShapes({*lhs, *rhs});
  if (!shape) {
    llvm::consumeError(shape.takeError());
    node.error() << "operands must be shapes that broadcast, but are [" << Ints(*lhs) << "] and [" << Ints(*rhs) << "]";
    return;
  }
  node.setResult(node.nn.cast(node.nn.integers(*shape), getElementType(node.getOperand(0))));
}

void importRandom(TfliteNode &node, void (*draw)(OperandBinder &, Type, RandomSeeds)) {
  draw(node, node.nn.types().getF32Type(), {node->getInt("seed", 0), node->getInt("seed2", 0)});
}

} // namespace

void registerConstants(ImportRegistry &registry) {
  add(registry, "SHAPE", Integers::Computed, {{"x", Holds::Stored}}, importShape);
  add(registry, "RANK", Integers::Computed, {{"x", Holds::Stored}}, importRank);
  add(registry, "ZEROS_LIKE", Integers::Plain, {{"x"}}, importZerosLike);
  add(registry, "FILL", Integers::Moved, {{"shape", Holds::Indices}, {"value"}}, importFill);
  add(registry, "RANGE", Integers::Plain,
      {{"start", Holds::Numbers, 'T'}, {"limit", Holds::Numbers, 'T'}, {"delta", Holds::Numbers, 'T'}}, importRange);
  add(registry, "ONE_HOT", Integers::Moved,
      {{"indices", Holds::Indices},
       {"depth", Holds::Indices},
       {"on", Holds::Anything, 'T'},
       {"off", Holds::Anything, 'T'}},
      importOneHot);
  add(registry, "BROADCAST_ARGS", Integers::Plain, {{"shape1", Holds::Indices, 'T'}, {"shape2", Holds::Indices, 'T'}},
      importBroadcastArgs);
  const Signature shape{{"shape", Holds::Indices}};
  add(registry, "RANDOM_UNIFORM", Integers::Plain, shape, [](TfliteNode &node) { importRandom(node, drawUniform); });
  add(registry, "RANDOM_STANDARD_NORMAL", Integers::Plain, shape,
      [](TfliteNode &node) { importRandom(node, drawNormal); });
}

} // namespace nacre::importer::tflite_format
