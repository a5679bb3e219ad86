// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/package/Linker.h"
#include "gtest/gtest.h"

using nacre::package::joinLines;

TEST(Linker, MessagesAreOneLine) {
  EXPECT_EQ(joinLines("ld.lld: error: undefined symbol: f\n>>> referenced by a.o\n\n"),
            "ld.lld: error: undefined symbol: f; >>> referenced by a.o");
  EXPECT_EQ(joinLines(""), "");
}
