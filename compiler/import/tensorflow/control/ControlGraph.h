// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input and result of raising the control flow of a TensorFlow graph.
//
// The input is a graph of nodes with operands. Switch and Merge stand for conditionals; Enter, NextIteration and Exit
// stand for loops. The result is the same computation as parts. A part is a list of nodes, of conditionals with two
// parts, and of loops with a condition and a body. So code after the reader needs no dead values and frames, and
// raising can be tested separately.
//
// The structs use neither protobuf nor IR. A raised value keeps the node and result that it has in the graph. Nodes
// that only pass a value on (Switch, Enter, Exit, LoopCond, NextIteration) are in no part. Their readers read the value
// that is passed on.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_CONTROLGRAPH_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_CONTROLGRAPH_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <tuple>
#include <vector>

namespace nacre::importer::tensorflow_format {

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

/// A result of a node.
struct Port {
  static constexpr unsigned none = ~0u, number = ~0u - 1;

  unsigned node = none; ///< `number` if the port is not a result of a node but the constant `result`, an i32 scalar
  unsigned result = 0;

  bool isNumber() const { return node == number; }
  bool operator==(const Port &other) const { return node == other.node && result == other.result; }
  bool operator!=(const Port &other) const { return !(*this == other); }
  bool operator<(const Port &other) const { return std::tie(node, result) < std::tie(other.node, other.result); }
};

enum class ControlKind : uint8_t {
  None, ///< an operator that computes
  Identity,
  Switch,
  Merge,
  Enter,
  Exit,
  NextIteration,
  LoopCond,
  GradientStack, ///< operation that only the gradient of a loop needs
};

/// Returns the kind of an operator. Variants that take references have the same kind.
ControlKind getControlKind(llvm::StringRef op);

struct ControlNode {
  llvm::StringRef name, op;
  llvm::SmallVector<Port, 2> operands;
  llvm::SmallVector<unsigned, 0> controls; ///< nodes that must run before this node
  llvm::StringRef frame = {};              ///< only for Enter: the loop that is entered
};

//===----------------------------------------------------------------------===//
// Result
//===----------------------------------------------------------------------===//

/// A node, a conditional or a loop, by its index in the graph.
struct RaisedItem {
  enum class Kind : uint8_t { Node, Conditional, Loop } kind;
  unsigned index;
};

/// Items, each after the items that it reads, and results. A part also reads values of the parts around it.
struct RaisedPart {
  std::vector<RaisedItem> items;
  std::vector<Port> results;
};

/// A conditional: the computation of one of two parts.
struct RaisedConditional {
  Port predicate;
  RaisedPart parts[2];        ///< first for a false predicate, then for a true one
  std::vector<Port> values;   ///< results of Merges, which stand for the results of the computed part after the
                              ///< conditional
  std::vector<Port> captures; ///< values that the parts read from outside, in order
};

/// A value that one iteration of a loop passes to the next: the result of a Merge. Inside the condition and the body,
/// `value` stands for the value in the current iteration. After the loop, it stands for the value in the last
/// iteration.
struct CarriedValue {
  Port value;
  Port init;
};

/// A comparison of a counter with a limit. A loop continues only if all its comparisons are true.
struct LoopCount {
  enum class Comparison : uint8_t { Less, LessEqual, Greater, GreaterEqual };

  unsigned carried; ///< index of the counter among the carried values
  Comparison comparison;
  Port limit; ///< invariant in the loop
  Port step;  ///< added to the counter in each iteration; invariant in the loop
  bool isSubtracted = false;
};

struct RaisedLoop {
  unsigned node; ///< the LoopCond
  llvm::StringRef frame;
  std::vector<CarriedValue> carried;
  RaisedPart condition; ///< its only result is true if the loop continues
  RaisedPart body;      ///< results are the carried values of the next iteration
  std::vector<LoopCount> counts;
  bool isCounted = false;     ///< true if the counts are the whole condition
  std::vector<Port> captures; ///< values that condition and body read from outside, in order
};

struct RaisedGraph {
  RaisedPart main;
  std::vector<RaisedConditional> conditionals;
  std::vector<RaisedLoop> loops;
  std::vector<llvm::SmallVector<Port, 2>> operands; ///< operands of each node that is an item of a part, by the node's
                                                    ///< index
};

/// The reason why a graph cannot be raised: a message about a node.
struct ControlProblem {
  unsigned node;
  std::string message;
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_CONTROLGRAPH_H
