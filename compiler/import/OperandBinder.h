// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One node of a model, as the handler of its operator sees it.
//
// What: typed access to operands and attributes, and a place for the results.
// Why:  handlers say what an operator means and nothing else; every complaint about a node is made here, once, in the
//       same words.
// How:  a wrong attribute is reported and its default returned, so that a handler need not stop. What the handler has
//       not looked at by its end is an error too: an attribute that we do not know may change the meaning.

#ifndef NACRE_COMPILER_IMPORT_OPERANDBINDER_H
#define NACRE_COMPILER_IMPORT_OPERANDBINDER_H

#include "compiler/import/Import.h"
#include "compiler/import/NnBuilder.h"
#include "compiler/import/TypeNames.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <optional>
#include <vector>

namespace nacre::importer {

class GraphView;
class Signature;

/// A graph that a node has as an attribute: a branch, the body of a loop.
struct NodeGraph {
  llvm::StringRef attribute;
  const GraphView &view;
  /// Its outputs for these inputs, computed in place of the node; failure after an error.
  std::function<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(llvm::ArrayRef<mlir::Value>)> import;
};

/// What a node says, independent of the model's format.
struct Node {
  llvm::StringRef op;
  int64_t version;                         ///< of the operator set the model uses
  llvm::SmallVector<mlir::Value> operands; ///< null where an optional operand is left out
  llvm::SmallVector<bool> results;         ///< whether each result is used
  llvm::SmallVector<mlir::NamedAttribute> attributes;
  llvm::SmallVector<NodeGraph, 0> graphs = {};
  llvm::StringRef versionWord = "version"; ///< how messages call it
  const Signature *signature = nullptr;    ///< of the operator; set before its handler runs
};

class OperandBinder {
public:
  OperandBinder(const Node &node, NnBuilder nn);

  NnBuilder nn;

  llvm::StringRef getOp() const { return node.op; }
  int64_t getVersion() const { return node.version; }

  /// Reports an error about this node.
  mlir::InFlightDiagnostic error();
  /// Whether an error about this node has been reported, here or by the builder.
  bool hasFailed() const { return failed || nn.getNumErrors() != errorsBefore; }
  /// Says that an error about this node has been reported.
  void fail() { failed = true; }

  // Operands. Those that the operator requires are never null, and all have types that its signature allows.
  size_t getNumOperands() const { return node.operands.size(); }
  mlir::Value getOperand(size_t index) const;
  llvm::ArrayRef<mlir::Value> getOperands() const { return node.operands; }

  /// How messages call an operand: `operand 1 ('W')`.
  std::string nameOf(size_t index) const;

  /// The elements of an operand that decides a shape and must therefore be known; it has at most one axis, or `mostAxes`.
  mlir::FailureOr<llvm::SmallVector<int64_t>> getIntegers(size_t index, int64_t mostAxes = 1);
  mlir::FailureOr<llvm::SmallVector<double>> getNumbers(size_t index);
  /// The same of an operand that holds one element.
  mlir::FailureOr<int64_t> getInteger(size_t index);
  mlir::FailureOr<double> getNumber(size_t index);

  // What must hold of shapes. Each reports an error and is false where it does not; operands that are left out pass.
  /// The operand has between `low` and `high` axes.
  bool checkRank(size_t index, int64_t low, int64_t high);
  bool checkRank(size_t index, int64_t low) { return checkRank(index, low, maxRank); }
  /// The operand has the shape `wanted`, which `reason` explains.
  bool checkShape(size_t index, Ints wanted, const llvm::Twine &reason);
  /// The operand broadcasts to `shape`, the shape of `what`, without making it larger.
  bool checkBroadcastsTo(size_t index, Ints shape, llvm::StringRef what);
  /// Memory can hold `what`, a tensor of `shape`.
  bool checkFits(Ints shape, llvm::StringRef what = "the result");
  /// The shape that operands `first` to the last one have together when broadcast; fails where they do not.
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
  /// What the view of a format tells its own handlers; null where it tells nothing.
  mlir::Attribute getTold(llvm::StringRef name);
  /// Sizes along axes: `count` numbers between `low` and 2^31, or as many times `missing`.
  llvm::SmallVector<int64_t> getSizes(llvm::StringRef name, size_t count, int64_t missing, int64_t low);
  /// Says that attributes do not change what the node computes here.
  void ignore(std::initializer_list<llvm::StringRef> names) { seen.insert(names.begin(), names.end()); }

  /// One of `choices`, the first where the attribute is missing; reports an error and returns the first for another.
  llvm::StringRef getChoice(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> choices);

  /// `axis` counted from the front, where negative ones count from the end of `rank` axes.
  mlir::FailureOr<int64_t> getAxis(int64_t axis, int64_t rank);
  /// The same for several, which must differ; in the order given.
  mlir::FailureOr<llvm::SmallVector<int64_t>> getAxes(Ints axes, int64_t rank);

  bool hasGraph(llvm::StringRef name) const {
    return llvm::any_of(node.graphs, [&](const NodeGraph &graph) { return graph.attribute == name; });
  }
  /// The node's graph of that name; reports an error and returns null where it has none.
  const NodeGraph *getGraph(llvm::StringRef name);
  /// What the graph computes of `arguments`, in place of the node.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> expand(const NodeGraph &graph, llvm::ArrayRef<mlir::Value> arguments);

  /// What came of an attempt that has failed.
  struct Attempt {
    std::vector<mlir::Diagnostic> said;
    llvm::SetVector<llvm::StringRef> unfixedInputs;
  };
  /// Whether `work` goes without an error, or else what it would have said: then nothing has been, and the node goes on.
  std::optional<Attempt> attempt(llvm::function_ref<void()> work);
  /// Says it after all, where nothing else has helped.
  void report(Attempt attempt);

  /// NnBuilder's, whose error is one of this node.
  bool allowsConstant(int64_t count, int64_t elementBytes);

  // Results.
  size_t getNumResults() const { return node.results.size(); }
  bool wantsResult(size_t index) const { return index < node.results.size() && node.results[index]; }
  void setResult(size_t index, mlir::Value value);
  void setResult(mlir::Value value) { setResult(0, value); }
  /// What was set, for a handler that goes on where another has ended; null after an error.
  mlir::Value getResult(size_t index) const { return hasFailed() ? mlir::Value() : results[index]; }

  /// The results, after checking that the handler left nothing out.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> finish();

private:
  std::optional<mlir::NamedAttribute> find(llvm::StringRef name) const;
  template <typename Attr> Attr get(llvm::StringRef name, llvm::StringRef kind);
  mlir::ElementsAttr getConstantOperand(size_t index, int64_t mostAxes);
  void refuseUnknown(llvm::StringRef attribute);

  const Node &node;
  bool failed = false;
  const size_t errorsBefore; ///< that the builder has reported for other nodes
  llvm::SmallVector<mlir::Value> results;
  llvm::StringSet<> seen;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPERANDBINDER_H
