// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every node of a graph hands on, when it is computed, and in which loop.
//
// How:  one walk over the nodes in their order.
//       1. A Switch hands on what it reads where its predicate has one side; where the predicate is known, the other result
//          is dead, and so is all that reads it.
//       2. A Merge joins what is not dead: one value is handed on, several are joined by what guards them.
//       3. Enter leads into a loop, Exit out of it; all that reads a value of a loop is in that loop.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_FLOW_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_FLOW_H

#include "compiler/import/tensorflow/control/Guards.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nacre::importer::tensorflow_format {

/// Whether a value is known when the model is compiled, and then which: a predicate.
using KnownPredicate = llvm::function_ref<std::optional<bool>(Port)>;

/// A loop by its name; the first is no loop but the graph around all.
struct LoopFrame {
  llvm::StringRef name;
  unsigned parent = 0;
  unsigned depth = 0;
  unsigned condition = Port::none; ///< its LoopCond
  std::vector<unsigned> carried;   ///< its Merges that a NextIteration feeds with another value, in order
};

class Flow {
public:
  explicit Flow(llvm::ArrayRef<ControlNode> nodes);

  /// How deeply loops may nest.
  static constexpr unsigned mostFrames = 64;

  std::optional<ControlProblem> analyze(llvm::ArrayRef<unsigned> order, KnownPredicate getKnown);

  /// The value that `port` hands on.
  Port trace(Port port);
  /// The same, looking through Identity.
  Port traceIdentity(Port port);

  llvm::ArrayRef<ControlNode> nodes;
  std::vector<ControlKind> kinds;
  Guards guards;
  /// Of each node, whatever result of it is read; of a Switch what must hold for it to be reached.
  std::vector<Guards::Guard> nodeGuards;
  std::vector<unsigned> nodeFrames;
  std::vector<LoopFrame> frames;
  /// Of predicates, by number.
  std::vector<Port> predicates;
  /// Of a Merge of several values; none where no predicates decide between them.
  llvm::DenseMap<unsigned, std::vector<MergeStep>> merges;

  Guards::Guard getGuard(Port port);
  bool isDead(Port port) { return getGuard(port) == Guards::never; }
  bool isCarried(unsigned node) const { return carriedNext[node].node != Port::none; }
  /// What a carried value begins with, and what it is in the next iteration.
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

  std::vector<Port> aliases;      ///< what a node hands on; none where it computes
  std::vector<Port> aliasIndices; ///< the second result of a Merge that hands on one value
  std::vector<Port> throughIdentity;
  std::vector<bool> isLoopCondition; ///< LoopCond or an Identity of it
  std::vector<unsigned> switchPredicates;
  std::vector<std::optional<bool>> switchSides; ///< of a predicate that is known
  std::vector<uint8_t> iterationSides;          ///< 1: read of what leaves the loop, 2: of what goes on
  std::vector<Port> carriedInit, carriedNext;   ///< of a Merge that NextIteration feeds: Enter, NextIteration
  std::map<Port, unsigned> predicateNumbers;
  llvm::DenseMap<llvm::StringRef, unsigned> frameNumbers;
  bool haveFramesChanged = false;
};

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_FLOW_H
