// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that a test writes out in any order are found again; what is no loop is not.

#include "compiler/graph/control/Repetition.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <random>

using namespace nacre::graph;

namespace {

using Kind = Repetition::Operand::Kind;

class LineBuilder {
public:
  unsigned outside(bool isConstant = false, unsigned type = 0) {
    OperatorLine::Value value;
    value.type = type;
    value.isConstant = isConstant;
    line.values.push_back(value);
    return line.values.size() - 1;
  }
  unsigned op(unsigned kind, std::vector<unsigned> operands, bool isAnchor = false) {
    OperatorLine::Value value;
    value.maker = line.operators.size();
    line.values.push_back(value);
    OperatorLine::Operator entry;
    entry.kind = kind;
    entry.operands = std::move(operands);
    entry.results = {unsigned(line.values.size() - 1)};
    entry.broadcastTo = broadcastTo;
    entry.isAnchor = isAnchor;
    line.operators.push_back(entry);
    return line.values.size() - 1;
  }
  unsigned row(unsigned tensor, int64_t index) {
    unsigned value = op(1000 + unsigned(index), {tensor});
    line.operators.back().rowsOf = tensor;
    line.operators.back().row = index;
    return value;
  }

  OperatorLine line;
  unsigned broadcastTo = kNone; ///< Shape of all operators from here on
};

/// One operator of an iteration: its operands are values of the iteration, by number: the rows, the states, then what
/// operators made.
struct BodyOperator {
  unsigned kind;
  std::vector<unsigned> operands;
};

/// A body of an anchor, which reads state 0 and is read by all states, an operator that reads a row, and others at
/// random.
struct Body {
  unsigned rows, states, invariants;
  std::vector<BodyOperator> operators;

  explicit Body(std::mt19937 &random) {
    auto below = [&](unsigned limit) { return unsigned(random() % limit); };
    rows = 1 + below(2), states = 1 + below(3), invariants = 1;
    const unsigned first = rows + states, size = 2 + states + below(6);
    operators.push_back({0, {rows}});
    for (unsigned number = 1; number < size; ++number) {
      // The operator before, so that all of an iteration hangs together; kinds differ, so that there is one way to see
      // it.
      operators.push_back({number, {first + number - 1, number == 1 ? 0 : below(first + number)}});
    }
  }
  /// The value of the iteration that state `state` is in the next one.
  unsigned next(unsigned state) const { return rows + states + unsigned(operators.size()) - 1 - state; }
};

struct Written {
  OperatorLine line;
  unsigned weight;
  std::vector<unsigned> operators; ///< Operators of the iterations, and no others
};

Written writeOut(const Body &body, unsigned iterations, int64_t step) {
  LineBuilder builder;
  Written written;
  written.weight = builder.outside();
  std::vector<unsigned> tensors, states;
  for (unsigned row = 0; row < body.rows; ++row)
    tensors.push_back(builder.outside());
  for (unsigned state = 0; state < body.states; ++state)
    states.push_back(builder.outside());
  for (unsigned iteration = 0; iteration < iterations; ++iteration) {
    std::vector<unsigned> values;
    for (unsigned tensor : tensors)
      values.push_back(builder.row(tensor, 100 + step * int64_t(iteration)));
    values.insert(values.end(), states.begin(), states.end());
    for (const BodyOperator &op : body.operators) {
      std::vector<unsigned> operands;
      for (unsigned operand : op.operands)
        operands.push_back(values[operand]);
      if (op.kind == 0)
        operands.push_back(written.weight);
      written.operators.push_back(builder.line.operators.size());
      values.push_back(builder.op(op.kind, operands, op.kind == 0));
    }
    for (unsigned state = 0; state < body.states; ++state)
      states[state] = values[body.next(state)];
  }
  written.line = builder.line;
  return written;
}

/// Returns operand `number` of a column in `iteration`, by the loop that was found.
unsigned operandAt(const OperatorLine &line, const Repetition &loop, const Repetition::Operand &operand,
                   unsigned iteration) {
  if (operand.kind == Kind::Invariant || (operand.kind == Kind::Carried && iteration == 0))
    return operand.value;
  if (operand.kind == Kind::Row) {
    const OperatorLine::Operator &first = line.operators[line.values[operand.value].maker];
    for (const OperatorLine::Operator &op : line.operators)
      if (op.rowsOf == first.rowsOf && op.row == first.row + operand.rowStep * int64_t(iteration))
        return op.results.front();
    return kNone;
  }
  unsigned from = loop.columns[operand.column].operators[iteration - (operand.kind == Kind::Carried)];
  return line.operators[from].results[operand.result];
}

void expectSame(const OperatorLine &line, const Repetition &loop) {
  for (const Repetition::Column &column : loop.columns) {
    ASSERT_EQ(column.operators.size(), loop.iterations);
    for (unsigned iteration = 0; iteration < loop.iterations; ++iteration) {
      const OperatorLine::Operator &op = line.operators[column.operators[iteration]];
      EXPECT_EQ(op.kind, line.operators[column.operators[0]].kind);
      ASSERT_EQ(op.operands.size(), column.operands.size());
      for (unsigned operand = 0; operand < op.operands.size(); ++operand)
        EXPECT_EQ(op.operands[operand], operandAt(line, loop, column.operands[operand], iteration));
    }
  }
}

TEST(Repetition, FindsWhatWasWrittenOut) {
  std::mt19937 random(1);
  unsigned whole = 0;
  for (unsigned round = 0; round < 500; ++round) {
    Body body(random);
    const unsigned iterations = 5 + random() % 6;
    Written written = writeOut(body, iterations, random() % 2 ? 1 : -2);
    std::optional<Repetition> found = findRepetition(written.line, 3);
    ASSERT_TRUE(found) << round;
    expectSame(written.line, *found);
    // What an iteration computes for the next one alone may be missing behind the last one, which then stays as it is.
    EXPECT_GE(found->iterations + 2, iterations) << round;
    whole += found->iterations == iterations;
  }
  EXPECT_GT(whole, 250U);
}

/// h = mix(anchor(h, w), x), iteration by iteration; `read` is made of the state of each.
TEST(Repetition, KeepsOutWhatReadsIterations) {
  LineBuilder builder;
  unsigned w = builder.outside(), xs = builder.outside(), h = builder.outside(), first = h;
  std::vector<unsigned> read;
  for (unsigned iteration = 0; iteration < 4; ++iteration) {
    h = builder.op(1, {builder.op(0, {h, w}, true), builder.row(xs, iteration)});
    read.push_back(builder.op(2, {h}));
  }
  builder.op(3, read);
  std::optional<Repetition> found = findRepetition(builder.line, 4);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->iterations, 4U);
  ASSERT_EQ(found->columns.size(), 2U);
  EXPECT_EQ(found->columns[0].operands[0].kind, Kind::Carried);
  EXPECT_EQ(found->columns[0].operands[0].value, first);
  EXPECT_EQ(found->columns[1].operands[1].kind, Kind::Row);
  EXPECT_FALSE(findRepetition(builder.line, 5));
}

TEST(Repetition, TakesConstantsThatLostAxes) {
  constexpr unsigned wholeType = 0, lessAxes = 1, otherType = 2;
  auto isFound = [&](bool isConstant, unsigned broadcastTo) {
    LineBuilder builder;
    builder.broadcastTo = broadcastTo;
    unsigned w = builder.outside(), h = builder.outside(true, wholeType), kept = builder.outside(isConstant, lessAxes),
             xs = builder.outside();
    for (unsigned iteration = 0; iteration < 5; ++iteration)
      kept = h = builder.op(1, {builder.op(0, {h, w}, true), kept, builder.row(xs, iteration)});
    return bool(findRepetition(builder.line, 4));
  };
  EXPECT_TRUE(isFound(true, wholeType));
  EXPECT_FALSE(isFound(false, wholeType));
  EXPECT_FALSE(isFound(true, otherType));
  EXPECT_FALSE(isFound(true, kNone));
}

TEST(Repetition, LeavesStepsThatDiffer) {
  LineBuilder builder;
  unsigned w = builder.outside(), xs = builder.outside(), c = builder.outside();
  // The state that a first step without a product makes is made as the others are.
  unsigned h = builder.op(2, {builder.op(1, {c, builder.row(xs, 0)})});
  for (unsigned iteration = 1; iteration < 8; ++iteration)
    h = builder.op(2, {builder.op(1, {builder.op(0, {h, w}, true), builder.row(xs, iteration)})});
  std::optional<Repetition> found = findRepetition(builder.line, 4);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->iterations, 7U);
  expectSame(builder.line, *found);
}

TEST(Repetition, RefusesWhatIsNoChain) {
  // Rows of one tensor, each multiplied alone.
  LineBuilder alone;
  unsigned w = alone.outside(), xs = alone.outside();
  for (unsigned iteration = 0; iteration < 8; ++iteration)
    alone.op(1, {alone.op(0, {alone.row(xs, iteration), w}, true)});
  EXPECT_FALSE(findRepetition(alone.line, 4));

  // The same behind operators that could as well be seen in the iteration before.
  LineBuilder ahead;
  w = ahead.outside(), xs = ahead.outside();
  for (unsigned iteration = 0; iteration < 8; ++iteration)
    ahead.op(1, {ahead.op(0, {ahead.op(2, {ahead.row(xs, iteration)}), w}, true)});
  EXPECT_FALSE(findRepetition(ahead.line, 4));

  // A chain through an operator that is different in each step.
  LineBuilder different;
  unsigned h = different.outside();
  w = different.outside(), xs = different.outside();
  for (unsigned iteration = 0; iteration < 8; ++iteration)
    h = different.op(1 + iteration, {different.op(0, {h, w}, true), different.row(xs, iteration)});
  EXPECT_FALSE(findRepetition(different.line, 4));

  // Layers that share a weight, and read no rows.
  LineBuilder layers;
  h = layers.outside(), w = layers.outside();
  for (unsigned iteration = 0; iteration < 8; ++iteration)
    h = layers.op(1, {layers.op(0, {h, w}, true)});
  EXPECT_FALSE(findRepetition(layers.line, 4));

  // Rows at distances that differ.
  LineBuilder uneven;
  w = uneven.outside(), xs = uneven.outside(), h = uneven.outside();
  for (int64_t row : {0, 1, 3, 4, 6})
    h = uneven.op(1, {uneven.op(0, {h, w}, true), uneven.row(xs, row)});
  EXPECT_FALSE(findRepetition(uneven.line, 4));
}

/// An operator that has no like between two steps: only the next one reads its result.
TEST(Repetition, RefusesWhatIsComputedBetween) {
  LineBuilder builder;
  unsigned w = builder.outside(), xs = builder.outside(), h = builder.outside();
  for (unsigned iteration = 0; iteration < 8; ++iteration) {
    h = builder.op(1, {builder.op(0, {h, w}, true), builder.row(xs, iteration)});
    if (iteration == 3)
      h = builder.op(9, {h});
  }
  EXPECT_FALSE(findRepetition(builder.line, 5));
}

/// Anchors of many weights that lead nowhere, and a long way to see it: effort ends.
TEST(Repetition, EndsInTime) {
  LineBuilder builder;
  std::vector<unsigned> before;
  for (unsigned lane = 0; lane < 4; ++lane)
    before.push_back(builder.outside());
  for (unsigned layer = 0; layer < 5000; ++layer) {
    unsigned w = builder.outside();
    for (unsigned &value : before)
      value = builder.op(0, {value, w}, true);
  }
  EXPECT_FALSE(findRepetition(builder.line, 4));
}

} // namespace
