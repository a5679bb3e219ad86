// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the operators of an unrolled loop in a list of operators. An unrolled recurrent cell is compiled once per step,
// and its steps cannot share a product of their inputs. As a loop, it has one body, like the same cell in any other
// form.
//
// 1. Anchors are equal operators that read the same weight, one per iteration. A column is a list of such operators,
//    one per iteration.
// 2. Search backwards from the anchors. Each operand is one of these in all iterations: the same value, a row of one
//    tensor, a column in this or the previous iteration, or a new column. The last iterations may be missing at first.
// 3. Search forwards for missing operators among the users of known ones. Iterations that remain incomplete stay
//    unrolled.
// 4. Check everything, operand by operand.
// 5. If an iteration can begin at several places, prefer the longest loop, then the one with the fewest carried values.
//
// The effort is bounded, even if many anchors lead to no loop.

#ifndef NACRE_COMPILER_GRAPH_CONTROL_REPETITION_H
#define NACRE_COMPILER_GRAPH_CONTROL_REPETITION_H

#include <cstdint>
#include <optional>
#include <vector>

namespace nacre::graph {

constexpr unsigned kNone = ~0U;

/// Operators in order. Operators and values are identified by their numbers.
struct OperatorLine {
  struct Value {
    unsigned maker = kNone; ///< operator that computes it; kNone for values from outside
    unsigned result = 0;    ///< index among its results
    unsigned type = 0;
    bool isConstant = false;
  };
  struct Operator {
    unsigned kind = 0; ///< equal if equal operands give equal results; kNone if unique
    std::vector<unsigned> operands;
    std::vector<unsigned> results;
    unsigned broadcastTo = kNone; ///< type to which a constant operand, which may lack axes, broadcasts
    bool isAnchor = false;        ///< true if it may be an anchor; the last operand is the weight
    unsigned rowsOf = kNone;      ///< number shared by readers of single rows along the same axis of the same value
    int64_t row = 0;
  };
  std::vector<Value> values;
  std::vector<Operator> operators;
};

struct Repetition {
  struct Operand {
    enum class Kind { Invariant, Row, Inner, Carried } kind = Kind::Invariant;
    unsigned value = kNone;          ///< the invariant, the first iteration's row, or the initial carried value
    unsigned column = 0, result = 0; ///< value of this or the previous iteration
    int64_t rowStep = 0;
  };
  struct Column {
    std::vector<unsigned> operators; ///< one per iteration
    std::vector<Operand> operands;
  };
  unsigned iterations = 0;
  std::vector<Column> columns; ///< columns in the order of an iteration
};

/// Returns the first chain of at least `minIterations` iterations. Each of them reads the result of the previous one
/// and its own row.
std::optional<Repetition> findRepetition(const OperatorLine &line, unsigned minIterations);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_CONTROL_REPETITION_H
