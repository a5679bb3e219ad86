// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ForestWalk.h. The parts of this file are tables, steps, and weights.

#include "compiler/import/onnx/trees/ForestWalk.h"

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/compositions/Tables.h"

#include <limits>

using namespace mlir;

namespace nacre::importer::onnx_format::trees {

using nn::BinaryKind;
using nn::ReduceKind;
using nn::UnaryKind;

//===----------------------------------------------------------------------===//
// 1. Tables
//===----------------------------------------------------------------------===//

/// Returns a table with one value for each node.
template <typename T, typename Read>
static Value makeNodeTable(NnBuilder &nn, const Forest &forest, Type type, Read read) {
  auto count = static_cast<int64_t>(forest.nodes.size());
  return makeTable<T>(nn, RankedTensorType::get(count, type),
                      [&](int64_t index) { return T(read(forest.nodes[index])); });
}

namespace {

struct NodeTables {
  NodeTables(NnBuilder &nn, const Forest &forest, Type type);

  Value features, splits;
  Value branches;                ///< two indices for each node: of the false and of the true branch
  Value modes;                   ///< mode of each node; null if all branches have the same mode
  Value isMissing;               ///< true for nodes at which NaN takes the true branch; null if there is no such node
  SmallVector<NodeMode> present; ///< modes that occur
};

NodeTables::NodeTables(NnBuilder &nn, const Forest &forest, Type type) {
  Type i32 = nn.types().getI32Type();
  features = makeNodeTable<int64_t>(
      nn, forest, i32, [](const TreeNode &node) { return node.mode == NodeMode::Leaf ? 0 : node.feature; });
  splits = makeNodeTable<double>(nn, forest, type, [](const TreeNode &node) { return node.split; });
  auto count = static_cast<int64_t>(forest.nodes.size());
  branches = makeTable<int64_t>(nn, RankedTensorType::get(2 * count, i32), [&](int64_t index) {
    const TreeNode &node = forest.nodes[index / 2];
    return int64_t(index % 2 ? node.onTrue : node.onFalse);
  });
  bool hasMissing = false;
  for (const TreeNode &node : forest.nodes) {
    hasMissing |= node.isMissingTrue;
    if (node.mode != NodeMode::Leaf && !llvm::is_contained(present, node.mode))
      present.push_back(node.mode);
  }
  if (present.size() > 1)
    modes = makeNodeTable<int64_t>(nn, forest, i32, [](const TreeNode &node) { return int64_t(node.mode); });
  if (hasMissing)
    isMissing = makeNodeTable<int64_t>(nn, forest, nn.types().getI1Type(),
                                       [](const TreeNode &node) { return node.isMissingTrue; });
}

} // namespace

//===----------------------------------------------------------------------===//
// 2. Steps
//===----------------------------------------------------------------------===//

static Value compare(NnBuilder &nn, NodeMode mode, Value x, Value split) {
  switch (mode) {
  case NodeMode::LessEqual:
    return nn.binary(BinaryKind::LessEqual, x, split);
  case NodeMode::Less:
    return nn.binary(BinaryKind::Less, x, split);
  case NodeMode::GreaterEqual:
    return nn.binary(BinaryKind::GreaterEqual, x, split);
  case NodeMode::Greater:
    return nn.binary(BinaryKind::Greater, x, split);
  case NodeMode::Equal:
    return nn.binary(BinaryKind::Equal, x, split);
  case NodeMode::NotEqual:
    return notEqual(nn, x, split);
  case NodeMode::Leaf:
    break;
  }
  llvm_unreachable("a leaf compares nothing");
}

/// Returns true for each row that takes the true branch of its current node.
static Value decide(NnBuilder &nn, const NodeTables &tables, Value nodes, Value x) {
  Value split = nn.gather(tables.splits, nodes, 0), result;
  Value mode = tables.modes ? nn.gather(tables.modes, nodes, 0) : Value();
  for (NodeMode other : tables.present) {
    Value holds = compare(nn, other, x, split);
    result = result ? nn.select(nn.binary(BinaryKind::Equal, mode, static_cast<double>(other)), holds, result) : holds;
  }
  if (!tables.isMissing)
    return result;
  Value isMissing = nn.binary(BinaryKind::And, nn.unary(UnaryKind::IsNaN, x), nn.gather(tables.isMissing, nodes, 0));
  return nn.binary(BinaryKind::Or, result, isMissing);
}

Value findLeaves(NnBuilder &nn, const Forest &forest, Value rows) {
  if (!rows)
    return {};
  Type i32 = nn.types().getI32Type();
  const int64_t count = getShape(rows)[0], width = getShape(rows)[1];
  auto trees = static_cast<int64_t>(forest.roots.size());
  Value roots = makeTable<int64_t>(nn, RankedTensorType::get({1, trees}, i32),
                                   [&](int64_t tree) { return int64_t(forest.roots[tree]); });
  Value nodes = nn.broadcast(roots, {count, trees});
  const NodeTables tables(nn, forest, getElementType(rows));
  // Index of the first element of each row.
  Value begins = nn.reshape(nn.mul(nn.cast(nn.counting(count), i32), static_cast<double>(width)), {count, 1});
  Value elements = nn.reshape(rows, {count * width});
  for (int64_t level = 0; level < forest.depth; ++level) {
    Value x = nn.gather(elements, nn.add(begins, nn.gather(tables.features, nodes, 0)), 0);
    Value isTrue = nn.cast(decide(nn, tables, nodes, x), i32);
    nodes = nn.gather(tables.branches, nn.add(nn.mul(nodes, 2), isTrue), 0);
  }
  return nodes;
}

//===----------------------------------------------------------------------===//
// 3. Weights
//===----------------------------------------------------------------------===//

/// Returns a table with a row for each leaf and a column for each target. An element is `pick` of the weights there, or
/// `missing` if there is no weight.
template <typename Pick>
static Value makeWeights(NnBuilder &nn, const Forest &forest, int64_t targets, Type type, double missing, Pick pick) {
  auto table = RankedTensorType::get({forest.leafCount, targets}, type);
  if (!allowsTable(nn, table))
    return {};
  std::vector<LeafScore> scores(forest.scores);
  llvm::stable_sort(scores, [](const LeafScore &a, const LeafScore &b) { return a.leaf < b.leaf; });
  nn::ConstantBuilder builder(table);
  // Only one row is in memory as doubles, because a small file may request a large table.
  std::vector<double> row(targets);
  auto next = scores.begin();
  for (int64_t leaf = 0; leaf < forest.leafCount; ++leaf) {
    row.assign(targets, missing);
    for (; next != scores.end() && next->leaf == leaf; ++next)
      row[next->target] = pick(*next);
    builder.write(leaf * targets, row);
  }
  return nn.constant(std::move(builder).take());
}

Value findScored(NnBuilder &nn, const Forest &forest, Value leaves, int64_t targets) {
  Value isScored = makeWeights(nn, forest, targets, nn.types().getI8Type(), 0, [](const LeafScore &) { return 1.0; });
  return nn.cast(nn.reduce(ReduceKind::Max, nn.gather(isScored, leaves, 0), 1, /*keepDims=*/false),
                 nn.types().getI1Type());
}

Value aggregate(NnBuilder &nn, const Forest &forest, Value leaves, int64_t targets, Aggregate how, Type type) {
  const double infinity = std::numeric_limits<double>::infinity();
  const bool isSum = how == Aggregate::Sum || how == Aggregate::Average;
  const ReduceKind kind = isSum ? ReduceKind::Sum : how == Aggregate::Min ? ReduceKind::Min : ReduceKind::Max;
  Value weights = makeWeights(nn, forest, targets, type,
                              isSum                   ? 0
                              : how == Aggregate::Min ? infinity
                                                      : -infinity,
                              [](const LeafScore &score) { return score.weight; });
  Value result = nn.reduce(kind, nn.gather(weights, leaves, 0), 1, /*keepDims=*/false);
  if (how == Aggregate::Average)
    return nn.div(result, static_cast<double>(forest.roots.size()));
  if (isSum || static_cast<int64_t>(forest.scores.size()) == forest.leafCount * targets)
    return result;
  return nn.select(findScored(nn, forest, leaves, targets), result, nn.scalar(result, 0));
}

} // namespace nacre::importer::onnx_format::trees
