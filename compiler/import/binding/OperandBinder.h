// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler's view of one node of a model.
//
// A handler defines only the meaning of an operator. This class gives it typed access to operands and attributes, and
// stores the results. Every error about a node is reported here, with uniform wording. For a wrong attribute, an error
// is reported and the default returned, so that handlers need no error handling. An attribute that the handler does not
// read is an error, too, because an unknown attribute may change the meaning.

#ifndef NACRE_COMPILER_IMPORT_BINDING_OPERANDBINDER_H
#define NACRE_COMPILER_IMPORT_BINDING_OPERANDBINDER_H

#include "compiler/import/builder/NnBuilder.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/options/Limits.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <optional>
#include <vector>

namespace nacre::importer {

class GraphView;
class Signature;

/// Graph that is an attribute of a node: a branch, or the body of a loop.
struct NodeGraph {
  llvm::StringRef attribute;
  const GraphView &view;
  /// Expands the graph at the node's position with these values as its inputs. Returns its outputs, or failure after an
  /// error.
  std::function<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(llvm::ArrayRef<mlir::Value>)> import;
};

/// Node of a model, independent of its format.
struct Node {
  llvm::StringRef op;
  int64_t version;                         ///< Version of the operator set that the model uses.
  llvm::SmallVector<mlir::Value> operands; ///< null for a missing optional operand
  llvm::SmallVector<bool> results;         ///< true for each result that is used
  llvm::SmallVector<mlir::NamedAttribute> attributes;
  llvm::SmallVector<NodeGraph, 0> graphs = {};
  llvm::StringRef versionWord = "version"; ///< Name of the version in messages.
  const Signature *signature = nullptr;    ///< signature of the operator; set before its handler runs
};

class OperandBinder {
public:
  OperandBinder(const Node &node, NnBuilder nn);

  NnBuilder nn;

  llvm::StringRef getOp() const { return node.op; }
  int64_t getVersion() const { return node.version; }

  /// Reports an error about this node.
  mlir::InFlightDiagnostic error();
  /// True if an error about this node has been reported, by this class or by the builder.
  bool hasFailed() const { return failed || nn.getNumErrors() != errorsBefore; }
  /// Records that an error about this node has been reported elsewhere.
  void fail() { failed = true; }

  // Operands. Required operands are never null, and all operands have types that the operator's signature allows.
  size_t getNumOperands() const { return node.operands.size(); }
  mlir::Value getOperand(size_t index) const;
  llvm::ArrayRef<mlir::Value> getOperands() const { return node.operands; }

  /// Returns the name of an operand in messages: `operand 1 ('W')`.
  std::string nameOf(size_t index) const;

  /// Returns the elements of an operand that decides a shape. Reports an error if it is not constant or has more than
  /// `mostAxes` axes.
  mlir::FailureOr<llvm::SmallVector<int64_t>> getIntegers(size_t index, int64_t mostAxes = 1);
  mlir::FailureOr<llvm::SmallVector<double>> getNumbers(size_t index);
  /// Return the only element of such an operand.
  mlir::FailureOr<int64_t> getInteger(size_t index);
  mlir::FailureOr<double> getNumber(size_t index);

  // Checks of shapes. Each reports an error and returns false if it fails. Missing operands pass.
  /// Checks that the operand has between `low` and `high` axes.
  bool checkRank(size_t index, int64_t low, int64_t high);
  bool checkRank(size_t index, int64_t low) { return checkRank(index, low, maxRank); }
  /// Checks that the operand has the shape `wanted`. The error gives `reason` as the reason.
  bool checkShape(size_t index, Ints wanted, const llvm::Twine &reason);
  /// Checks that the operand broadcasts to `shape`, which the error calls the shape of `what`.
  bool checkBroadcastsTo(size_t index, Ints shape, llvm::StringRef what);
  /// Checks that a tensor of `shape`, which the error calls `what`, fits in memory.
  bool checkFits(Ints shape, llvm::StringRef what = "the result");
  /// Returns the shape to which the operands from index `first` on broadcast. Reports an error if they do not
  /// broadcast.
  mlir::FailureOr<llvm::SmallVector<int64_t>> broadcastOperands(size_t first = 0);

  // Attributes.
  bool has(llvm::StringRef name) const { return find(name).has_value(); }
  int64_t getInt(llvm::StringRef name, int64_t missing);
  bool getFlag(llvm::StringRef name, bool missing) { return getInt(name, missing) != 0; }
  double getFloat(llvm::StringRef name, double missing);
  llvm::StringRef getString(llvm::StringRef name, llvm::StringRef missing);
  llvm::SmallVector<int64_t> getInts(llvm::StringRef name, Ints missing = {});
  llvm::SmallVector<double> getFloats(llvm::StringRef name);
  llvm::SmallVector<llvm::StringRef> getStrings(llvm::StringRef name);
  mlir::ElementsAttr getTensor(llvm::StringRef name);
  mlir::Type getType(llvm::StringRef name, mlir::Type missing);
  /// Returns information of that name that the reader of the format passes to handlers, or null.
  mlir::Attribute getTold(llvm::StringRef name);
  /// Returns sizes along axes: `count` values between `low` and 2^31, or `count` times `missing` without the attribute.
  llvm::SmallVector<int64_t> getSizes(llvm::StringRef name, size_t count, int64_t missing, int64_t low);
  /// Declares that these attributes do not change the node's result.
  void ignore(std::initializer_list<llvm::StringRef> names) { seen.insert(names.begin(), names.end()); }

  /// Returns the value of the attribute, which must be one of `choices`. Returns the first choice if the attribute is
  /// missing, or after an error.
  llvm::StringRef getChoice(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> choices);

  /// Returns `axis` counted from the front of `rank` axes; a negative `axis` counts from the end. Reports an error if
  /// it is out of range.
  mlir::FailureOr<int64_t> getAxis(int64_t axis, int64_t rank);
  /// Returns several axes counted from the front, in the given order. Reports an error if they are not distinct.
  mlir::FailureOr<llvm::SmallVector<int64_t>> getAxes(Ints axes, int64_t rank);

  bool hasGraph(llvm::StringRef name) const {
    return llvm::any_of(node.graphs, [&](const NodeGraph &graph) { return graph.attribute == name; });
  }
  /// Returns the node's graph in the attribute `name`. Reports an error and returns null if there is no such graph.
  const NodeGraph *getGraph(llvm::StringRef name);
  /// Expands the graph at the node's position with `arguments` as its inputs. Returns its outputs.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> expand(const NodeGraph &graph, llvm::ArrayRef<mlir::Value> arguments);

  /// Returns a node of operator `op` with this node's attributes, for runHandler (ImportRegistry.h). That function
  /// reports attributes that neither operator has. The node has `numResults` results; only the first is used.
  Node describeAs(llvm::StringRef op, llvm::ArrayRef<mlir::Value> operands, size_t numResults = 1);

  /// Errors of a failed attempt, and the inputs whose unknown values contributed to it.
  struct Attempt {
    std::vector<mlir::Diagnostic> said;
    llvm::SetVector<llvm::StringRef> unfixedInputs;
  };
  /// Runs `work`. If it fails, undoes it and returns its errors without emitting them, so that the handler can try
  /// another way.
  std::optional<Attempt> attempt(llvm::function_ref<void()> work);
  /// Emits the errors of a failed attempt.
  void report(Attempt attempt);

  /// Reserves memory for a constant like NnBuilder::allowsConstant, but reports errors at this node.
  bool allowsConstant(int64_t count, int64_t elementBytes);

  // Results.
  size_t getNumResults() const { return node.results.size(); }
  bool wantsResult(size_t index) const { return index < node.results.size() && node.results[index]; }
  void setResult(size_t index, mlir::Value value);
  void setResult(mlir::Value value) { setResult(0, value); }
  /// Returns result `index` after it was set, for a handler that extends another one. Returns null after an error.
  mlir::Value getResult(size_t index) const { return hasFailed() ? mlir::Value() : results[index]; }

  /// Returns all results after checking that the handler has set them.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> finish();

private:
  std::optional<mlir::NamedAttribute> find(llvm::StringRef name) const;
  template <typename Attr> Attr get(llvm::StringRef name, llvm::StringRef kind);
  mlir::ElementsAttr getConstantOperand(size_t index, int64_t mostAxes);
  void refuseUnknown(llvm::StringRef attribute);

  const Node &node;
  bool failed = false;
  const size_t errorsBefore; ///< Number of errors that the builder had reported before, for other nodes.
  llvm::SmallVector<mlir::Value> results;
  llvm::StringSet<> seen;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BINDING_OPERANDBINDER_H
