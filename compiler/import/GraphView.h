// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked model as the walk sees it, whatever its format.
//
// What: graphs of nodes with operands, results and attributes, whose values have names.
// Why:  the walk over a model, its inputs, its outputs and --check are the same for every format. A reader gives this
//       view of what it has checked; names are views of the reader's memory.
// How:  one interface for a graph and one for the model. A graph is a scope of names. A node's own graphs (branches, bodies of
//       loops) are graphs again, inside that scope; a function's body is one outside of all others.

#ifndef NACRE_COMPILER_IMPORT_GRAPHVIEW_H
#define NACRE_COMPILER_IMPORT_GRAPHVIEW_H

#include "compiler/import/ImportRegistry.h"
#include "compiler/import/StoredTensor.h"

#include "mlir/IR/Diagnostics.h"

namespace nacre::importer {

/// One axis of a shape that a model states.
struct Dimension {
  int64_t size = mlir::ShapedType::kDynamic; ///< kDynamic where it is left open
  llvm::StringRef symbol = {};               ///< the name of an open one; empty where it has none
  /// Of an open one: what it is where whoever compiles the model does not say.
  std::optional<int64_t> usual = std::nullopt;

  bool isOpen() const { return mlir::ShapedType::isDynamic(size); }
};

/// What a model says of the type of an input or an output.
struct DeclaredType {
  mlir::Type elementType; ///< null where it says nothing, or names what Nacre has not
  llvm::StringRef name;   ///< the format's word for an element type that Nacre has not; empty otherwise
  std::optional<llvm::SmallVector<Dimension>> shape;
};

/// An input or an output of a graph.
struct GraphValue {
  llvm::StringRef name; ///< what those outside call it
  DeclaredType type;
  bool hasDefault = false;     ///< an input that is a constant unless the user sets it
  llvm::StringRef source = {}; ///< what the graph calls it, where that is another name
  /// The variable that an input is the value of, or that an output becomes: it is then none that whoever runs the model gives or
  /// gets. An entry has both, of one type.
  llvm::StringRef variable = {};
  mlir::ElementsAttr initial = {}; ///< of an input that is a variable: what it is at first; null: zeros
  llvm::StringRef role = {};       ///< and what it is for (dialects/nn/Variables.h)

  llvm::StringRef getSource() const { return source.empty() ? name : source; }
};

/// A node, as its reader has checked it: every operand is an input, a constant or an earlier node's result.
struct GraphNode {
  llvm::StringRef op;
  llvm::StringRef domain;                              ///< of the operator, for messages; empty: the format's own
  const ImportRegistry *registry;                      ///< where the operator's handler is, if it has one
  int64_t version = 0;                                 ///< of the operator set; 0 where the model does not say
  mlir::Location loc;                                  ///< a NameLoc: the node's name
  llvm::SmallVector<llvm::StringRef> operands;         ///< empty where an optional one is left out
  llvm::SmallVector<llvm::StringRef> results;          ///< empty where nobody wants it
  llvm::SmallVector<llvm::StringRef, 0> graphs = {};   ///< the attributes that are graphs
  llvm::SmallVector<llvm::StringRef, 0> captures = {}; ///< what these read from the graph around
};

/// One graph. All of its names are different; a name that it does not have is the graph's around.
class GraphView {
public:
  explicit GraphView(mlir::Location loc) : loc(loc) {}
  virtual ~GraphView() = default;

  virtual llvm::SmallVector<GraphValue> getInputs() const = 0;
  virtual llvm::SmallVector<GraphValue> getOutputs() const = 0;

  /// The nodes, in an order in which each comes after what it reads.
  virtual size_t getNumNodes() const = 0;
  virtual GraphNode getNode(size_t index) const = 0;
  /// The attributes of a node; errors are emitted at the node.
  virtual mlir::FailureOr<llvm::SmallVector<mlir::NamedAttribute>> readAttributes(size_t node) = 0;

  /// The graph that is the node's attribute of that name, or null. What is opened may outlive what it is opened from.
  virtual std::unique_ptr<GraphView> openGraph(size_t /*node*/, llvm::StringRef /*attribute*/) { return nullptr; }
  /// The body of the function that the node calls, which takes its operands by place; or null.
  virtual std::unique_ptr<GraphView> openFunction(size_t /*node*/) { return nullptr; }

  /// Whether this graph has a constant of that name, which is none that a node computes.
  virtual bool hasConstant(llvm::StringRef name) const = 0;
  /// That constant; errors are emitted at the value.
  virtual mlir::FailureOr<mlir::ElementsAttr> readConstant(llvm::StringRef name) = 0;

  /// Where the model is, and where a value of it is.
  mlir::Location getLocation() const { return loc; }
  mlir::Location getLocation(llvm::StringRef name) const {
    return mlir::NameLoc::get(mlir::StringAttr::get(loc.getContext(), name), loc);
  }

private:
  mlir::Location loc;
};

/// What can be asked of a model: a graph, and what it is called.
struct ModelEntry {
  llvm::StringRef name; ///< empty: ImportOptions::entry
  GraphView *graph;
};

class ModelView {
public:
  virtual ~ModelView() = default;

  /// The graph that is computed; of several the first.
  virtual GraphView &getGraph() = 0;

  /// All graphs that are computed, each a function of its own: a model may offer several over the same weights.
  virtual llvm::SmallVector<ModelEntry> getEntries() { return {{"", &getGraph()}}; }

  /// A name that the user gives as the views write it: some formats let a tensor have several.
  virtual std::string normalizeName(llvm::StringRef name) const { return name.str(); }

  /// Reads a tensor from a file of the format's own, for --set; errors are emitted at `loc`.
  virtual mlir::FailureOr<StoredTensor> readTensorFile(const FileBytes &, mlir::Location loc) {
    return mlir::emitError(loc) << "the value must come from a .npy file";
  }
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_GRAPHVIEW_H
