// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Forest.h. The parts of this file are:
// 1. Lists of attributes, which must have the same length.
// 2. The two forms of operators. ForestBuilder.h checks what they contain.

#include "compiler/import/onnx/trees/Forest.h"

#include "compiler/import/onnx/trees/ForestBuilder.h"
#include "dialects/NumberText.h"

#include "dialects/nn/ConstantData.h"

#include "llvm/ADT/StringExtras.h"
#include <array>
#include <map>

using namespace mlir;

namespace nacre::importer::onnx_format::trees {

//===----------------------------------------------------------------------===//
// 1. Lists
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<double>> readTensor(OperandBinder &node, StringRef name) {
  ElementsAttr tensor = node.getTensor(name);
  if (!tensor)
    return SmallVector<double>();
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(tensor);
  if (failed(view))
    return node.error() << "attribute '" << name
                        << "' must be a dense tensor of numbers; save the model with a dense tensor";
  SmallVector<double> numbers(tensor.getNumElements());
  view->read(0, 1, tensor.getNumElements(), numbers.data());
  return numbers;
}

FailureOr<SmallVector<double>> readNumbers(OperandBinder &node, StringRef name) {
  SmallVector<double> numbers = node.getFloats(name);
  const std::string asTensor = (name + "_as_tensor").str();
  if (!numbers.empty() || !node.has(asTensor))
    return numbers;
  return readTensor(node, asTensor);
}

namespace {

/// Lists with one entry for each item of a kind.
class Lists {
public:
  Lists(OperandBinder &node, size_t size, StringRef of) : node(node), size(size), of(of) {}

  SmallVector<int64_t> integers(StringRef name) { return checked(name, node.getInts(name)); }
  /// Returns a list that may be missing. A missing list is all zeros.
  SmallVector<int64_t> flags(StringRef name) {
    SmallVector<int64_t> list = node.getInts(name);
    return list.empty() ? SmallVector<int64_t>(size, 0) : checked(name, std::move(list));
  }
  SmallVector<StringRef> strings(StringRef name) { return checked(name, node.getStrings(name)); }
  SmallVector<double> numbers(StringRef name) { return checked(name, readNumbers(node, name)); }
  SmallVector<double> tensor(StringRef name) { return checked(name, readTensor(node, name)); }

private:
  template <typename T> SmallVector<T> checked(StringRef name, FailureOr<SmallVector<T>> list) {
    if (succeeded(list) && list->size() == size)
      return std::move(*list);
    if (succeeded(list) && !node.hasFailed())
      node.error() << "attribute '" << name << "' must have an entry for each of the " << size << " in '" << of
                   << "', but has " << list->size();
    return SmallVector<T>(size, T());
  }
  template <typename T> SmallVector<T> checked(StringRef name, SmallVector<T> list) {
    return checked(name, FailureOr<SmallVector<T>>(std::move(list)));
  }

  OperandBinder &node;
  size_t size;
  StringRef of;
};

//===----------------------------------------------------------------------===//
// 2. Forms
//===----------------------------------------------------------------------===//

using NodeIds = std::map<std::pair<int64_t, int64_t>, int32_t>; ///< index of a node by its tree and its id in the tree

constexpr std::array<StringRef, 7> modeNames = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                                "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};

LogicalResult readModes(ForestBuilder &builder, ArrayRef<StringRef> modes) {
  for (auto [index, tree, mode] : llvm::enumerate(builder.forest.nodes, modes)) {
    const auto *known = llvm::find(modeNames, mode);
    if (known == modeNames.end())
      return builder.error(index) << "must have one of the modes " << llvm::join(ArrayRef(modeNames), ", ")
                                  << ", but has '" << mode << "'";
    tree.mode = static_cast<NodeMode>(known - modeNames.begin());
  }
  return success();
}

LogicalResult readScores(OperandBinder &node, ForestBuilder &builder, const NodeIds &ids, StringRef scored) {
  const std::string prefix = scored.str() + "_", numbers = prefix + "ids";
  SmallVector<int64_t> targets = node.getInts(numbers);
  Lists lists(node, targets.size(), numbers);
  SmallVector<int64_t> treeIds = lists.integers(prefix + "treeids"), nodeIds = lists.integers(prefix + "nodeids");
  SmallVector<double> weights = lists.numbers(prefix + "weights");
  if (node.hasFailed())
    return failure();
  for (size_t index = 0; index < targets.size(); ++index) {
    auto leaf = ids.find({treeIds[index], nodeIds[index]});
    if (leaf == ids.end())
      return node.error() << "attribute '" << prefix << "nodeids' must name nodes of the trees, but names node "
                          << nodeIds[index] << " of tree " << treeIds[index] << ", which does not exist";
    // Weights of nodes that are not leaves are ignored, as in ONNX Runtime.
    if (builder.forest.nodes[leaf->second].mode == NodeMode::Leaf)
      builder.forest.scores.push_back({leaf->second, targets[index], weights[index]});
  }
  return success();
}

} // namespace

FailureOr<Forest> readForest(OperandBinder &node, StringRef scored, ForestBounds bounds) {
  node.ignore({"nodes_hitrates", "nodes_hitrates_as_tensor"});
  SmallVector<int64_t> nodeIds = node.getInts("nodes_nodeids");
  Lists lists(node, nodeIds.size(), "nodes_nodeids");
  SmallVector<int64_t> treeIds = lists.integers("nodes_treeids"), features = lists.integers("nodes_featureids");
  SmallVector<int64_t> onTrue = lists.integers("nodes_truenodeids"), onFalse = lists.integers("nodes_falsenodeids");
  SmallVector<int64_t> missing = lists.flags("nodes_missing_value_tracks_true");
  SmallVector<double> splits = lists.numbers("nodes_values");
  SmallVector<StringRef> modes = lists.strings("nodes_modes");
  if (node.hasFailed())
    return failure();

  ForestBuilder builder(node, bounds);
  NodeIds ids;
  for (size_t index = 0; index < nodeIds.size(); ++index) {
    builder.names.push_back("node " + std::to_string(nodeIds[index]) + " of tree " + std::to_string(treeIds[index]));
    builder.trees.push_back(treeIds[index]);
    builder.forest.nodes.push_back({NodeMode::Leaf, features[index], splits[index], missing[index] != 0});
    if (!ids.try_emplace({treeIds[index], nodeIds[index]}, static_cast<int32_t>(index)).second)
      return builder.error(index) << "is defined twice; remove one definition";
  }
  if (failed(readModes(builder, modes)))
    return failure();
  for (auto [index, tree] : llvm::enumerate(builder.forest.nodes)) {
    if (tree.mode == NodeMode::Leaf)
      continue;
    for (auto [branch, id] : {std::pair(&tree.onTrue, onTrue[index]), {&tree.onFalse, onFalse[index]}}) {
      auto found = ids.find({treeIds[index], id});
      if (found == ids.end())
        return builder.error(index) << "must have branches to nodes of its tree, but has one to node " << id
                                    << ", which does not exist";
      *branch = found->second;
    }
  }
  if (failed(readScores(node, builder, ids, scored)))
    return failure();
  return builder.finish();
}

FailureOr<Forest> readNumberedForest(OperandBinder &node, ForestBounds bounds) {
  node.ignore({"nodes_hitrates"});
  SmallVector<int64_t> features = node.getInts("nodes_featureids"), targets = node.getInts("leaf_targetids");
  SmallVector<int64_t> roots = node.getInts("tree_roots");
  Lists lists(node, features.size(), "nodes_featureids"), leaves(node, targets.size(), "leaf_targetids");
  SmallVector<int64_t> onTrue = lists.integers("nodes_truenodeids"), onFalse = lists.integers("nodes_falsenodeids");
  SmallVector<int64_t> isTrueLeaf = lists.integers("nodes_trueleafs"), isFalseLeaf = lists.integers("nodes_falseleafs");
  SmallVector<int64_t> missing = lists.flags("nodes_missing_value_tracks_true");
  SmallVector<double> splits = lists.tensor("nodes_splits"), modes = lists.tensor("nodes_modes");
  SmallVector<double> weights = leaves.tensor("leaf_weights");
  if (node.hasFailed())
    return failure();

  ForestBuilder builder(node, bounds);
  const size_t branches = features.size();
  for (size_t index = 0; index < branches; ++index) {
    builder.names.push_back("node " + std::to_string(index));
    builder.forest.nodes.push_back({NodeMode::Leaf, features[index], splits[index], missing[index] != 0});
  }
  for (size_t index = 0; index < targets.size(); ++index) {
    builder.names.push_back("leaf " + std::to_string(index));
    builder.forest.nodes.push_back({});
    builder.forest.scores.push_back({static_cast<int32_t>(branches + index), targets[index], weights[index]});
  }
  for (size_t index = 0; index < branches; ++index) {
    TreeNode &tree = builder.forest.nodes[index];
    // Mode 6 is BRANCH_MEMBER.
    if (!(modes[index] >= 0 && modes[index] < 6))
      return builder.error(index) << "must compare its feature with one number, using a mode from 0 to 5, but has mode "
                                  << describeNumber(modes[index]) << "; split it into nodes of mode 4 (BRANCH_EQ)";
    tree.mode = static_cast<NodeMode>(modes[index]);
    for (auto [branch, number, isLeaf] : {std::tuple(&tree.onTrue, onTrue[index], isTrueLeaf[index]),
                                          {&tree.onFalse, onFalse[index], isFalseLeaf[index]}}) {
      const size_t count = isLeaf ? targets.size() : branches;
      if (!count)
        return builder.error(index) << "must have branches to leaves, but 'leaf_targetids' is empty";
      if (number < 0 || number >= static_cast<int64_t>(count))
        return builder.error(index) << "must have branches to " << (isLeaf ? "leaves" : "nodes") << " from 0 to "
                                    << static_cast<int64_t>(count) - 1 << ", but has one to " << number;
      *branch = static_cast<int32_t>(number + (isLeaf ? static_cast<int64_t>(branches) : 0));
    }
  }
  if (roots.empty())
    return node.error() << "attribute 'tree_roots' must name a root, but is empty";
  if (!branches)
    return node.error() << "attribute 'nodes_featureids' must have an entry for each node, but is empty";
  for (int64_t root : roots) {
    if (root < 0 || root >= static_cast<int64_t>(branches))
      return node.error() << "attribute 'tree_roots' must name nodes from 0 to " << static_cast<int64_t>(branches) - 1
                          << ", but names " << root;
    builder.forest.roots.push_back(static_cast<int32_t>(root));
  }
  return builder.finish();
}

} // namespace nacre::importer::onnx_format::trees
