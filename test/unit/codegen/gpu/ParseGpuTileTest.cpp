// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/ParseGpuTile.h"
#include "gtest/gtest.h"

using namespace nacre::codegen::gpu;

namespace {

TEST(ParseGpuTile, ReadsATileToBeTried) {
  llvm::Expected<GpuTile> tile =
      parseGpuTile("cooperative:rows=4,quads=2,columns=2,lines=1,depth=32,buffers=2,ahead=3");
  ASSERT_TRUE(bool(tile));
  ASSERT_TRUE(tile->is<GpuTile::Cooperative>());
  EXPECT_EQ(tile->tileRows(), 64);
  EXPECT_EQ(tile->tileColumns(), 64);
  EXPECT_EQ(tile->invocations(), 64);
  EXPECT_EQ(tile->staging()->ahead, 3);

  tile = parseGpuTile("cooperative:rows=1,quads=2,columns=1,lines=2,depth=128,buffers=1,parts=4");
  ASSERT_TRUE(bool(tile));
  EXPECT_EQ(tile->tileRows(), 32);
  EXPECT_EQ(tile->tileColumns(), 32);
  EXPECT_EQ(tile->invocations(), 256);

  tile = parseGpuTile("winograd:outputs=4,rows=8,columns=4");
  ASSERT_TRUE(bool(tile));
  EXPECT_EQ(tile->tileRows(), 128);
  EXPECT_EQ(tile->tileColumns(), 16);
  EXPECT_EQ(tile->invocations(), 144);
  EXPECT_EQ(tile->sharedBytes(), 13824);
}

std::string faultIn(llvm::StringRef text) {
  llvm::Expected<GpuTile> tile = parseGpuTile(text);
  return tile ? "" : llvm::toString(tile.takeError());
}

TEST(ParseGpuTile, SaysWhatIsWrongWithATile) {
  EXPECT_EQ(
      faultIn("direct:rows=4"),
      "'direct:rows=4': a tile must be shared, cooperative, split, winograd, winograd-block or winograd-gradient");
  EXPECT_EQ(faultIn("shared:height=4"), "'shared:height=4': 'height=4' must be a field and its number, such as rows=8");
  EXPECT_EQ(faultIn("shared:rows=x"), "'shared:rows=x': 'rows=x' must be a field and its number, such as rows=8");
  EXPECT_NE(faultIn("shared:rows=0,depth=16"), "");
  EXPECT_NE(faultIn("shared:columns=4,lines=8,depth=16"), "");
  EXPECT_NE(faultIn("shared:columns=8,lines=8,depth=16,parts=8"), "");
  EXPECT_NE(faultIn("shared:columns=64,lines=32,depth=16"), "");
  EXPECT_NE(faultIn("shared:columns=8,lines=8,depth=16,unroll=3"), "");
  EXPECT_NE(faultIn("cooperative:columns=1,lines=1,depth=24"), "");
  EXPECT_NE(faultIn("cooperative:columns=1,lines=1,depth=32,parts=4"), "");
  EXPECT_NE(faultIn("cooperative:depth=32,buffers=1,ahead=2"), "");
  EXPECT_EQ(faultIn("split:lines=2"), "'split:lines=2': 'lines=2' must be a field and its number, such as rows=8");
  EXPECT_NE(faultIn("split:rows=4,columns=4,parts=2"), "");
  EXPECT_EQ(faultIn("split:rows=2,columns=4,parts=2"), "");
  EXPECT_NE(faultIn("cooperative:columns=8,lines=1,rows=1,depth=16,buffers=1"), "");
  EXPECT_NE(faultIn("winograd:outputs=3,rows=8,columns=4"), "");
  EXPECT_NE(faultIn("winograd:outputs=4,rows=6,columns=4"), "");
  EXPECT_EQ(faultIn("shared:rows=8,quads=2,columns=16,lines=16,depth=16"), "");
}

} // namespace
