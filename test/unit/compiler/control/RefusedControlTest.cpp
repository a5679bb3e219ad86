// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs whose loops and conditionals cannot be raised, and their messages.

#include "test/unit/compiler/control/ControlText.h"

#include <gtest/gtest.h>

using namespace nacre::importer::tensorflow_format;

namespace {

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Raises kDoubling with the nodes of `more` and another output.
std::string raiseWith(const std::string &more, const char *output) {
  std::string text = kDoubling;
  return raiseText(text.substr(0, text.find("return")) + more + "\nreturn " + output);
}

TEST(RefusedControl, LoopsMustBeWhole) {
  EXPECT_EQ(raiseWith("", "y"), "'y' must be outside of loops to be an output, but is inside 'L'; name the Exit after "
                                "it, or only the outputs you need, "
                                "with --output");
  EXPECT_EQ(raiseWith("e2 = Exit y", "e2"), "'e2' must read output 0 of a Switch that LoopCond controls");
  EXPECT_EQ(raiseWith("e2 = Exit mx", "e2"), "'e2' must read output 0 of a Switch that LoopCond controls");
  EXPECT_EQ(raiseWith("e2 = Exit x", "e2"), "'e2' must be inside a loop, but is not");
  EXPECT_EQ(raiseWith("e2 = Exit less", "e2"), "'e2' must read output 0 of a Switch that LoopCond controls");
  EXPECT_EQ(raiseWith("r = Neg nx", "r"), "'r' must not read 'nx', which only the next iteration's Merge may read");
  EXPECT_EQ(raiseWith("other = Enter x frame=M\n r = Add other y", "r"),
            "'r' must read values of one loop, but reads 'y' of 'L' and another value of 'M'");
  EXPECT_EQ(raiseWith("c2 = LoopCond less\n s2 = Switch mx c2\n e2 = Exit s2\n r = Add out e2", "r"),
            "'c2' must be the only LoopCond of 'L', but 'go' is another one");
  EXPECT_EQ(raiseText("x = Placeholder\n e = Enter x frame=L\n m = Merge e n\n n = NextIteration a\n a = Neg m\n"
                      "s = Switch m x\n o = Exit s\n return o"),
            "'o' must read output 0 of a Switch that LoopCond controls");
  EXPECT_EQ(raiseText("x = Placeholder\n e = Enter x frame=L\n m = Merge e n\n n = NextIteration a\n a = Neg s\n"
                      "c = LoopCond m\n s = Switch m c\n o = Exit s\n return o"),
            "'n' must read a value for the next iteration, but reads one that leaves the loop");
  EXPECT_EQ(raiseText("x = Placeholder\n m = Merge x n\n n = NextIteration m\n return m"),
            "'m' must join one Enter with one NextIteration, because it carries a value of a loop");
  EXPECT_EQ(raiseText("x = Placeholder\n e = Enter x\n return e"),
            "'e' must name its loop in attribute 'frame_name', but does not");
  EXPECT_EQ(raiseText("x = Placeholder\n e = Enter x frame=L\n f = Enter e frame=L\n return f"),
            "'f' must enter its loop from outside, but reads a value from inside");
}

TEST(RefusedControl, WhatOnlyGradientsNeedIsNamed) {
  EXPECT_EQ(
      raiseText("x = Placeholder\n s = StackV2 x\n p = StackPopV2 s\n return p"),
      "'s' belongs to the gradient of a loop; name the inference outputs with --output, or pass --train to compile "
      "the training step");
}

TEST(RefusedControl, LoopsOfOneNameAreEnteredFromOnePlace) {
  EXPECT_EQ(raiseText(R"(
    x = Placeholder
    a = Enter x frame=A
    b = Enter x frame=B
    ma = Merge a na
    mb = Merge b nb
    ca = LoopCond ma
    cb = LoopCond mb
    sa = Switch ma ca
    sb = Switch mb cb
    ia = Enter sa:1 frame=I
    ib = Enter sb:1 frame=I
    na = NextIteration sa:1
    nb = NextIteration sb:1
    r = Add ia ib
    return r
  )"),
            "'ib' must enter its loop 'I' from one place, but reads a value of 'B' while others read values of 'A'");
}

//===----------------------------------------------------------------------===//
// Conditionals
//===----------------------------------------------------------------------===//

TEST(RefusedControl, OutputsMustBeComputedInAnyCase) {
  EXPECT_EQ(
      raiseText("p = Placeholder\n s = Switch p p\n a = Neg s:1\n return a"),
      "'a' must be computed unconditionally to be an output, but is inside a conditional; name the Merge after it, "
      "or only the outputs you need, with --output");
  EXPECT_EQ(raiseText("p = Const value=true\n s = Switch p p\n a = Neg s:0\n return a"),
            "'a' must be computed to be an output, but no predicate selects it; leave it out by naming the outputs you "
            "need with --output");
}

TEST(RefusedControl, MergesMustChooseOneValue) {
  std::string both = "'m' must join values of which predicates select exactly one, but they may select two or none; "
                     "name outputs that do not need it with --output";
  EXPECT_EQ(raiseText("x = Placeholder\n y = Placeholder\n m = Merge x y\n return m"), both);
  EXPECT_EQ(raiseText(R"(
    p = Placeholder
    q = Placeholder
    s = Switch p p
    t = Switch p q
    m = Merge s:1 t:0
    return m
  )"),
            both);
  // What cannot be raised harms nobody where only a control edge leads there.
  EXPECT_EQ(raiseText("x = Placeholder\n y = Placeholder\n m = Merge x y\n c = Const ^m\n return c"),
            "c = Const()\nreturn c\n");
}

TEST(RefusedControl, NodesMustHaveTheirOperands) {
  EXPECT_EQ(raiseText("p = Placeholder\n s = Switch p\n return s"), "'s' must have 2 operands, but has 1");
  EXPECT_EQ(raiseText("m = Merge\n return m"), "'m' must have an operand, but has none");
  EXPECT_EQ(raiseText("p = Placeholder\n s = Switch p p\n a = Neg s:2\n return a"),
            "'a' must read an existing result of 's', but reads result 2");
  EXPECT_EQ(raiseText("a = Neg b\n b = Neg a\n return a"),
            "'a' must not depend on itself, but does; only NextIteration may close a cycle");
}

TEST(RefusedControl, ConditionalsNestTo64AndNoDeeper) {
  auto nest = [](unsigned depth) {
    std::string text = "x0 = Placeholder\n";
    std::string inner = "s" + std::to_string(depth) + ":1";
    for (unsigned level = 1; level <= depth; ++level) {
      std::string name = std::to_string(level);
      text += "p" + name + " = Placeholder\n s" + name + " = Switch " +
              (level == 1 ? "x0" : "s" + std::to_string(level - 1) + ":1") + " p" + name + "\n";
    }
    for (unsigned level = depth; level > 0; --level) {
      text += "m" + std::to_string(level) + " = Merge s" + std::to_string(level) + ":0 " + inner + "\n";
      inner = "m" + std::to_string(level);
    }
    return raiseText(text + "return m1\n");
  };
  EXPECT_NE(nest(64).find("m64 = if p64"), std::string::npos);
  EXPECT_NE(nest(65).find("must be inside 64 or fewer conditionals"), std::string::npos);
}

} // namespace
