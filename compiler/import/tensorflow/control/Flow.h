// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value that each node of a graph passes on, the guard under which it is computed, and its loop.
//
// How:  one walk over the nodes in their order.
//       1. A Switch passes its operand on under one side of its predicate. If the predicate is known, the other result
//          is dead, and so are all its readers.
//       2. A Merge joins values that are not dead. A single value is passed on; several are joined by their guards.
//       3. Enter leads into a loop, Exit out of it. Every node that reads a value of a loop is in that loop.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_FLOW_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_FLOW_H

#include "compiler/import/tensorflow/control/Guards.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nacre::importer::tensorflow_format {

/// Returns the value of a predicate if it is known at compile time; otherwise nullopt.
using KnownPredicate = llvm::function_ref<std::optional<bool>(Port)>;

/// A frame: a loop, which has a name. The first frame is not a loop but the graph around all loops.
struct LoopFrame {
  llvm::StringRef name;
  unsigned parent = 0;
  unsigned depth = 0;
  unsigned condition = Port::none; ///< the loop's LoopCond
  std::vector<unsigned> carried;   ///< the loop's Merges whose value a NextIteration changes, in order
};

class Flow {
public:
  explicit Flow(llvm::ArrayRef<ControlNode> nodes);

  /// Maximum nesting depth of loops.
  static constexpr unsigned mostFrames = 64;

  std::optional<ControlProblem> analyze(llvm::ArrayRef<unsigned> order, KnownPredicate getKnown);

  /// Returns the value that `port` passes on, or `port` itself if its node computes.
  Port trace(Port port);
  /// Like trace(), but also looks through Identity.
  Port traceIdentity(Port port);

  llvm::ArrayRef<ControlNode> nodes;
  std::vector<ControlKind> kinds;
  Guards guards;
  /// Guards under which nodes are computed. For a Switch, this is the guard of its operands, without its own predicate.
  std::vector<Guards::Guard> nodeGuards;
  std::vector<unsigned> nodeFrames;
  std::vector<LoopFrame> frames;
  /// Predicates, in the order of their indices.
  std::vector<Port> predicates;
  /// Steps of each Merge that joins several values; empty if no predicates decide between them.
  llvm::DenseMap<unsigned, std::vector<MergeStep>> merges;

  Guards::Guard getGuard(Port port);
  bool isDead(Port port) { return getGuard(port) == Guards::never; }
  bool isCarried(unsigned node) const { return carriedNext[node].node != Port::none; }
  /// Return the initial value of a carried value, and its value in the next iteration.
  Port getInit(unsigned merge) { return trace(carriedInit[merge]); }
  Port getNext(unsigned merge) { return trace(carriedNext[merge]); }

private:
  Guards::Guard uniteOperands(unsigned node);
  std::optional<ControlProblem> analyzeGuards(unsigned node, KnownPredicate getKnown);
  void analyzeSwitch(unsigned node, KnownPredicate getKnown);
  std::optional<ControlProblem> analyzeMerge(unsigned node);
  std::optional<ControlProblem> analyzeCarried(unsigned node, unsigned next);

  std::optional<ControlProblem> analyzeFrames(llvm::ArrayRef<unsigned> order);
  std::optional<ControlProblem> analyzeFrame(unsigned node);
  std::optional<ControlProblem> enterFrame(unsigned node, unsigned from);

  std::optional<ControlProblem> findCarried(llvm::ArrayRef<unsigned> order);
  std::optional<ControlProblem> judgeIterations(unsigned node);

  std::vector<Port> aliases;      ///< value that each node passes on; a port with the node `none` if the node computes
  std::vector<Port> aliasIndices; ///< value of the second result of each Merge that passes one value on
  std::vector<Port> throughIdentity;
  std::vector<bool> isLoopCondition; ///< true for LoopCond and an Identity of it
  std::vector<unsigned> switchPredicates;
  std::vector<std::optional<bool>> switchSides; ///< side that the known predicate of each Switch selects
  std::vector<uint8_t> iterationSides;          ///< bits of each node: 1 if it reads values that leave the loop, 2 if
                                                ///< it reads values of the next iteration
  std::vector<Port> carriedInit, carriedNext;   ///< operands of a Merge that a NextIteration feeds: the Enter and the
                                                ///< NextIteration
  std::map<Port, unsigned> predicateNumbers;
  llvm::DenseMap<llvm::StringRef, unsigned> frameNumbers;
  bool haveFramesChanged = false;
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_FLOW_H
