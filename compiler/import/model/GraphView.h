// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A format-independent view of a checked model.
//
// A model consists of graphs of nodes with operands, results and attributes; values have names. A reader provides a
// view of the model after checking it. The import of nodes, inputs and outputs, and --check, are the same for every
// format. Names refer to memory of the reader. GraphView is the interface of a graph, and ModelView the interface of
// the model. A graph is a scope of names. The graphs of a node (branches, bodies of loops) are nested scopes. The body
// of a function is a separate scope.

#ifndef NACRE_COMPILER_IMPORT_MODEL_GRAPHVIEW_H
#define NACRE_COMPILER_IMPORT_MODEL_GRAPHVIEW_H

#include "compiler/import/binding/ImportRegistry.h"
#include "compiler/import/files/StoredTensor.h"
#include "compiler/import/options/MemoryCap.h"
#include "dialects/nn/Variables.h"

#include "mlir/IR/Diagnostics.h"

namespace nacre::importer {

/// Axis of a declared shape.
struct Dimension {
  int64_t size = mlir::ShapedType::kDynamic; ///< kDynamic if the axis is open
  llvm::StringRef symbol = {};               ///< name of an open axis, if it has one
  /// Default size of an open axis, if it has one.
  std::optional<int64_t> usual = std::nullopt;

  bool isOpen() const { return mlir::ShapedType::isDynamic(size); }
};

/// Declared type of an input or an output.
struct DeclaredType {
  mlir::Type elementType; ///< null if the type is missing or not supported
  llvm::StringRef name;   ///< name of an unsupported element type in the format; otherwise empty
  std::optional<llvm::SmallVector<Dimension>> shape;
};

/// Input or output of a graph.
struct GraphValue {
  llvm::StringRef name; ///< name outside of the graph
  DeclaredType type;
  bool hasDefault = false;     ///< true for an input that is a constant unless the user sets it
  llvm::StringRef source = {}; ///< name inside the graph, if it differs
  /// Variable whose value this input is, or to which this output is assigned. Apps do not see it. An entry has both the
  /// input and the output, with the same type.
  llvm::StringRef variable = {};
  mlir::ElementsAttr initial = {};                     ///< initial value of an input that is a variable; null: zeros
  nn::VariableRole role = nn::VariableRole::Recurrent; ///< role of that variable

  llvm::StringRef getSource() const { return source.empty() ? name : source; }
};

/// Node of a checked graph. Every operand is an input, a constant or a result of an earlier node.
struct GraphNode {
  llvm::StringRef op;
  llvm::StringRef domain;                      ///< domain of the operator in messages; empty for the domain of
                                               ///< the format itself
  const ImportRegistry *registry;              ///< registry of the operator's domain, which may have no handler for it
  int64_t version = 0;                         ///< version of the operator set; 0 if it is unknown
  mlir::Location loc;                          ///< NameLoc with the node's name
  llvm::SmallVector<llvm::StringRef> operands; ///< empty string for a missing optional operand
  llvm::SmallVector<llvm::StringRef> results;  ///< empty string for an unused result
  llvm::SmallVector<llvm::StringRef, 0> graphs = {};   ///< names of the attributes that are graphs
  llvm::SmallVector<llvm::StringRef, 0> captures = {}; ///< names in outer graphs that these graphs read
};

/// One graph. Its names are unique. Other names belong to the outer graph.
class GraphView {
public:
  explicit GraphView(mlir::Location loc) : loc(loc) {}
  virtual ~GraphView() = default;

  virtual llvm::SmallVector<GraphValue> getInputs() const = 0;
  virtual llvm::SmallVector<GraphValue> getOutputs() const = 0;

  /// Return the nodes in topological order.
  virtual size_t getNumNodes() const = 0;
  virtual GraphNode getNode(size_t index) const = 0;
  /// Returns the attributes of node `node`. Emits errors at the node.
  virtual mlir::FailureOr<llvm::SmallVector<mlir::NamedAttribute>> readAttributes(size_t node) = 0;

  /// Returns the graph in the attribute of that name, or null. It may outlive this graph.
  virtual std::unique_ptr<GraphView> openGraph(size_t /*node*/, llvm::StringRef /*attribute*/) { return nullptr; }
  /// Returns the body of the function that the node calls, or null. The operands are positional.
  virtual std::unique_ptr<GraphView> openFunction(size_t /*node*/) { return nullptr; }

  /// True if this graph has a constant of that name that no node computes.
  virtual bool hasConstant(llvm::StringRef name) const = 0;
  /// Returns the constant of that name. Emits errors at the value.
  virtual mlir::FailureOr<mlir::ElementsAttr> readConstant(llvm::StringRef name) = 0;

  /// Returns the scale and zero point of a tensor of integers (dialects/nn/codes/Quantization.h), or null if the file
  /// does not state them. Emits errors at the value.
  virtual mlir::FailureOr<mlir::DictionaryAttr> readQuantization(llvm::StringRef /*name*/) {
    return mlir::DictionaryAttr();
  }

  /// Returns the location of the model, or of the value `name`.
  mlir::Location getLocation() const { return loc; }
  mlir::Location getLocation(llvm::StringRef name) const {
    return mlir::NameLoc::get(mlir::StringAttr::get(loc.getContext(), name), loc);
  }

private:
  mlir::Location loc;
};

/// Entry point of a model: a graph and its name.
struct ModelEntry {
  llvm::StringRef name; ///< empty if the name is ImportOptions::entry
  GraphView *graph;
};

class ModelView {
public:
  virtual ~ModelView() = default;

  /// Returns the graph of the first entry.
  virtual GraphView &getGraph() = 0;

  /// Returns all entries; each becomes a function. A model may have several entries over the same weights.
  virtual llvm::SmallVector<ModelEntry> getEntries() { return {{"", &getGraph()}}; }

  /// Returns the canonical form of a name from the user. In some formats, a tensor can have several names.
  virtual std::string normalizeName(llvm::StringRef name) const { return name.str(); }

  /// Returns the memory limit that the model states, or `nullopt`.
  virtual std::optional<MemoryCap> getMemoryCap() const { return std::nullopt; }

  /// Reads a tensor from a file of this format, for --set. Emits errors at `loc`.
  virtual mlir::FailureOr<StoredTensor> readTensorFile(const FileBytes &, mlir::Location loc) {
    return mlir::emitError(loc) << "the value must come from a .npy file";
  }
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MODEL_GRAPHVIEW_H
