// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs of TensorFlow as text, a node a line, and raised graphs as text.
//
// What: `sum = Add x:1 y ^pivot`: its name, its operator, operands (result 0 where none is named), controls.
//       `frame=loop` names the loop of an Enter, `value=true` says that a predicate is known. `return a b` names the
//       outputs.

#ifndef NACRE_TEST_UNIT_COMPILER_CONTROL_CONTROLTEXT_H
#define NACRE_TEST_UNIT_COMPILER_CONTROL_CONTROLTEXT_H

#include "compiler/import/tensorflow/control/RaiseControl.h"

#include <deque>
#include <string>

namespace nacre::importer::tensorflow_format {

/// A loop that counts i from 0 to n and doubles x in each iteration.
constexpr char kDoubling[] = R"(
    zero = Const
    n = Const
    x = Placeholder
    ei = Enter zero frame=L
    ex = Enter x frame=L
    en = Enter n frame=L
    mi = Merge ei ni
    mx = Merge nx ex
    less = Less mi en
    go = LoopCond less
    si = Switch mi go
    sx = Switch mx go
    iteration = Identity si:1
    one = Const ^iteration
    i = Add iteration one
    y = Add sx:1 sx:1
    ni = NextIteration i
    nx = NextIteration y
    out = Exit sx
    return out
)";

struct ControlText {
  std::deque<std::string> text; ///< Storage of the names
  std::vector<ControlNode> nodes;
  std::vector<std::optional<bool>> known; ///< Predicates of nodes, where they are known
  std::vector<Port> outputs;
};

ControlText parseControl(llvm::StringRef text);

std::string printRaised(const ControlText &given, const RaisedGraph &graph);

/// Returns the raised graph, or the name of a node and its error.
std::string raiseText(const ControlText &given);
inline std::string raiseText(llvm::StringRef text) { return raiseText(parseControl(text)); }

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_TEST_UNIT_COMPILER_CONTROL_CONTROLTEXT_H
