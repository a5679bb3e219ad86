// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre_entry_for among entries that nacre-compile makes of several shapes.
// Why:   an app that takes a wrong entry computes with another shape.
// How:   the tables of the hand-made model get more entries, which are only described.

#include "runtime/include/nacre/describe.h"
#include "test/runtime/ToyModel.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace nacre::test {
namespace {

class EntryForTest : public testing::Test {
protected:
  EntryForTest() {
    // Entry, size of `ids`, size of `mask`. A longer name with the same beginning is another function.
    add("main@64", 64, 64);
    add("main@16", 16, 64);
    add("main@256", 256, 64);
    add("mainly", 8, 8);
    add("evaluate@1024", 1024, 1024);
    toy.table.strings = strings.data();
    toy.table.dims = dims.data();
    toy.table.entries = entries.data();
    toy.table.entry_count = uint32_t(entries.size());
    for (size_t i = 0; i < entries.size(); ++i)
      entries[i].inputs = &inputs[2 * i];
  }

  void add(const std::string &name, int64_t ids, int64_t mask) {
    nacre_entry entry = {};
    entry.name = text(name);
    entry.input_count = 2;
    entries.push_back(entry);
    inputs.push_back(input("ids", ids));
    inputs.push_back(input("mask", mask));
  }

  nacre_tensor input(const std::string &name, int64_t size) {
    nacre_tensor tensor = {};
    tensor.name = text(name);
    tensor.element_type = NACRE_I64;
    tensor.rank = 2;
    tensor.first_dim = uint32_t(dims.size());
    tensor.scale = 1;
    tensor.first_bound = NACRE_NO_BOUNDS;
    tensor.first_count = NACRE_NO_COUNTS;
    dims.insert(dims.end(), {1, size});
    return tensor;
  }

  uint32_t text(const std::string &word) {
    const size_t at = strings.size();
    strings += word + '\0';
    return uint32_t(at);
  }

  /// Returns the name of the entry, or "" if no entry is found.
  std::string find(const char *name, const char *input, const std::vector<int64_t> &shape) {
    uint32_t entry = 77;
    if (nacre_entry_for(toy.model(), name, input, uint32_t(shape.size()), shape.data(), &entry) == NACRE_OK)
      return toy.table.strings + entries[entry].name;
    EXPECT_EQ(entry, 77u) << "it is not set by a failure";
    return "";
  }

  ToyModel toy;
  std::string strings = std::string(1, '\0');
  std::vector<int64_t> dims;
  std::vector<nacre_tensor> inputs;
  std::vector<nacre_entry> entries;
};

TEST_F(EntryForTest, IsTheSmallestThatHolds) {
  for (const auto &[size, name] : {std::pair<int64_t, const char *>{0, "main@16"},
                                   {1, "main@16"},
                                   {16, "main@16"},
                                   {17, "main@64"},
                                   {64, "main@64"},
                                   {65, "main@256"},
                                   {256, "main@256"},
                                   {257, ""}})
    EXPECT_EQ(find(nullptr, nullptr, {1, size}), name) << size;
}

TEST_F(EntryForTest, ComparesTheNamedInput) {
  EXPECT_EQ(find(nullptr, "ids", {1, 17}), "main@64");
  EXPECT_EQ(find(nullptr, "mask", {1, 17}), "main@64") << "the first one of equals";
  EXPECT_EQ(find(nullptr, "mask", {1, 65}), "");
  EXPECT_EQ(find(nullptr, "id", {1, 1}), "");
  EXPECT_EQ(find(nullptr, "idsx", {1, 1}), "");
}

TEST_F(EntryForTest, SelectsByTheNameBeforeTheSizes) {
  EXPECT_EQ(find("evaluate", nullptr, {1, 1}), "evaluate@1024");
  EXPECT_EQ(find("evaluate@1", nullptr, {1, 1}), "evaluate@1024");
  EXPECT_EQ(find("mainly", nullptr, {1, 1}), "mainly");
  for (const char *name : {"ma", "mainl", "mainly2", "other", ""})
    EXPECT_EQ(find(name, nullptr, {1, 1}), "") << name;
}

TEST_F(EntryForTest, ComparesAllAxes) {
  EXPECT_EQ(find(nullptr, nullptr, {2, 1}), "");
  EXPECT_EQ(find(nullptr, nullptr, {1}), "");
  EXPECT_EQ(find(nullptr, nullptr, {1, 1, 1}), "");
  EXPECT_EQ(find(nullptr, nullptr, {}), "");
}

TEST_F(EntryForTest, RefusesMissingArguments) {
  const int64_t shape[] = {1, 1};
  uint32_t entry = 0;
  EXPECT_EQ(nacre_entry_for(toy.model(), nullptr, nullptr, 2, nullptr, &entry), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_entry_for(toy.model(), nullptr, nullptr, 2, shape, nullptr), NACRE_BAD_ARGUMENT);
}

} // namespace
} // namespace nacre::test
