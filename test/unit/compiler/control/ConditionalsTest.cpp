// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Switch and Merge raised to conditionals.

#include "test/unit/compiler/control/ControlText.h"

#include <gtest/gtest.h>

using namespace nacre::importer::tensorflow_format;

namespace {

TEST(Conditionals, SidesAreWhatTheirSwitchesGuard) {
  EXPECT_EQ(raiseText(R"(
    p = Placeholder
    x = Placeholder
    s = Switch x p
    a = Neg s:1
    b = Abs s:0
    m = Merge b a
    return m
  )"),
            R"(p = Placeholder()
x = Placeholder()
m = if p reads (x)
  a = Neg(x)
  return a
else
  b = Abs(x)
  return b
return m
)");
}

TEST(Conditionals, AConstantBelongsToTheBranchOfItsPivot) {
  // Without the control edges both constants would be computed in any case, and nothing would decide between them.
  EXPECT_EQ(raiseText(R"(
    p = Placeholder
    ps = Switch p p
    onTrue = Identity ps:1
    onFalse = Identity ps:0
    one = Const ^onTrue
    two = Const ^onFalse
    m = Merge two one
    return m
  )"),
            R"(p = Placeholder()
m = if p reads ()
  one = Const()
  return one
else
  two = Const()
  return two
return m
)");
}

TEST(Conditionals, AConstantBehindAnotherNodeOfTheBranchBelongsToIt) {
  EXPECT_EQ(raiseText(R"(
    p = Placeholder
    x = Placeholder
    s = Switch x p
    checked = CheckNumerics s:1
    one = Const ^checked
    m = Merge s one
    return m
  )"),
            R"(p = Placeholder()
x = Placeholder()
m = if p reads (x)
  one = Const()
  return one
else
  return x
return m
)");
}

TEST(Conditionals, MergesOfOnePredicateShareAConditional) {
  EXPECT_EQ(raiseText(R"(
    p = Placeholder
    q = Identity p
    x = Placeholder
    y = Placeholder
    s = Switch x p
    t = Switch y q
    a = Neg s:1
    m = Merge s a
    n = Merge t:1 t:0
    r = Add m n
    return r
  )"),
            R"(p = Placeholder()
x = Placeholder()
y = Placeholder()
m n = if p reads (x y)
  a = Neg(x)
  return a y
else
  return x y
r = Add(m n)
return r
)");
}

TEST(Conditionals, ConditionalsInARowStayApart) {
  EXPECT_EQ(raiseText(R"(
    p = Placeholder
    x = Placeholder
    s = Switch x p
    a = Neg s:1
    m = Merge s a
    t = Switch m p
    b = Abs t:1
    n = Merge t b
    return n
  )"),
            R"(p = Placeholder()
x = Placeholder()
m = if p reads (x)
  a = Neg(x)
  return a
else
  return x
n = if p reads (m)
  b = Abs(m)
  return b
else
  return m
return n
)");
}

TEST(Conditionals, NestOneInsideAnother) {
  EXPECT_EQ(raiseText(R"(
    p = Placeholder
    q = Placeholder
    x = Placeholder
    qs = Switch q p
    s = Switch x p
    t = Switch s:1 qs:1
    a = Neg t:1
    b = Abs t:0
    m = Merge b a
    n = Merge s m
    return n
  )"),
            R"(p = Placeholder()
x = Placeholder()
q = Placeholder()
n = if p reads (q x)
  m = if q reads (x)
    a = Neg(x)
    return a
  else
    b = Abs(x)
    return b
  return m
else
  return x
return n
)");
}

TEST(Conditionals, AMergeOfManyIsFoldedPairByPair) {
  // As tf.case is written by hand: p decides between a and the rest, q between b and c.
  EXPECT_EQ(raiseText(R"(
    p = Placeholder
    q = Placeholder
    x = Placeholder
    s = Switch x p
    qs = Switch q p
    t = Switch s:0 qs
    a = Neg s:1
    b = Abs t:1
    c = Exp t:0
    m = Merge a b c
    r = Add m m:1
    return r
  )"),
            R"(p = Placeholder()
q = Placeholder()
x = Placeholder()
m m:1 = if p reads (q x)
  a = Neg(x)
  return a 0
else
  m:2 m:3 = if q reads (x)
    b = Abs(x)
    return b 1
  else
    c = Exp(x)
    return c 2
  return m:2 m:3
r = Add(m m:1)
return r
)");
}

TEST(Conditionals, SayWhichValueWasTaken) {
  EXPECT_EQ(raiseText(R"(
    p = Placeholder
    x = Placeholder
    s = Switch x p
    a = Neg s:1
    m = Merge a s
    return m:1
  )"),
            R"(p = Placeholder()
m:1 = if p reads ()
  return 0
else
  return 1
return m:1
)");
}

TEST(Conditionals, AKnownPredicateLeavesOneSide) {
  EXPECT_EQ(raiseText(R"(
    p = Const value=false
    q = Identity p
    x = Placeholder
    s = Switch x q
    a = Unsupported s:1
    b = Abs s:0
    m = Merge a b
    r = Add m m:1
    return r
  )"),
            R"(x = Placeholder()
b = Abs(x)
r = Add(b 1)
return r
)");
}

TEST(Conditionals, ASideThatContradictsItsOwnPredicateIsDead) {
  EXPECT_EQ(raiseText(R"(
    p = Placeholder
    x = Placeholder
    s = Switch x p
    t = Switch s:1 p
    a = Neg t:0
    b = Abs t:1
    m = Merge a b
    n = Merge s m
    return n
  )"),
            R"(p = Placeholder()
x = Placeholder()
n = if p reads (x)
  b = Abs(x)
  return b
else
  return x
return n
)");
}

TEST(Conditionals, WhatIsComputedInAnyCaseStaysOutside) {
  EXPECT_EQ(raiseText(R"(
    p = Placeholder
    x = Placeholder
    y = Exp x
    s = Switch y p
    a = Neg s:1
    c = Const ^s
    b = Add s:0 c
    m = Merge b a
    return m
  )"),
            R"(p = Placeholder()
x = Placeholder()
y = Exp(x)
c = Const()
m = if p reads (y c)
  a = Neg(y)
  return a
else
  b = Add(y c)
  return b
return m
)");
}

TEST(Conditionals, WhatTwoConditionalsReadIsComputedBeforeBoth) {
  EXPECT_EQ(raiseText(R"(
    p = Placeholder
    x = Placeholder
    s = Switch x p
    a = Neg s:1
    m = Merge s a
    y = Exp m
    t = Switch y p
    b = Add t:1 a
    n = Merge t b
    return n
  )"),
            R"(p = Placeholder()
x = Placeholder()
a = Neg(x)
m = if p reads (x a)
  return a
else
  return x
y = Exp(m)
n = if p reads (a y)
  b = Add(y a)
  return b
else
  return y
return n
)");
}

} // namespace
