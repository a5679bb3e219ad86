// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trees of an ensemble, as the attributes of its node say them, checked.
//
// What: nodes of all trees in one list, leaves first, with their branches as numbers of nodes.
// Why:  the attributes come from strangers: ids that nothing has, cycles. Nodes may share branches: LightGBM's splits by category are
//       converted to chains of comparisons whose true branches are one node.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TREES_FOREST_H
#define NACRE_COMPILER_IMPORT_ONNX_TREES_FOREST_H

#include "compiler/import/binding/OperandBinder.h"

#include <vector>

namespace nacre::importer::onnx_format::trees {

/// How a node compares a feature with its split.
enum class NodeMode { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual, Leaf };

struct TreeNode {
  NodeMode mode = NodeMode::Leaf;
  int64_t feature = 0;
  double split = 0;
  bool isMissingTrue = false;        ///< whether no number at all takes the true branch
  int32_t onTrue = -1, onFalse = -1; ///< the node itself in a leaf
};

struct LeafScore {
  int32_t leaf;
  int64_t target;
  double weight;
};

struct Forest {
  std::vector<TreeNode> nodes; ///< leaves first
  int64_t leafCount = 0;
  std::vector<int32_t> roots;    ///< of the trees
  int64_t depth = 0;             ///< of branches on the longest way from a root to a leaf
  std::vector<LeafScore> scores; ///< a leaf may have one for each target
};

/// What must hold of a forest besides its own sense.
struct ForestBounds {
  int64_t features; ///< that a row has
  int64_t targets;
};

/// The forest of TreeEnsembleRegressor (`scored` is "target") and TreeEnsembleClassifier ("class"). Errors name the tree and
/// the node.
mlir::FailureOr<Forest> readForest(OperandBinder &node, llvm::StringRef scored, ForestBounds bounds);

/// The forest of TreeEnsemble, whose branches and leaves are numbered apart.
mlir::FailureOr<Forest> readNumberedForest(OperandBinder &node, ForestBounds bounds);

/// The attribute `name`, or the tensor that is called as it with `_as_tensor` behind; empty if there is neither.
mlir::FailureOr<llvm::SmallVector<double>> readNumbers(OperandBinder &node, llvm::StringRef name);

} // namespace nacre::importer::onnx_format::trees

#endif // NACRE_COMPILER_IMPORT_ONNX_TREES_FOREST_H
