// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/ResponseFile.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <random>

#if __has_include("llvm/Support/CommandLine.h")
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#endif

using Words = std::vector<std::string>;

static Words split(std::string_view text, bool ends = true) {
  Words words;
  EXPECT_EQ(nacre::tools::splitWords(text, words), ends) << text;
  return words;
}

TEST(ResponseFile, SpacesAndLinesPartWords) {
  EXPECT_EQ(split(""), Words());
  EXPECT_EQ(split(" \n\r\n\t"), Words());
  EXPECT_EQ(split("a  b\nc\r\nd\te"), (Words{"a", "b", "c", "d", "e"}));
}

TEST(ResponseFile, QuotesKeepWordsTogether) {
  EXPECT_EQ(split("--input='a b'=\"c d\"e"), Words{"--input=a b=c de"});
  EXPECT_EQ(split("'' \"\""), (Words{"", ""}));
  EXPECT_EQ(split("'\"' \"'\""), (Words{"\"", "'"}));
}

TEST(ResponseFile, ABackslashTakesTheNextCharacterAsItIs) {
  EXPECT_EQ(split("a\\ b \\\\ \\' '\\'' \"\\\"\""), (Words{"a b", "\\", "'", "'", "\""}));
  EXPECT_EQ(split("a\\"), Words{"a\\"});
}

TEST(ResponseFile, AQuoteMustEnd) {
  split("a 'b c", false);
  split("\"\\\"", false);
}

#if __has_include("llvm/Support/CommandLine.h")
TEST(ResponseFile, WordsAreThoseOfLlvmsOwnReader) {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (unsigned length = random() % 12; text.size() < length;)
      text += "ab '\"\\\n\t@"[random() % 9];
    Words words;
    if (!nacre::tools::splitWords(text, words))
      continue;
    llvm::BumpPtrAllocator allocator;
    llvm::StringSaver saver(allocator);
    llvm::SmallVector<const char *> expected;
    llvm::cl::TokenizeGNUCommandLine(text, saver, expected);
    // It loses '', which a shell and we do not.
    words.erase(std::remove(words.begin(), words.end(), ""), words.end());
    EXPECT_EQ(words, Words(expected.begin(), expected.end())) << text;
  }
}
#endif
