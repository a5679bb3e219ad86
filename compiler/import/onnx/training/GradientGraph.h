// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a graph that a Gradient node differentiates: the nodes that compute one tensor from others. These nodes
// are imported again at the Gradient, with its operands as inputs. So they form a graph of the Gradient node, like the
// graphs of a branch. This class is a view of the whole graph's view. Other values that it reads belong to the
// outer graph.

#ifndef NACRE_COMPILER_IMPORT_ONNX_TRAINING_GRADIENTGRAPH_H
#define NACRE_COMPILER_IMPORT_ONNX_TRAINING_GRADIENTGRAPH_H

#include "compiler/import/model/GraphView.h"

#include "llvm/ADT/DenseSet.h"

namespace nacre::importer::onnx_format {

class GradientGraph : public GraphView {
public:
  /// Creates a view of the nodes with indices `nodes` in `whole`, which are ascending.
  GradientGraph(std::unique_ptr<GraphView> whole, llvm::SmallVector<size_t> nodes,
                llvm::ArrayRef<llvm::StringRef> inputs, llvm::StringRef output)
      : GraphView(whole->getLocation()), whole(std::move(whole)), nodes(std::move(nodes)), inputs(inputs),
        given(inputs.begin(), inputs.end()), output(output) {}

  llvm::SmallVector<GraphValue> getInputs() const override {
    return llvm::map_to_vector(inputs, [](llvm::StringRef name) { return GraphValue{name, {}}; });
  }
  llvm::SmallVector<GraphValue> getOutputs() const override { return {GraphValue{output, {}}}; }
  size_t getNumNodes() const override { return nodes.size(); }
  GraphNode getNode(size_t index) const override;
  mlir::FailureOr<llvm::SmallVector<mlir::NamedAttribute>> readAttributes(size_t node) override {
    return whole->readAttributes(nodes[node]);
  }
  std::unique_ptr<GraphView> openGraph(size_t node, llvm::StringRef attribute) override {
    return whole->openGraph(nodes[node], attribute);
  }
  std::unique_ptr<GraphView> openFunction(size_t node) override { return whole->openFunction(nodes[node]); }
  bool hasConstant(llvm::StringRef) const override { return false; }
  mlir::FailureOr<mlir::ElementsAttr> readConstant(llvm::StringRef name) override { return whole->readConstant(name); }

private:
  std::unique_ptr<GraphView> whole;
  llvm::SmallVector<size_t> nodes;
  llvm::SmallVector<llvm::StringRef> inputs;
  llvm::DenseSet<llvm::StringRef> given; ///< `inputs` as a set
  llvm::StringRef output;
};

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_TRAINING_GRADIENTGRAPH_H
