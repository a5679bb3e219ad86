// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  finds in a line of operators those that an exporter wrote out from a loop.
// Why:   a recurrent cell that is written once for each step is compiled once for each step, and no product of its inputs is one
//        for all; as a loop it is one body, like the same cell in any other spelling.
// How:   1. an anchor is an operator of which there are many alike that read one weight; there is one in each turn. A column is such
//        a row of operators, one for each turn. 2. from the anchors backwards: what their operands are in all turns is the same value,
//        a row of one tensor, the value of a column in this turn or in the turn before, or a new column, which first may lack
//        the last turns. 3. what these lack is found forwards, among the users of what is known; turns for which there is
//        nothing stay written out. 4. all that was found is checked, operand by operand. 5. where a turn may be seen to begin in
//        several places, the longest loop counts, then that which carries least.
//        Effort is bounded, however many anchors lead nowhere.

#ifndef NACRE_COMPILER_GRAPH_CONTROL_REPETITION_H
#define NACRE_COMPILER_GRAPH_CONTROL_REPETITION_H

#include <cstdint>
#include <optional>
#include <vector>

namespace nacre::graph {

constexpr unsigned kNone = ~0U;

/// Operators in order; they and values have numbers.
struct OperatorLine {
  struct Value {
    unsigned maker = kNone; ///< the operator that makes it; none: from outside
    unsigned result = 0;    ///< which of its results
    unsigned type = 0;
    bool isConstant = false;
  };
  struct Operator {
    unsigned kind = 0; ///< equal where operands of equal types give equal results; none: there is no other like it
    std::vector<unsigned> operands;
    std::vector<unsigned> results;
    unsigned broadcastTo = kNone; ///< a constant operand of this type may have lost axes
    bool isAnchor = false;        ///< may be what is looked for; the last operand is the weight
    unsigned rowsOf = kNone;      ///< it reads one row; equal where rows are along the same axis of the same value
    int64_t row = 0;
  };
  std::vector<Value> values;
  std::vector<Operator> operators;
};

struct Repetition {
  struct Operand {
    enum class Kind { Invariant, Row, Inner, Carried } kind = Kind::Invariant;
    unsigned value = kNone;          ///< the invariant; the first turn's row; what is carried into the first turn
    unsigned column = 0, result = 0; ///< what is read of this turn, or of the turn before
    int64_t rowStep = 0;
  };
  struct Column {
    std::vector<unsigned> operators; ///< one for each turn
    std::vector<Operand> operands;
  };
  unsigned turns = 0;
  std::vector<Column> columns; ///< in the order of one turn
};

/// The first chain of at least `minTurns` turns, each of which reads what the one before it computed, and a row of its own.
std::optional<Repetition> findRepetition(const OperatorLine &line, unsigned minTurns);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_CONTROL_REPETITION_H
