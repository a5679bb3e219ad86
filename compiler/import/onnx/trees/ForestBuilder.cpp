// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ForestBuilder.h. A forest must have no cycles. Leaves are moved to the front.

#include "compiler/import/onnx/trees/ForestBuilder.h"

#include <map>
#include <set>

using namespace mlir;

namespace nacre::importer::onnx_format::trees {

LogicalResult ForestBuilder::checkNodes() {
  if (forest.nodes.empty() || forest.nodes.size() > INT32_MAX / 2)
    return node.error() << "must have nodes, at most " << INT32_MAX / 2 << ", but has " << forest.nodes.size();
  for (auto [index, tree] : llvm::enumerate(forest.nodes))
    if (tree.mode != NodeMode::Leaf && (tree.feature < 0 || tree.feature >= bounds.features))
      return error(index) << "must read one of the " << bounds.features << " features of a row, but reads feature "
                          << tree.feature;
  return success();
}

LogicalResult ForestBuilder::sort() {
  enum class Visit : char { Pending, Open, Done };
  std::vector<Visit> visits(forest.nodes.size(), Visit::Pending);
  // nodes on the path, and the number of their branches that have been visited
  std::vector<std::pair<int32_t, int>> path;
  for (int32_t start = 0; start < static_cast<int32_t>(visits.size()); ++start) {
    if (visits[start] == Visit::Pending)
      path.push_back({start, 0});
    while (!path.empty()) {
      auto &[index, visited] = path.back();
      const TreeNode &tree = forest.nodes[index];
      if (tree.mode == NodeMode::Leaf || visited == 2) {
        visits[index] = Visit::Done;
        order.push_back(index);
        path.pop_back();
        continue;
      }
      visits[index] = Visit::Open;
      const int32_t branch = visited++ ? tree.onFalse : tree.onTrue;
      if (visits[branch] == Visit::Open)
        return error(branch) << "must not be its own descendant, but is part of a cycle";
      if (visits[branch] == Visit::Pending)
        path.push_back({branch, 0});
    }
  }
  return success();
}

LogicalResult ForestBuilder::findRoots() {
  std::vector<bool> hasParent(forest.nodes.size(), false);
  for (const TreeNode &tree : forest.nodes)
    if (tree.mode != NodeMode::Leaf)
      hasParent[tree.onTrue] = hasParent[tree.onFalse] = true;
  std::set<int64_t> rooted;
  for (size_t index = 0; index < trees.size(); ++index) {
    if (hasParent[index])
      continue;
    if (!rooted.insert(trees[index]).second)
      return error(index) << "must be a branch of another node, because its tree already has a root";
    forest.roots.push_back(static_cast<int32_t>(index));
  }
  return success();
}

LogicalResult ForestBuilder::measure() {
  constexpr int64_t mostDepth = 4096; // each level becomes nine operators; 4096 levels take 3 s to compile
  std::vector<int64_t> levels(forest.nodes.size(), -1);
  for (int32_t root : forest.roots)
    levels[root] = 0;
  for (int32_t index : llvm::reverse(order)) {
    const int64_t level = levels[index];
    if (level < 0)
      return error(index) << "must be reachable from a root, but is not";
    if (level > mostDepth)
      return error(index) << "must be at most " << mostDepth
                          << " branches below its root, but is deeper; train shallower trees, or trees with fewer "
                             "categories per split";
    forest.depth = std::max(forest.depth, level);
    if (const TreeNode &tree = forest.nodes[index]; tree.mode != NodeMode::Leaf)
      for (int32_t branch : {tree.onTrue, tree.onFalse})
        levels[branch] = std::max(levels[branch], level + 1);
  }
  return success();
}

LogicalResult ForestBuilder::checkScores() {
  std::map<std::pair<int32_t, int64_t>, bool> known;
  for (const LeafScore &score : forest.scores) {
    if (score.target < 0 || score.target >= bounds.targets)
      return error(score.leaf) << "must have weights for targets or classes from 0 to " << bounds.targets - 1
                               << ", but has one for " << score.target;
    if (!known.try_emplace({score.leaf, score.target}, true).second)
      return error(score.leaf) << "must have one weight for each target or class, but has two for " << score.target;
  }
  return success();
}

void ForestBuilder::putLeavesFirst() {
  std::vector<int32_t> places(forest.nodes.size());
  int32_t next = 0;
  for (bool leaves : {true, false}) {
    for (size_t index = 0; index < places.size(); ++index)
      if ((forest.nodes[index].mode == NodeMode::Leaf) == leaves)
        places[index] = next++;
    if (leaves)
      forest.leafCount = next;
  }
  std::vector<TreeNode> sorted(forest.nodes.size());
  for (size_t index = 0; index < places.size(); ++index) {
    TreeNode tree = forest.nodes[index];
    const bool isLeaf = tree.mode == NodeMode::Leaf;
    tree.onTrue = isLeaf ? places[index] : places[tree.onTrue];
    tree.onFalse = isLeaf ? places[index] : places[tree.onFalse];
    sorted[places[index]] = tree;
  }
  forest.nodes = std::move(sorted);
  for (int32_t &root : forest.roots)
    root = places[root];
  for (LeafScore &score : forest.scores)
    score.leaf = places[score.leaf];
}

FailureOr<Forest> ForestBuilder::finish() {
  if (node.hasFailed() || failed(checkNodes()) || failed(sort()) || failed(findRoots()) || failed(measure()) ||
      failed(checkScores()))
    return failure();
  putLeavesFirst();
  return std::move(forest);
}

} // namespace nacre::importer::onnx_format::trees
