// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One graph of an ONNX file, checked.
//
// What: of the model's graph, of those that its nodes have as attributes, and of the bodies of its functions: every name is
//       defined once, or in a graph around; nodes come in an order in which they can be computed.
// Why:  the importer looks names up and walks nodes without a doubt.
// How:  a node reads its inputs, and what the graphs inside it read from outside: their captures.

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

/// A graph that a node has as an attribute.
struct NestedGraph {
  llvm::StringRef attribute;
  std::unique_ptr<CheckedGraph> graph;
};

/// What a node Gradient says: which tensor is differentiated, as a function of which.
struct Differentiated {
  llvm::StringRef y;
  llvm::SmallVector<llvm::StringRef, 0> arguments; ///< as many as the node has inputs
};

struct CheckedNode {
  const onnx::NodeProto *proto;
  int position; ///< in the file's list
  llvm::SmallVector<NestedGraph, 0> graphs;
  std::optional<Differentiated> differentiated = {};

  /// What the graphs inside read from outside, each name once.
  llvm::SmallVector<llvm::StringRef> getCaptures() const;
};

class CheckedGraph {
public:
  /// The model's graph, or one that a node inside `outer` has. Errors are emitted at the node or value they concern.
  static mlir::FailureOr<std::unique_ptr<CheckedGraph>> read(const onnx::GraphProto &proto, const CheckedGraph *outer,
                                                             mlir::Location modelLoc);
  /// The body of a function.
  static mlir::FailureOr<std::unique_ptr<CheckedGraph>> read(const onnx::FunctionProto &proto, mlir::Location modelLoc);

  const onnx::GraphProto *getGraph() const { return graph; }          ///< Null for a function.
  const onnx::FunctionProto *getFunction() const { return function; } ///< Null for a graph.

  /// The nodes in an order in which each comes after what it reads.
  llvm::ArrayRef<CheckedNode> getNodes() const { return nodes; }

  /// The nodes that a tensor is computed by, in their order; `given` are computed by none.
  llvm::SmallVector<size_t> findProducers(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> given) const;

  /// The constants of that name, or null.
  const onnx::TensorProto *findInitializer(llvm::StringRef name) const { return initializers.lookup(name); }
  const onnx::SparseTensorProto *findSparse(llvm::StringRef name) const { return sparseInitializers.lookup(name); }

  /// What is read here and defined in a graph around.
  llvm::ArrayRef<llvm::StringRef> getCaptures() const { return captures.getArrayRef(); }

  /// Where a value is, and where a node is: its name, or `Operator#index:output` when it has none.
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
  /// Every value's producer: its node's position in the file, or -1 for inputs and initializers.
  llvm::StringMap<int> producers;
  llvm::SetVector<llvm::StringRef> captures;
  llvm::SmallVector<size_t> places; ///< in `nodes`, of each position
};

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_GRAPH_CHECKEDGRAPH_H
