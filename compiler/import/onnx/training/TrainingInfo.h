// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training that a model itself describes (training_info): a graph that is computed after the network's graph, and
// initializers that are updated by its outputs. It becomes the entry `train`. Both graphs form one graph, as the
// standard requires. Updated initializers are variables, also in the entry of the network.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TRAINING_TRAININGINFO_H
#define NACRE_COMPILER_IMPORT_ONNX_TRAINING_TRAININGINFO_H

#include "compiler/import/model/GraphView.h"
#include "compiler/import/onnx/graph/CheckedGraph.h"

namespace nacre::importer::onnx_format {

/// The graph of the network and its training.
struct TrainingInfo {
  onnx::GraphProto proto;
  std::unique_ptr<CheckedGraph> graph;
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>> updates; ///< pairs of an initializer and its new value
};

/// Returns null if the model does not describe its training, and failure after an error.
mlir::FailureOr<std::unique_ptr<TrainingInfo>> readTrainingInfo(const onnx::ModelProto &model, mlir::Location loc);

/// View of a graph in which some constants are variables.
class TrainedGraph : public GraphView {
public:
  explicit TrainedGraph(std::unique_ptr<GraphView> whole) : GraphView(whole->getLocation()), whole(std::move(whole)) {}

  /// Makes variables of the initializers in `info` that are constants in the graph. If `assigns` is true, outputs of
  /// the graph assign new values to them.
  mlir::LogicalResult setVariables(const TrainingInfo &info, const CheckedGraph &network, bool assigns);

  llvm::SmallVector<GraphValue> getInputs() const override { return inputs; }
  llvm::SmallVector<GraphValue> getOutputs() const override { return outputs; }
  size_t getNumNodes() const override { return whole->getNumNodes(); }
  GraphNode getNode(size_t index) const override { return whole->getNode(index); }
  mlir::FailureOr<llvm::SmallVector<mlir::NamedAttribute>> readAttributes(size_t node) override {
    return whole->readAttributes(node);
  }
  std::unique_ptr<GraphView> openGraph(size_t node, llvm::StringRef attribute) override {
    return whole->openGraph(node, attribute);
  }
  std::unique_ptr<GraphView> openFunction(size_t node) override { return whole->openFunction(node); }
  bool hasConstant(llvm::StringRef name) const override {
    return !variables.contains(name) && whole->hasConstant(name);
  }
  mlir::FailureOr<mlir::ElementsAttr> readConstant(llvm::StringRef name) override { return whole->readConstant(name); }

private:
  std::unique_ptr<GraphView> whole;
  llvm::StringMap<mlir::Type> variables;
  llvm::SmallVector<GraphValue> inputs, outputs;
};

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_TRAINING_TRAININGINFO_H
