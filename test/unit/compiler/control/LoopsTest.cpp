// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enter, NextIteration and Exit raised to loops.

#include "test/unit/compiler/control/ControlText.h"

#include <gtest/gtest.h>

using namespace nacre::importer::tensorflow_format;

namespace {

TEST(Loops, ConditionAndBodyComputeWhatTheIterationsNeed) {
  EXPECT_EQ(raiseText(kDoubling), R"(x = Placeholder()
zero = Const()
n = Const()
loop L mx=x mi=zero reads (n) counts mi<n by one alone
  less = Less(mi n)
  return less
do
  y = Add(mx mx)
  iteration = Identity(mi)
  one = Const()
  i = Add(iteration one)
  return y i
return mx
)");
}

TEST(Loops, ACounterMayBeJoinedWithOthers) {
  // As dynamic_rnn counts: iterations and time. What else is asked for leaves a loop that only ends by it.
  EXPECT_EQ(raiseText(R"(
    zero = Const
    most = Placeholder
    x = Placeholder
    ei = Enter zero frame=L
    et = Enter zero frame=L
    ex = Enter x frame=L
    en = Enter most frame=L
    mi = Merge ei ni
    mt = Merge et nt
    mx = Merge ex nx
    lessI = Less mi en
    lessT = GreaterEqual en mt
    both = LogicalAnd lessI lessT
    other = IsFinite mx
    all = LogicalAnd both other
    go = LoopCond all
    si = Switch mi go
    st = Switch mt go
    sx = Switch mx go
    one = Const ^si
    i = AddV2 one si:1
    t = Sub st:1 one
    y = Exp sx:1
    ni = NextIteration i
    nt = NextIteration t
    nx = NextIteration y
    out = Exit sx
    return out
  )"),
            R"(x = Placeholder()
zero = Const()
most = Placeholder()
loop L mx=x mi=zero mt=zero reads (most) counts mi<most by one, mt<=most by -one
  lessI = Less(mi most)
  lessT = GreaterEqual(most mt)
  both = LogicalAnd(lessI lessT)
  other = IsFinite(mx)
  all = LogicalAnd(both other)
  return all
do
  y = Exp(mx)
  one = Const()
  i = AddV2(one mi)
  t = Sub(mt one)
  return y i t
return mx
)");
}

TEST(Loops, WhatNobodyReadsBehindALoopNeedsNoExit) {
  // The counter has neither Exit nor, since its next value is read of its Merge, a Switch.
  EXPECT_EQ(raiseText(R"(
    zero = Const
    x = Placeholder
    ei = Enter zero frame=L
    ex = Enter x frame=L
    mi = Merge ei ni
    mx = Merge ex nx
    less = Less mi zero
    go = LoopCond less
    sx = Switch mx go
    i = Add mi zero
    y = Exp sx:1
    ni = NextIteration i
    nx = NextIteration y
    out = Exit sx
    return out
  )"),
            R"(x = Placeholder()
zero = Const()
loop L mx=x mi=zero reads (zero) counts mi<zero by zero alone
  less = Less(mi zero)
  return less
do
  y = Exp(mx)
  i = Add(mi zero)
  return y i
return mx
)");
}

TEST(Loops, OneEnterMayBeginSeveralValues) {
  // Here they are swapped in every iteration.
  EXPECT_EQ(raiseText(R"(
    x = Placeholder
    ex = Enter x frame=L
    ma = Merge ex na
    mb = Merge ex nb
    go = LoopCond ma
    sa = Switch ma go
    sb = Switch mb go
    a = Neg sb:1
    na = NextIteration a
    nb = NextIteration sa:1
    outA = Exit sa
    outB = Exit sb
    r = Add outA outB
    return r
  )"),
            R"(x = Placeholder()
loop L ma=x mb=x reads ()
  return ma
do
  a = Neg(mb)
  return a ma
r = Add(ma mb)
return r
)");
}

TEST(Loops, AValueThatStaysTheSameIsCarriedByNoIteration) {
  EXPECT_EQ(raiseText(R"(
    x = Placeholder
    y = Placeholder
    ex = Enter x frame=L
    ey = Enter y frame=L
    mx = Merge ex nx
    my = Merge ey ny
    less = Less mx my
    go = LoopCond less
    sx = Switch mx go
    sy = Switch my go
    same = Identity sy:1
    next = Add sx:1 same
    nx = NextIteration next
    ny = NextIteration same
    outX = Exit sx
    outY = Exit sy
    r = Add outX outY
    return r
  )"),
            R"(x = Placeholder()
y = Placeholder()
loop L mx=x reads (y) counts mx<y by y alone
  less = Less(mx y)
  return less
do
  same = Identity(y)
  next = Add(mx same)
  return next
r = Add(mx y)
return r
)");
}

TEST(Loops, NestOneInsideAnother) {
  EXPECT_EQ(raiseText(R"(
    x = Placeholder
    w = Placeholder
    ex = Enter x frame=L
    ew = Enter w frame=L
    mx = Merge ex nx
    go = LoopCond mx
    sx = Switch mx go
    iy = Enter sx:1 frame=L/M
    iw = Enter ew frame=L/M
    my = Merge iy ny
    less = Less my iw
    inner = LoopCond less
    sy = Switch my inner
    y = Mul sy:1 iw
    ny = NextIteration y
    outY = Exit sy
    next = Neg outY
    nx = NextIteration next
    out = Exit sx
    return out
  )"),
            R"(x = Placeholder()
w = Placeholder()
loop L mx=x reads (w)
  return mx
do
  loop L/M my=mx reads (w)
    less = Less(my w)
    return less
  do
    y = Mul(my w)
    return y
  next = Neg(my)
  return next
return mx
)");
}

TEST(Loops, ABranchMayHoldALoopAndABodyABranch) {
  EXPECT_EQ(raiseText(R"(
    p = Placeholder
    q = Placeholder
    x = Placeholder
    s = Switch x p
    ex = Enter s:1 frame=L
    sq = Switch q p
    eq = Enter sq:1 frame=L
    mx = Merge ex nx
    go = LoopCond mx
    sx = Switch mx go
    t = Switch sx:1 eq
    qs = Switch eq eq
    pivot = Identity qs:0
    five = Const ^pivot
    a = Neg t:1
    y = Merge five a
    nx = NextIteration y
    out = Exit sx
    m = Merge s out
    return m
  )"),
            R"(p = Placeholder()
x = Placeholder()
q = Placeholder()
m = if p reads (q x)
  loop L mx=x reads (q)
    return mx
  do
    y = if q reads (mx)
      a = Neg(mx)
      return a
    else
      five = Const()
      return five
    return y
  return mx
else
  return x
return m
)");
}

TEST(Loops, AConditionMayBranch) {
  EXPECT_EQ(raiseText(R"(
    p = Placeholder
    x = Placeholder
    ep = Enter p frame=L
    ex = Enter x frame=L
    mx = Merge ex nx
    s = Switch mx ep
    a = IsNan s:1
    b = IsInf s:0
    c = Merge a b
    go = LoopCond c
    sx = Switch mx go
    y = Exp sx:1
    nx = NextIteration y
    out = Exit sx
    return out
  )"),
            R"(x = Placeholder()
p = Placeholder()
loop L mx=x reads (p)
  c = if p reads (mx)
    a = IsNan(mx)
    return a
  else
    b = IsInf(mx)
    return b
  return c
do
  y = Exp(mx)
  return y
return mx
)");
}

} // namespace
