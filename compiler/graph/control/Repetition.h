// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Finds the operators of an unrolled loop in a list of operators.
// Why:   An unrolled recurrent cell is compiled once per step, and its steps cannot share a product of their inputs. As a loop, it
//        has one body, like the same cell in any other form.
// How:   1. Anchors are equal operators that read the same weight, one per iteration. A column is a list of such operators, one
//        per iteration. 2. Search backwards from the anchors: in all iterations, an operand is the same value, a row of one tensor, the
//        value of a column in this or the previous iteration, or a new column, in which the last iterations may be missing at
//        first. 3. Search forwards for missing operators among the users of known ones; iterations that remain incomplete
//        stay unrolled. 4. Check everything, operand by operand. 5. If an iteration can begin at several places, prefer the
//        longest loop, then the one with the fewest carried values.
//        The effort is bounded, even if many anchors lead to nothing.

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
    unsigned maker = kNone; ///< the operator that computes it; none: from outside
    unsigned result = 0;    ///< which of its results
    unsigned type = 0;
    bool isConstant = false;
  };
  struct Operator {
    unsigned kind = 0; ///< equal if equal operands give equal results; none: unique
    std::vector<unsigned> operands;
    std::vector<unsigned> results;
    unsigned broadcastTo = kNone; ///< a constant operand of this type may have lost axes
    bool isAnchor = false;        ///< may be an anchor; the last operand is the weight
    unsigned rowsOf = kNone;      ///< it reads one row; equal for rows along the same axis of the same value
    int64_t row = 0;
  };
  std::vector<Value> values;
  std::vector<Operator> operators;
};

struct Repetition {
  struct Operand {
    enum class Kind { Invariant, Row, Inner, Carried } kind = Kind::Invariant;
    unsigned value = kNone;          ///< the invariant; the first iteration's row; the initial carried value
    unsigned column = 0, result = 0; ///< the value of this or the previous iteration
    int64_t rowStep = 0;
  };
  struct Column {
    std::vector<unsigned> operators; ///< one per iteration
    std::vector<Operand> operands;
  };
  unsigned iterations = 0;
  std::vector<Column> columns; ///< in the order of an iteration
};

/// Returns the first chain of at least `minIterations` iterations, each of which reads the result of the previous one and its own row.
std::optional<Repetition> findRepetition(const OperatorLine &line, unsigned minIterations);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_CONTROL_REPETITION_H
