// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked graph of a TensorFlow file.
//
// Names become indices: nodes are numbered in the order of the file, and each node has the indices of the nodes that it
// reads. Later code needs neither to look up names nor to check them. An operand is `name` or `name:k`, result k of a
// node. `^name` orders the node after another one and reads nothing. Edges from NextIteration to the next iteration of
// a loop do not count for the order.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_CHECKEDGRAPH_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_CHECKEDGRAPH_H

#include "mlir/IR/Location.h"
#include "tensorflow.pb.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace nacre::importer::tensorflow_format {

/// One result of a node.
struct TensorId {
  int node;
  int result;

  bool operator==(TensorId other) const { return node == other.node && result == other.result; }
  bool operator<(TensorId other) const { return node != other.node ? node < other.node : result < other.result; }
};

/// The name of a tensor: its node, and the index of the result.
struct TensorName {
  llvm::StringRef node;
  int result;
};

/// Parses `name` or `name:k`. Returns nullopt if k is not an index.
std::optional<TensorName> parseTensorName(llvm::StringRef text);

struct CheckedNode {
  const tensorflow::NodeDef *proto;
  llvm::SmallVector<TensorId, 2> operands;
  llvm::SmallVector<int, 0> controls; ///< nodes that must run before this node, without duplicates

  llvm::StringRef getName() const { return proto->name(); }
  llvm::StringRef getOp() const { return proto->op(); }
  /// True if the user must provide the node's value.
  bool isPlaceholder() const { return getOp() == "Placeholder" || getOp() == "PlaceholderV2"; }
};

/// Returns the attribute with the name `name`, or null.
const tensorflow::AttrValue *findAttribute(const tensorflow::NodeDef &node, llvm::StringRef name);
/// Adds an attribute, which the node must not have yet.
tensorflow::AttrValue &addAttribute(tensorflow::NodeDef &node, const char *name);

class CheckedGraph {
public:
  /// Checks `proto` and returns the graph. `proto` must outlive the graph. Errors are emitted at the node they concern.
  static mlir::FailureOr<CheckedGraph> read(const tensorflow::GraphDef &proto, mlir::Location modelLoc);

  /// Returns the nodes in the order of the file.
  llvm::ArrayRef<CheckedNode> getNodes() const { return nodes; }
  const CheckedNode &getNode(int id) const { return nodes[id]; }

  /// Returns all nodes in an order in which each follows its operands and its controls.
  llvm::ArrayRef<int> getOrder() const { return order; }

  std::optional<int> find(llvm::StringRef name) const;
  /// Returns the tensor with the name `name` or `name:k`; nullopt if it does not exist.
  std::optional<TensorId> findTensor(llvm::StringRef text) const;

  /// Returns the tensor's name: `name` or `name:k`.
  std::string getText(TensorId tensor) const;

  mlir::Location getLocation() const { return modelLoc; }
  mlir::Location getLocation(int node) const { return getLocation(nodes[node].getName()); }
  mlir::Location getLocation(llvm::StringRef name) const;

private:
  explicit CheckedGraph(mlir::Location modelLoc) : modelLoc(modelLoc) {}

  mlir::LogicalResult nameNodes(const tensorflow::GraphDef &proto);
  mlir::LogicalResult readOperands(int node);
  mlir::LogicalResult sortNodes();

  mlir::Location modelLoc;
  std::vector<CheckedNode> nodes;
  std::vector<int> order;
  llvm::DenseMap<llvm::StringRef, int> ids;
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_GRAPH_CHECKEDGRAPH_H
