// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that a model's author may have chosen to harm who reads them.

#include "tools/run/session/Text.h"

#include <gtest/gtest.h>

namespace nacre::run {
namespace {

TEST(JsonText, EscapesWhatJsonWouldMisread) {
  EXPECT_EQ(jsonText("conv_1"), R"("conv_1")");
  EXPECT_EQ(jsonText("a\"b\\c\n\x01"), R"("a\"b\\c\u000a\u0001")");
  EXPECT_EQ(jsonText("caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x90\x9a"), "\"caf\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x90\x9a\"");
}

TEST(JsonText, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(jsonText("\xff"), R"("\ufffd")");
  EXPECT_EQ(jsonText("\xc3"), R"("\ufffd")") << "cut off";
  EXPECT_EQ(jsonText("\xc3("), R"("\ufffd(")") << "no continuation";
  EXPECT_EQ(jsonText("\xc0\x80"), R"("\ufffd\ufffd")") << "the long way to write 0";
  EXPECT_EQ(jsonText("\xe0\x80\x80"), R"("\ufffd\ufffd\ufffd")") << "the same";
  EXPECT_EQ(jsonText("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")") << "half of a pair";
  EXPECT_EQ(jsonText("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")") << "beyond Unicode";
}

TEST(PrintableText, ShowsWhatMovesTheCursorInPlace) {
  EXPECT_EQ(printableText("conv_1 caf\xc3\xa9"), "conv_1 caf\xc3\xa9");
  EXPECT_EQ(printableText("a\x1b[2Jb\n\x7f"), R"(a\x1b[2Jb\x0a\x7f)");
  EXPECT_EQ(printableText("\xc2\x9b"), R"(\xc2\x9b)") << "the same as ESC [, in one character";
  EXPECT_EQ(printableText("\xff\xc3("), R"(\xff\xc3()");
}

} // namespace
} // namespace nacre::run
