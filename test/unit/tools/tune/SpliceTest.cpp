// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replacing a member of JSON text, whatever texts and nesting surround it.

#include "tools/tune/Splice.h"

#include "gtest/gtest.h"

using nacre::tune::findMember;
using nacre::tune::replaceMember;
using nacre::tune::setMember;

TEST(Splice, ReplacesValuesOfAnyKind) {
  EXPECT_EQ(replaceMember(R"({"a": 1, "b": 2})", "a", "7"), R"({"a": 7, "b": 2})");
  EXPECT_EQ(replaceMember(R"({"a": 1, "b": 2})", "b", "7"), R"({"a": 1, "b": 7})");
  EXPECT_EQ(replaceMember(R"({"a": {"b": [1, {"c": 2}]} , "d": 3})", "a", "7"), R"({"a": 7 , "d": 3})");
  EXPECT_EQ(replaceMember(R"({"a": "x, }\" y", "d": 3})", "a", "7"), R"({"a": 7, "d": 3})");
  EXPECT_EQ(replaceMember("{\"a\": [1, 2]\n}\n", "a", "{}"), "{\"a\": {}\n}\n");
}

TEST(Splice, FindsMembersOfTheOutermostObjectOnly) {
  EXPECT_EQ(replaceMember(R"({"x": {"a": 1}, "y": "a", "z": ["a"], "a": 2})", "a", "7"),
            R"({"x": {"a": 1}, "y": "a", "z": ["a"], "a": 7})");
  EXPECT_EQ(replaceMember(R"({"x": {"a": 1}})", "a", "7"), std::nullopt);
}

TEST(Splice, FindsValues) {
  EXPECT_EQ(findMember(R"({"x": {"a": 1} , "a": 2})", "x"), R"({"a": 1})");
  EXPECT_EQ(findMember(R"({"x": {"a": 1}})", "a"), std::nullopt);
}

TEST(Splice, AddsWhatIsMissing) {
  EXPECT_EQ(setMember(R"({"a": 1})", "a", "7"), R"({"a": 7})");
  EXPECT_EQ(setMember(R"({ "a": 1})", "b", "7"), R"({"b": 7, "a": 1})");
  EXPECT_EQ(setMember("{}", "b", "7"), R"({"b": 7})");
  EXPECT_EQ(setMember("", "b", "7"), std::nullopt);
}

TEST(Splice, RefusesWhatIsNotClosed) {
  for (const char *text : {"", "a", R"({"a": 1)", R"({"a": ")", R"({"a")", R"({"a":)", R"({"a": {"b": 1)", R"({"a\)"})
    EXPECT_EQ(replaceMember(text, "a", "7"), std::nullopt) << text;
}
