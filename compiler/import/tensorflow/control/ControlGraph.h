// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph of TensorFlow as the raising of its control flow sees it, and what is raised from it.
//
// What: a graph in which Switch and Merge stand for conditionals, and Enter, NextIteration and Exit for loops, is given
//       as nodes with operands; the same computation is returned as parts: lists of nodes, conditionals with two parts, loops
//       with a condition and a body.
// Why:  nothing behind the reader knows of dead values and frames, and the raising can be tested alone.
// How:  plain structs, no protobuf and no IR. A raised value keeps the name that it has in the graph, node and result: what
//       only hands a value on (Switch, Enter, Exit, LoopCond, NextIteration) is no node of a part, and whoever reads it
//       reads the value that it hands on.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_CONTROLGRAPH_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_CONTROLGRAPH_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <tuple>
#include <vector>

namespace nacre::importer::tensorflow_format {

//===----------------------------------------------------------------------===//
// What is given
//===----------------------------------------------------------------------===//

/// A result of a node.
struct Port {
  static constexpr unsigned none = ~0u, number = ~0u - 1;

  unsigned node = none; ///< `number`: no node's result but the i32 scalar `result`
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
  GradientStack, ///< what only the gradient of a loop needs
};

/// Of an operator by its name; those that take references are the same.
ControlKind getControlKind(llvm::StringRef op);

struct ControlNode {
  llvm::StringRef name, op;
  llvm::SmallVector<Port, 2> operands;
  llvm::SmallVector<unsigned, 0> controls; ///< the nodes that must have run before
  llvm::StringRef frame = {};              ///< of Enter: the loop that is entered
};

//===----------------------------------------------------------------------===//
// What is raised
//===----------------------------------------------------------------------===//

/// A node, a conditional or a loop by its place among those of the graph.
struct RaisedItem {
  enum class Kind : uint8_t { Node, Conditional, Loop } kind;
  unsigned index;
};

/// Items, each behind what it reads, and what is handed out. A part also reads values of the parts around it.
struct RaisedPart {
  std::vector<RaisedItem> items;
  std::vector<Port> results;
};

/// Computes one of two parts.
struct RaisedConditional {
  Port predicate;
  RaisedPart parts[2];        ///< for a predicate that is false, and for one that is true
  std::vector<Port> values;   ///< what the results of either part are called behind it: results of Merges
  std::vector<Port> captures; ///< what the parts read from outside, in order
};

/// A value that one iteration of a loop hands to the next: the result of a Merge. In the condition and in the body it stands for
/// the value in this iteration, behind the loop for that of the last one.
struct CarriedValue {
  Port value;
  Port init;
};

/// A comparison of a counter with a limit, all of which must hold for one more iteration.
struct LoopCount {
  enum class Comparison : uint8_t { Less, LessEqual, Greater, GreaterEqual };

  unsigned carried; ///< the counter among the carried values
  Comparison comparison;
  Port limit; ///< the same in all iterations
  Port step;  ///< what an iteration adds to the counter; the same in all iterations
  bool isSubtracted = false;
};

struct RaisedLoop {
  unsigned node; ///< the LoopCond
  llvm::StringRef frame;
  std::vector<CarriedValue> carried;
  RaisedPart condition; ///< one result: whether there is one more iteration
  RaisedPart body;      ///< the carried values of the next iteration
  std::vector<LoopCount> counts;
  bool isCounted = false;     ///< the counts alone decide
  std::vector<Port> captures; ///< what condition and body read from outside, in order
};

struct RaisedGraph {
  RaisedPart main;
  std::vector<RaisedConditional> conditionals;
  std::vector<RaisedLoop> loops;
  std::vector<llvm::SmallVector<Port, 2>> operands; ///< of each node of the graph that is an item
};

/// Why a graph cannot be raised: what must hold of a node, and what to do.
struct ControlProblem {
  unsigned node;
  std::string message;
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_CONTROLGRAPH_H
