// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the operators of an unrolled loop in a list of operators. Each step of an unrolled recurrent cell is compiled
// separately, and the steps cannot share one product of their inputs. As a loop, the cell has one body, like a cell
// that the model itself writes as a loop.
//
// 1. Find anchors: equal operators that read the same weight, one per iteration. A column is a list of equal operators,
//    one per iteration.
// 2. Search backwards from the anchors. Each operand must be of the same sort in all iterations: the same value, a row
//    of one tensor, a column in this or the previous iteration, or a new column. The last iterations may be missing at
//    first.
// 3. Search forwards for missing operators among the users of known ones. Iterations that remain incomplete stay
//    unrolled.
// 4. Check everything, operand by operand.
// 5. An iteration can begin at several operators. Prefer the longest loop, then the loop with the fewest carried
//    values.
//
// The effort is bounded, even if many anchors lead to no loop.

#ifndef NACRE_COMPILER_GRAPH_CONTROL_REPETITION_H
#define NACRE_COMPILER_GRAPH_CONTROL_REPETITION_H

#include <cstdint>
#include <optional>
#include <vector>

namespace nacre::graph {

constexpr unsigned kNone = ~0U;

/// Operators of a block, in order. Operators and values are identified by their indices.
struct OperatorLine {
  struct Value {
    unsigned maker = kNone; ///< Operator that computes the value; kNone for values from outside.
    unsigned result = 0;    ///< Index among the results of the maker.
    unsigned type = 0;
    bool isConstant = false;
  };
  struct Operator {
    unsigned kind = 0; ///< Equal kinds compute equal results; kNone if unique.
    std::vector<unsigned> operands;
    std::vector<unsigned> results;
    unsigned broadcastTo = kNone; ///< Index that is equal for readers of single rows of the same axis and value.
    bool isAnchor = false;        ///< True if it may be an anchor. The last operand is then the weight.
    unsigned rowsOf = kNone;      ///< Index of the rows; equal for readers of the same value and axis.
    int64_t row = 0;
  };
  std::vector<Value> values;
  std::vector<Operator> operators;
};

struct Repetition {
  struct Operand {
    enum class Kind { Invariant, Row, Inner, Carried } kind = Kind::Invariant;
    unsigned value = kNone;          ///< Invariant value, row of the first iteration, or initial carried value.
    unsigned column = 0, result = 0; ///< Value of this or the previous iteration.
    int64_t rowStep = 0;
  };
  struct Column {
    std::vector<unsigned> operators; ///< Operators, one per iteration.
    std::vector<Operand> operands;
  };
  unsigned iterations = 0;
  std::vector<Column> columns; ///< Columns in the order of the operators in an iteration.
};

/// Returns the first chain of at least `minIterations` iterations, or `nullopt`. Each iteration reads a result of the
/// previous one and its own row.
std::optional<Repetition> findRepetition(const OperatorLine &line, unsigned minIterations);

} // namespace nacre::graph

#endif // NACRE_COMPILER_GRAPH_CONTROL_REPETITION_H
