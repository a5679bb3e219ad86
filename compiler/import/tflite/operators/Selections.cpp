// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that read elements and slices at computed indices, and operators that search for elements.

#include "compiler/import/compositions/Selections.h"
#include "compiler/import/compositions/Tables.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/tflite/Handlers.h"

#include "dialects/nn/shapes/ShapeRules.h"

using namespace mlir;

namespace nacre::importer::tflite_format {
namespace {

/// Reports an error if the shape rule fails, or if the result is too large for memory.
bool checkResult(TfliteNode &node, llvm::Expected<nn::Shape> shape) {
  if (shape)
    return node->checkFits(*shape);
  node.error() << llvm::toString(shape.takeError());
  return false;
}

/// True if the axis has elements, or if there are no indices. Otherwise, reports an error.
bool checkExtent(TfliteNode &node, int64_t axis) {
  Value x = node.getOperand(0);
  if (getShape(x)[axis] > 0 || getType(node.getOperand(1)).getNumElements() == 0)
    return true;
  node.error() << node->nameOf(0) << " must have elements to pick from along axis " << axis << ", but is "
               << describe(x);
  return false;
}

void importGather(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0), indices = node.getOperand(1);
  FailureOr<int64_t> axis = node->getAxis(node->getInt("axis", 0), getRank(x));
  int64_t batches = node->getInt("batch_dims", 0);
  if (failed(axis) || !checkExtent(node, *axis))
    return;
  batches += batches < 0 ? getRank(indices) : 0;
  if (batches < 0 || batches > *axis || batches > getRank(indices) ||
      getShape(x).take_front(batches) != getShape(indices).take_front(batches)) {
    node.error()
        << "attribute 'batch_dims' must count leading axes that both operands share, before the gathered axis, but is "
        << batches;
    return;
  }
  if (batches == 0) {
    if (checkResult(node, nn::gatherShape(getShape(x), getShape(indices), *axis)))
      node.setResult(nn.gather(x, indices, *axis));
    return;
  }
  // The axis is moved after the batch axes for the gather. In the result, the axes before it are moved back.
  SmallVector<int64_t> order = axisRange(0, getRank(x)), column(getShape(indices)), back;
  order.erase(order.begin() + *axis);
  order.insert(order.begin() + batches, *axis);
  column.push_back(1);
  Value moved = nn.transpose(x, order);
  if (!moved || !node->checkRank(0, 1, maxRank / 2) || !node->checkRank(1, 0, maxRank / 2) ||
      !checkResult(node, nn::gatherNdShape(getShape(moved), column, batches)))
    return;
  Value picked = nn.infer<nn::GatherNdOp>(moved, nn.reshape(indices, column), batches);
  const int64_t inner = getRank(indices) - batches, before = *axis - batches;
  back = axisRange(0, batches);
  llvm::append_range(back, axisRange(batches + inner, batches + inner + before));
  llvm::append_range(back, axisRange(batches, batches + inner));
  llvm::append_range(back, axisRange(batches + inner + before, getRank(x) + getRank(indices) - batches - 1));
  node.setResult(nn.transpose(picked, back));
}

void importGatherNd(TfliteNode &node) {
  Value x = node.getOperand(0), indices = node.getOperand(1);
  if (checkResult(node, nn::gatherNdShape(getShape(x), getShape(indices), 0)))
    node.setResult(node.nn.infer<nn::GatherNdOp>(x, indices, int64_t(0)));
}

/// Imports EMBEDDING_LOOKUP, which returns rows of a table.
void importEmbeddingLookup(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value indices = node.getOperand(0), x = node.getOperand(1);
  if (!node->checkRank(0, 1, 1) || !node->checkRank(1, 1))
    return;
  if (getShape(x)[0] == 0 && getShape(indices)[0] > 0) {
    node.error() << node->nameOf(1) << " must have rows to pick from, but is " << describe(x);
    return;
  }
  node.setResult(nn.gather(x, indices, 0));
}

void importTopK(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  FailureOr<int64_t> k = node->getInteger(1);
  if (failed(k) || !node->checkRank(0, 1))
    return;
  const int64_t axis = getRank(x) - 1;
  if (*k < 0 || *k > getShape(x)[axis]) {
    node.error() << node->nameOf(1) << " must lie between 0 and the " << describeCount(getShape(x)[axis], "element")
                 << " of the last axis of " << describe(x) << ", but is " << *k;
    return;
  }
  auto [values, indices] = nn.topK(x, axis, *k, /*smallest=*/false);
  Type type = node.getResultElementType(1);
  node.setResult(0, values);
  node.setResult(1, type && type.isInteger(32) ? nn.cast(indices, type) : indices);
}

/// Imports WHERE: one row with the coordinates of each element that is not 0.
void importWhere(TfliteNode &node) {
  if (!node->checkRank(0, 1))
    return;
  Value found = findNonZero(node.nn, node.getOperand(0));
  node.setResult(found ? node.nn.transpose(found, {1, 0}) : Value());
}

/// Imports UNIQUE: the different elements, in the order of their first occurrence, and the index of each element among
/// them.
void importUnique(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  node->ignore({"idx_out_type"}); // the result has the same type
  if (!node->checkRank(0, 1, 1))
    return;
  UniqueParts unique = findUnique(nn, node.getOperand(0), /*axis=*/0, /*sorted=*/false);
  Type type = node.getResultElementType(1);
  node.setResult(0, unique.parts);
  node.setResult(1, unique.inverse && type && type.isInteger(32) ? nn.cast(unique.inverse, type) : unique.inverse);
}

/// Imports BUCKETIZE: for each element, the number of boundaries that are not above it. Boundaries are ascending.
void importBucketize(TfliteNode &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  SmallVector<double> boundaries = node->getFloats("boundaries");
  if (!llvm::is_sorted(boundaries)) {
    node.error() << "attribute 'boundaries' must ascend, but does not";
    return;
  }
  const auto count = static_cast<int64_t>(boundaries.size());
  SmallVector<int64_t> shape(getShape(x));
  shape.push_back(count);
  if (!node->checkRank(0, 0, maxRank - 1) || !node->checkFits(shape, "the comparison with all boundaries"))
    return;
  Type real = getElementType(x).isF64() ? getElementType(x) : Type(nn.types().getF32Type());
  Value limits =
      makeTable<double>(nn, RankedTensorType::get(count, real), [&](int64_t index) { return boundaries[index]; });
  shape.back() = 1;
  Value isBelow = nn.binary(nn::BinaryKind::Less, nn.reshape(nn.cast(x, real), shape), limits);
  Value isReached = nn.cast(nn.unary(nn::UnaryKind::Not, isBelow), nn.types().getI32Type());
  node.setResult(nn.reduce(nn::ReduceKind::Sum, isReached, getRank(x), /*keepDims=*/false));
}

} // namespace

void registerSelections(ImportRegistry &registry) {
  add(registry, "GATHER", Integers::Moved, {{"x"}, {"indices", Holds::Indices}}, importGather);
  add(registry, "GATHER_ND", Integers::Moved, {{"x"}, {"indices", Holds::Indices}}, importGatherNd);
  add(registry, "EMBEDDING_LOOKUP", Integers::Moved, {{"indices", Holds::Indices}, {"table"}}, importEmbeddingLookup);
  add(registry, "TOPK_V2", Integers::Moved, {{"x", Holds::Numbers}, {"k", Holds::Indices}}, importTopK);
  add(registry, "WHERE", Integers::Plain, {{"x"}}, importWhere);
  add(registry, "UNIQUE", Integers::Plain, {{"x"}}, importUnique);
  add(registry, "BUCKETIZE", Integers::Plain, {{"x", Holds::Numbers}}, importBucketize);
}

} // namespace nacre::importer::tflite_format
