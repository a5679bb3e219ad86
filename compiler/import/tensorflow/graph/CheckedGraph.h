// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One graph of a TensorFlow file, checked.
//
// What: names as numbers: every node has one, which is its place in the file, and knows those that it reads.
// Why:  whatever walks the graph afterwards neither searches names nor doubts them.
// How:  an operand is `name` or `name:k`, the result k of a node; `^name` orders the node after another and reads nothing.
//       Edges that lead from one iteration of a loop to the next, out of NextIteration, are no part of the order.

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

/// The name of a tensor: of the node, and which result it is.
struct TensorName {
  llvm::StringRef node;
  int result;
};

/// `name` and `name:k`; nothing where k is no number of a result.
std::optional<TensorName> parseTensorName(llvm::StringRef text);

struct CheckedNode {
  const tensorflow::NodeDef *proto;
  llvm::SmallVector<TensorId, 2> operands;
  llvm::SmallVector<int, 0> controls; ///< nodes that come before it, each once

  llvm::StringRef getName() const { return proto->name(); }
  llvm::StringRef getOp() const { return proto->op(); }
  /// Returns whether a value must be given for it.
  bool isPlaceholder() const { return getOp() == "Placeholder" || getOp() == "PlaceholderV2"; }
};

/// The attribute of that name, or null.
const tensorflow::AttrValue *findAttribute(const tensorflow::NodeDef &node, llvm::StringRef name);
/// Adds an attribute, which the node must not have yet.
tensorflow::AttrValue &addAttribute(tensorflow::NodeDef &node, const char *name);

class CheckedGraph {
public:
  /// The graph must live as long as what is read of it. Errors are emitted at the node they concern.
  static mlir::FailureOr<CheckedGraph> read(const tensorflow::GraphDef &proto, mlir::Location modelLoc);

  /// The nodes in the order of the file.
  llvm::ArrayRef<CheckedNode> getNodes() const { return nodes; }
  const CheckedNode &getNode(int id) const { return nodes[id]; }

  /// All of them in an order in which each comes after what it reads, and after what it waits for.
  llvm::ArrayRef<int> getOrder() const { return order; }

  std::optional<int> find(llvm::StringRef name) const;
  /// A result of a node, by its name.
  std::optional<TensorId> findTensor(llvm::StringRef text) const;

  /// The tensor's name: `name`, or `name:k`.
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
