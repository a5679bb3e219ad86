// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trees of an ensemble, read from the attributes of a node and checked.
//
// The nodes of all trees are in one list, leaves first, and refer to branches by index. Attributes come from strangers,
// so ids may be invalid, and cycles are possible. Nodes may share branches: a split by category in LightGBM becomes a
// chain of comparisons with the same true branch.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TREES_FOREST_H
#define NACRE_COMPILER_IMPORT_ONNX_TREES_FOREST_H

#include "compiler/import/binding/OperandBinder.h"

#include <vector>

namespace nacre::importer::onnx_format::trees {

/// Comparison of a feature with the split value of a node.
enum class NodeMode { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual, Leaf };

struct TreeNode {
  NodeMode mode = NodeMode::Leaf;
  int64_t feature = 0;
  double split = 0;
  bool isMissingTrue = false;        ///< true if NaN takes the true branch
  int32_t onTrue = -1, onFalse = -1; ///< indices of nodes; the index of the leaf itself for a leaf
};

struct LeafScore {
  int32_t leaf;
  int64_t target;
  double weight;
};

struct Forest {
  std::vector<TreeNode> nodes; ///< nodes of all trees, leaves first
  int64_t leafCount = 0;
  std::vector<int32_t> roots;    ///< roots of the trees
  int64_t depth = 0;             ///< number of branches on the longest path from a root to a leaf
  std::vector<LeafScore> scores; ///< weights of leaves; a leaf may have one for each target
};

/// Bounds for the features and targets in a forest.
struct ForestBounds {
  int64_t features; ///< number of features of a row
  int64_t targets;
};

/// Returns the forest of a TreeEnsembleRegressor (`scored` is "target") or a TreeEnsembleClassifier ("class"). Errors
/// state the tree and the node.
mlir::FailureOr<Forest> readForest(OperandBinder &node, llvm::StringRef scored, ForestBounds bounds);

/// Returns the forest of a TreeEnsemble node, which has separate indices for branches and leaves.
mlir::FailureOr<Forest> readNumberedForest(OperandBinder &node, ForestBounds bounds);

/// Returns the attribute `name`, or the tensor attribute whose name has the suffix `_as_tensor`. Empty if both are
/// missing.
mlir::FailureOr<llvm::SmallVector<double>> readNumbers(OperandBinder &node, llvm::StringRef name);

} // namespace nacre::importer::onnx_format::trees

#endif // NACRE_COMPILER_IMPORT_ONNX_TREES_FOREST_H
