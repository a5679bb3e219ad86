// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked graph of an ONNX file.
//
// The model's graph, graphs in attributes of nodes, and bodies of functions are checked in the same way. Every name is
// defined once, here or in an outer graph. Nodes are in an order in which they can be computed. So the importer need
// not check names and order. A node reads its inputs, and the captures of its graphs, which are values from outside.

#ifndef NACRE_COMPILER_IMPORT_ONNX_GRAPH_CHECKEDGRAPH_H
#define NACRE_COMPILER_IMPORT_ONNX_GRAPH_CHECKEDGRAPH_H

#include "mlir/IR/Location.h"
#include "onnx.pb.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <optional>

namespace nacre::importer::onnx_format {

class CheckedGraph;

/// Graph in an attribute of a node.
struct NestedGraph {
  llvm::StringRef attribute;
  std::unique_ptr<CheckedGraph> graph;
};

/// Operands of a Gradient node: the tensor to differentiate, and the tensors with respect to which it is
/// differentiated.
struct Differentiated {
  llvm::StringRef y;
  llvm::SmallVector<llvm::StringRef, 0> arguments; ///< one tensor per input of the node
};

struct CheckedNode {
  const onnx::NodeProto *proto;
  int position; ///< index in the file's list of nodes
  llvm::SmallVector<NestedGraph, 0> graphs;
  std::optional<Differentiated> differentiated = {};

  /// Returns the names that graphs inside the node read from outside, each once.
  llvm::SmallVector<llvm::StringRef> getCaptures() const;
};

class CheckedGraph {
public:
  /// Checks the model's graph, or a graph inside a node of `outer`. Emits errors at the node or value that causes them.
  static mlir::FailureOr<std::unique_ptr<CheckedGraph>> read(const onnx::GraphProto &proto, const CheckedGraph *outer,
                                                             mlir::Location modelLoc);
  /// Checks the body of a function.
  static mlir::FailureOr<std::unique_ptr<CheckedGraph>> read(const onnx::FunctionProto &proto, mlir::Location modelLoc);

  const onnx::GraphProto *getGraph() const { return graph; }          ///< null for a function
  const onnx::FunctionProto *getFunction() const { return function; } ///< null for a graph

  /// Returns the nodes in an order in which each node follows the nodes that it reads.
  llvm::ArrayRef<CheckedNode> getNodes() const { return nodes; }

  /// Returns the indices of the nodes that compute the tensor `name` from the tensors `given`, in the order of nodes.
  llvm::SmallVector<size_t> findProducers(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> given) const;

  /// Return the constant called `name`, or null.
  const onnx::TensorProto *findInitializer(llvm::StringRef name) const { return initializers.lookup(name); }
  const onnx::SparseTensorProto *findSparse(llvm::StringRef name) const { return sparseInitializers.lookup(name); }

  /// Returns the names that are read here, but are defined in an outer graph.
  llvm::ArrayRef<llvm::StringRef> getCaptures() const { return captures.getArrayRef(); }

  /// Return the location of a value or a node. A node without a name gets the name `Operator#index:output`.
  mlir::Location getLocation(llvm::StringRef valueName) const;
  mlir::Location getLocation(const CheckedNode &node) const;

private:
  CheckedGraph(const onnx::GraphProto *graph, const onnx::FunctionProto *function, const CheckedGraph *outer,
               mlir::Location modelLoc)
      : graph(graph), function(function), outer(outer), modelLoc(modelLoc) {}

  mlir::LogicalResult check();
  mlir::LogicalResult defineInputs();
  mlir::LogicalResult defineInitializers();
  mlir::LogicalResult defineResults();
  mlir::LogicalResult readNestedGraphs();
  mlir::LogicalResult checkReads();
  mlir::LogicalResult readDifferentiated(CheckedNode &node);
  mlir::LogicalResult checkDepth();
  mlir::LogicalResult checkOutputs();
  mlir::LogicalResult sortNodes();
  bool isDefined(llvm::StringRef name);

  const onnx::GraphProto *graph;
  const onnx::FunctionProto *function;
  const CheckedGraph *outer;
  mlir::Location modelLoc;
  llvm::SmallVector<CheckedNode, 0> nodes;
  llvm::StringMap<const onnx::TensorProto *> initializers;
  llvm::StringMap<const onnx::SparseTensorProto *> sparseInitializers;
  /// Index in the file of the node that computes each value; -1 for inputs and initializers.
  llvm::StringMap<int> producers;
  llvm::SetVector<llvm::StringRef> captures;
  llvm::SmallVector<size_t> places; ///< indices in `nodes` by index in the file
};

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_GRAPH_CHECKEDGRAPH_H
