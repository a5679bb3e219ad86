// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A format-independent view of a checked model.
//
// Graphs of nodes with operands, results and attributes, whose values have names. The walk over a model, its inputs,
// its outputs and --check are the same for every format. A reader provides this view of the checked model; names are
// views of the reader's memory. There is an interface for a graph and one for the model. A graph is a scope of names. A
// node's graphs (branches, bodies of loops) are nested scopes; a function's body is a separate scope.

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
  llvm::StringRef symbol = {};               ///< name of an open axis, if any
  /// Default size of an open axis.
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
  /// Variable whose value this input is, or to which this output is assigned; hidden from apps. An entry has both the
  /// input and the output, with the same type.
  llvm::StringRef variable = {};
  mlir::ElementsAttr initial = {};                     ///< initial value of an input that is a variable; null: zeros
  nn::VariableRole role = nn::VariableRole::Recurrent; ///< role of that variable

  llvm::StringRef getSource() const { return source.empty() ? name : source; }
};

/// Checked node. Every operand is an input, a constant or an earlier node's result.
struct GraphNode {
  llvm::StringRef op;
  llvm::StringRef domain;                              ///< domain of the operator in messages; empty: the format's
  const ImportRegistry *registry;                      ///< registry that has the operator's handler, if there is one
  int64_t version = 0;                                 ///< version of the operator set; 0 if unknown
  mlir::Location loc;                                  ///< NameLoc with the node's name
  llvm::SmallVector<llvm::StringRef> operands;         ///< empty for a missing optional operand
  llvm::SmallVector<llvm::StringRef> results;          ///< empty if unused
  llvm::SmallVector<llvm::StringRef, 0> graphs = {};   ///< attributes that are graphs
  llvm::SmallVector<llvm::StringRef, 0> captures = {}; ///< names that these graphs read from outer graphs
};

/// One graph. Its names are unique; other names belong to the outer graph.
class GraphView {
public:
  explicit GraphView(mlir::Location loc) : loc(loc) {}
  virtual ~GraphView() = default;

  virtual llvm::SmallVector<GraphValue> getInputs() const = 0;
  virtual llvm::SmallVector<GraphValue> getOutputs() const = 0;

  /// Return the nodes in topological order.
  virtual size_t getNumNodes() const = 0;
  virtual GraphNode getNode(size_t index) const = 0;
  /// Returns the attributes of a node; errors are emitted at the node.
  virtual mlir::FailureOr<llvm::SmallVector<mlir::NamedAttribute>> readAttributes(size_t node) = 0;

  /// Returns the graph in the node's attribute of that name, or null. It may outlive this graph.
  virtual std::unique_ptr<GraphView> openGraph(size_t /*node*/, llvm::StringRef /*attribute*/) { return nullptr; }
  /// Returns the body of the function that the node calls, with positional operands, or null.
  virtual std::unique_ptr<GraphView> openFunction(size_t /*node*/) { return nullptr; }

  /// Returns whether this graph has a constant of that name that is not computed by a node.
  virtual bool hasConstant(llvm::StringRef name) const = 0;
  /// Returns that constant; errors are emitted at the value.
  virtual mlir::FailureOr<mlir::ElementsAttr> readConstant(llvm::StringRef name) = 0;

  /// Returns the scale and zero point of the tensor's integers (dialects/nn/codes/Quantization.h) if the file states
  /// them, else null. Errors are emitted at the value.
  virtual mlir::FailureOr<mlir::DictionaryAttr> readQuantization(llvm::StringRef /*name*/) {
    return mlir::DictionaryAttr();
  }

  /// Returns the location of the model, or of a value.
  mlir::Location getLocation() const { return loc; }
  mlir::Location getLocation(llvm::StringRef name) const {
    return mlir::NameLoc::get(mlir::StringAttr::get(loc.getContext(), name), loc);
  }

private:
  mlir::Location loc;
};

/// Entry of a model: a graph and its name.
struct ModelEntry {
  llvm::StringRef name; ///< empty: ImportOptions::entry
  GraphView *graph;
};

class ModelView {
public:
  virtual ~ModelView() = default;

  /// Returns the first graph to compute.
  virtual GraphView &getGraph() = 0;

  /// Returns all graphs to compute, each a separate function: a model may have several over the same weights.
  virtual llvm::SmallVector<ModelEntry> getEntries() { return {{"", &getGraph()}}; }

  /// Normalizes a name from the user: in some formats, a tensor can have several names.
  virtual std::string normalizeName(llvm::StringRef name) const { return name.str(); }

  /// Returns the limit of memory that the model states, if any.
  virtual std::optional<MemoryCap> getMemoryCap() const { return std::nullopt; }

  /// Reads a tensor from a file of this format, for --set; errors are emitted at `loc`.
  virtual mlir::FailureOr<StoredTensor> readTensorFile(const FileBytes &, mlir::Location loc) {
    return mlir::emitError(loc) << "the value must come from a .npy file";
  }
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MODEL_GRAPHVIEW_H
