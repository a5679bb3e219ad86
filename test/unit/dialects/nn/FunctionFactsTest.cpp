// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of elementwise functions claim only facts that are true of their results.

#include "dialects/nn/NnDialect.h"
#include "dialects/nn/evaluate/ScalarFunctions.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace nacre::nn;

namespace {

constexpr double numbers[] = {-1e30, -7.5, -1, -0.25, 0, 0.5, 1, 3, 1e30};

TEST(FunctionFacts, RowsOfOneValueAreThoseOfTheirKinds) {
  for (unsigned i = 0; i <= getMaxEnumValForUnaryKind(); ++i) {
    const UnaryFacts &facts = getFacts(UnaryKind(i));
    EXPECT_EQ(facts.kind, UnaryKind(i));
    EXPECT_EQ(facts.ofFloat != nullptr, (facts.types & FunctionFacts::floats) != 0) << i;
    EXPECT_EQ(facts.ofInteger != nullptr, (facts.types & FunctionFacts::discrete) != 0) << i;
  }
}

TEST(FunctionFacts, RowsOfTwoValuesAreThoseOfTheirKinds) {
  for (unsigned i = 0; i <= getMaxEnumValForBinaryKind(); ++i)
    EXPECT_EQ(getFacts(BinaryKind(i)).kind, BinaryKind(i));
}

TEST(FunctionFacts, TwiceIsOnceOrNothing) {
  for (unsigned i = 0; i <= getMaxEnumValForUnaryKind(); ++i) {
    const UnaryFacts &facts = getFacts(UnaryKind(i));
    if (!facts.is(FunctionFacts::idempotent | FunctionFacts::involution))
      continue;
    for (double x : numbers) {
      if (facts.ofFloat) {
        double once = facts.ofFloat(x, 0);
        EXPECT_EQ(facts.ofFloat(once, 0), facts.is(FunctionFacts::idempotent) ? once : x) << i;
      }
      // A boolean is 0 or 1.
      int64_t integer = facts.types & FunctionFacts::booleans ? x > 0 : int64_t(std::fmin(std::fmax(x, -100), 100));
      if (facts.ofInteger) {
        int64_t once = facts.ofInteger(integer, false);
        EXPECT_EQ(facts.ofInteger(once, false), facts.is(FunctionFacts::idempotent) ? once : integer) << i;
      }
    }
  }
}

TEST(FunctionFacts, BoundedResultsAreSmall) {
  for (unsigned i = 0; i <= getMaxEnumValForUnaryKind(); ++i)
    for (double x : numbers)
      if (const UnaryFacts &facts = getFacts(UnaryKind(i)); facts.is(FunctionFacts::bounded))
        EXPECT_LT(std::fabs(facts.ofFloat(x, 0)), 2) << i;
}

TEST(FunctionFacts, NeutralValuesChangeNothingAndOrderOnlyWhereItMatters) {
  for (unsigned i = 0; i <= getMaxEnumValForBinaryKind(); ++i) {
    const BinaryFacts &facts = getFacts(BinaryKind(i));
    if (!(facts.types & FunctionFacts::floats) || facts.is(FunctionFacts::predicate))
      continue;
    for (double x : numbers) {
      if (facts.is(FunctionFacts::neutralZero)) {
        EXPECT_EQ(apply(facts.kind, x, 0.0), x) << i;
      }
      if (facts.is(FunctionFacts::neutralOne)) {
        EXPECT_EQ(apply(facts.kind, x, 1.0), x) << i;
      }
      if (facts.is(FunctionFacts::commutative)) {
        EXPECT_EQ(apply(facts.kind, x, 3.0), apply(facts.kind, 3.0, x)) << i;
      }
    }
  }
}

} // namespace
