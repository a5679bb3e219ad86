// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: the predicates that must hold for a value to be computed.
//
// A guard is a set of predicates, each with the required side. The guard of a Switch's result contains the guard of the
// Switch's operand and the Switch's own predicate. The guard of every other value contains the guards of all operands.
// Predicates are numbered. A guard is a sorted list of literals; each list is stored once and identified by its index.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_GUARDS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_GUARDS_H

#include "compiler/import/tensorflow/control/ControlGraph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <optional>

namespace nacre::importer::tensorflow_format {

/// A predicate and its required side, as 2 x predicate + side.
using Literal = unsigned;

class Guards {
public:
  using Guard = unsigned;
  static constexpr Guard always = 0, never = ~0u, tooDeep = ~0u - 1;
  /// Maximum nesting depth of conditionals.
  static constexpr size_t mostLiterals = 64;

  Guards() { intern({}); }

  /// Returns the guard that holds if both `a` and `b` hold. Returns `never` if they contradict each other, or `tooDeep`
  /// if there are too many predicates.
  Guard unite(Guard a, Guard b);
  Guard add(Guard guard, Literal literal) { return unite(guard, intern({literal})); }
  Guard remove(Guard guard, Literal literal);
  /// Returns the guard that differs from `guard` only in the side of `literal`, or nullopt if no such guard exists yet.
  std::optional<Guard> findOpposite(Guard guard, Literal literal) const;

  /// Returns the sorted literals of a guard, which must not be `never` or `tooDeep`.
  llvm::ArrayRef<Literal> getLiterals(Guard guard) const { return literals[guard]; }
  bool implies(Guard guard, llvm::ArrayRef<Literal> others) const;

private:
  Guard intern(std::vector<Literal> list);

  std::vector<llvm::ArrayRef<Literal>> literals; ///< lists of all guards, which refer to the keys of `known`
  std::map<std::vector<Literal>, Guard> known;
  llvm::DenseMap<std::pair<Guard, Guard>, Guard> united;
};

/// A value that a Merge joins.
struct MergeInput {
  Port value;
  Port index; ///< second result of the Merge if it passes this value on: the value's index among the operands
  Guards::Guard guard;
};

/// Step that joins two values: one for each side of a predicate.
struct MergeStep {
  unsigned predicate;
  Guards::Guard guard; ///< guard of the result
  Port values[2], indices[2];
  Port value, index; ///< results of the step
};

/// Joins the inputs of the Merge `node` in pairs whose guards differ only in the side of one predicate. Predicates that
/// are decided last are joined first. The last step computes the results 0 and 1 of the Merge. The other steps compute
/// new results 2, 3, ... of the Merge. Returns nullopt if no predicates decide between the inputs.
std::optional<std::vector<MergeStep>> foldMerge(Guards &guards, unsigned node, llvm::ArrayRef<MergeInput> inputs);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_CONTROL_GUARDS_H
