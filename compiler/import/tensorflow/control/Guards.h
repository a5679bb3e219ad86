// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold for a value to be computed.
//
// What: a guard is a set of predicates, each with the side that is asked for. A value that a Switch hands out has the guard
//       of what the Switch reads and its own predicate; any other has those of all that it reads.
// How:  predicates are numbers, guards are sorted lists of them that are kept once and known by number.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_GUARDS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_GUARDS_H

#include "compiler/import/tensorflow/control/ControlGraph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <optional>

namespace nacre::importer::tensorflow_format {

/// A predicate and its side: 2 x predicate + side.
using Literal = unsigned;

class Guards {
public:
  using Guard = unsigned;
  static constexpr Guard always = 0, never = ~0u, tooDeep = ~0u - 1;
  /// How deeply conditionals may nest.
  static constexpr size_t mostLiterals = 64;

  Guards() { intern({}); }

  /// What holds where both do: `never` where they contradict each other, `tooDeep` where they are too many.
  Guard unite(Guard a, Guard b);
  Guard add(Guard guard, Literal literal) { return unite(guard, intern({literal})); }
  Guard remove(Guard guard, Literal literal);
  /// The guard that differs in the side of `literal` alone, where there is one yet.
  std::optional<Guard> findOpposite(Guard guard, Literal literal) const;

  /// Sorted. Of a guard that can hold.
  llvm::ArrayRef<Literal> getLiterals(Guard guard) const { return literals[guard]; }
  bool implies(Guard guard, llvm::ArrayRef<Literal> others) const;

private:
  Guard intern(std::vector<Literal> list);

  std::vector<llvm::ArrayRef<Literal>> literals; ///< each lies in `known`
  std::map<std::vector<Literal>, Guard> known;
  llvm::DenseMap<std::pair<Guard, Guard>, Guard> united;
};

/// One of the values that a Merge joins.
struct MergeInput {
  Port value;
  Port index; ///< what the Merge says of it: its place among the operands
  Guards::Guard guard;
};

/// Two of the values joined: one for each side of a predicate.
struct MergeStep {
  unsigned predicate;
  Guards::Guard guard; ///< of the result
  Port values[2], indices[2];
  Port value, index; ///< the results
};

/// Joins the inputs of Merge `node` two by two: those whose guards differ in one predicate alone, the one that is decided
/// last first. The last step gives the results of the Merge, others give results 2, 3, ... that it has not. Nothing where no
/// predicates decide between the inputs.
std::optional<std::vector<MergeStep>> foldMerge(Guards &guards, unsigned node, llvm::ArrayRef<MergeInput> inputs);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_GUARDS_H
