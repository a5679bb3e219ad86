// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/InputShapes.h"

#include <gtest/gtest.h>

namespace nacre::tools {
namespace {

using Shape = llvm::SmallVector<int64_t>;

std::vector<importer::ShapedEntry> parse(const std::vector<std::string> &values) {
  auto entries = parseShapes(values);
  EXPECT_TRUE(bool(entries)) << llvm::toString(entries.takeError());
  return std::move(*entries);
}

std::string problemOf(const std::vector<std::string> &values) {
  auto entries = parseShapes(values);
  return entries ? "" : llvm::toString(entries.takeError());
}

std::vector<std::string> sizesOf(const std::vector<importer::ShapedEntry> &entries) {
  std::vector<std::string> sizes;
  for (const importer::ShapedEntry &entry : entries)
    sizes.push_back(entry.sizes);
  return sizes;
}

using Sizes = std::vector<std::string>;

TEST(InputShapes, OneShapeMakesOneEntryWithoutSizes) {
  for (const auto &values : {std::vector<std::string>{}, {"x=1x16", "y=scalar"}})
    EXPECT_EQ(sizesOf(parse(values)), Sizes{""});
  const auto entries = parse({"x=1x16", "y=scalar"});
  EXPECT_EQ(entries[0].shapes.at("x"), (Shape{1, 16}));
  EXPECT_EQ(entries[0].shapes.at("y"), Shape());
}

TEST(InputShapes, ANameMayContainEqualSigns) { EXPECT_EQ(parse({"a=b=2"})[0].shapes.at("a=b"), Shape{2}); }

TEST(InputShapes, AListIsAnEntryForEachSize) {
  const auto entries = parse({"x=1x{16,64,256}x8"});
  EXPECT_EQ(sizesOf(entries), (Sizes{"16", "64", "256"}));
  EXPECT_EQ(entries[1].shapes.at("x"), (Shape{1, 64, 8}));
}

TEST(InputShapes, ShellsWriteListsAsSeveralOptions) {
  EXPECT_EQ(sizesOf(parse({"x=1x16x8", "x=1x64x8"})), sizesOf(parse({"x=1x{16,64}x8"})));
  EXPECT_EQ(sizesOf(parse({"x=2x4", "x=2x5", "x=3x4", "x=3x5"})), sizesOf(parse({"x={2,3}x{4,5}"})));
}

TEST(InputShapes, ListsOfOneShapeAreCombined) {
  const auto entries = parse({"x={224,320}x{224,640}"});
  EXPECT_EQ(sizesOf(entries), (Sizes{"224x224", "224x640", "320x224", "320x640"}));
  EXPECT_EQ(entries[2].shapes.at("x"), (Shape{320, 224}));
}

TEST(InputShapes, ShapesOfSeveralInputsAreTakenTogether) {
  const auto entries = parse({"ids=1x{16,64}", "mask=1x1x16x16", "type=1x1", "mask=1x1x64x64"});
  EXPECT_EQ(sizesOf(entries), (Sizes{"16", "64"})) << "equal differences are named once";
  EXPECT_EQ(entries[1].shapes.at("ids"), (Shape{1, 64}));
  EXPECT_EQ(entries[1].shapes.at("mask"), (Shape{1, 1, 64, 64}));
  EXPECT_EQ(entries[1].shapes.at("type"), (Shape{1, 1}));
  EXPECT_EQ(sizesOf(parse({"ids=1x{16,64}", "memory=1x{100,200}"})), (Sizes{"16x100", "64x200"}));
}

TEST(InputShapes, ShapesMayDifferInTheNumberOfAxes) { EXPECT_EQ(sizesOf(parse({"x=4", "x=4x2"})), (Sizes{"0", "2"})); }

TEST(InputShapes, RefuseWhatIsNoShape) {
  EXPECT_EQ(problemOf({"x"}), "--shape must be input=value, but is 'x'");
  EXPECT_EQ(problemOf({"x="}), "--shape x= must have a shape after '='; write a shape without axes as x=scalar");
  for (const char *text : {"x=1xa", "x=1x{16", "x=1x{}", "x=1x16,64", "x=1x-2", "x=1x{2,}", "x=1x{{2}}"})
    EXPECT_NE(problemOf({text}).find("must be a dimension"), std::string::npos) << text;
  EXPECT_EQ(problemOf({"ids=1x{16,64,256}", "mask=1x{16,64}"}),
            "--shape must give 'mask' one shape, or as many as 'ids', which has 3, but gives it 2; repeat "
            "--shape=mask=<shape> for each");
  EXPECT_EQ(problemOf({"x=1x{16,16}"}), "--shape must give different shapes, but gives x=1x16 twice");
  EXPECT_EQ(problemOf({"x=1x{16,64,16}"}), "--shape must give different shapes, but gives x=1x16 twice");
}

TEST(InputShapes, LimitTheNumberOfEntries) {
  const std::string ten = "{1,2,3,4,5,6,7,8,9,10}";
  EXPECT_EQ(parse({"x=" + ten + "x" + ten}).size(), 100u);
  EXPECT_NE(problemOf({"x=" + ten + "x" + ten + "x" + ten}).find("must have at most 256 shapes"), std::string::npos);
}

} // namespace
} // namespace nacre::tools
