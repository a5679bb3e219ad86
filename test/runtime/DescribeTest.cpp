// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what a model says of itself, without a session.
// Why:   apps and nacre-run --info rest on it.
// How:   a hand-made model.

#include "test/runtime/ToyModel.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <iterator>
#include <vector>

namespace nacre::test {
namespace {

TEST(Describe, TellsWhatTheModelIs) {
  ToyModel toy;
  nacre_model_info model;
  ASSERT_EQ(nacre_model_describe(toy.model(), &model), NACRE_OK);
  EXPECT_STREQ(model.name, "toy");
  EXPECT_STREQ(model.compiler, "nacre 0");
  EXPECT_EQ(model.weight_bytes, kColumns * sizeof(float));
  nacre_entry_info entry;
  ASSERT_EQ(nacre_entry_describe(toy.model(), 1, &entry), NACRE_OK);
  EXPECT_STREQ(entry.name, "second");
  EXPECT_EQ(entry.launch_count, 2u);
  EXPECT_EQ(nacre_entry_describe(toy.model(), 2, &entry), NACRE_BAD_ARGUMENT);
  nacre_tensor_info tensor;
  ASSERT_EQ(nacre_output_describe(toy.model(), 0, 1, &tensor), NACRE_OK);
  EXPECT_STREQ(tensor.name, "sum");
  ASSERT_EQ(tensor.rank, 1u);
  EXPECT_EQ(tensor.dims[0], kColumns);
  EXPECT_EQ(nacre_input_describe(toy.model(), 0, 1, &tensor), NACRE_BAD_ARGUMENT);
  nacre_launch_info launch;
  ASSERT_EQ(nacre_launch_describe(toy.model(), 0, 2, &launch), NACRE_OK); // brackets of loops are not counted
  EXPECT_STREQ(launch.name, "sum_1");
  EXPECT_STREQ(launch.kernel, "add");
  EXPECT_STREQ(launch.kind, "nest");
}

TEST(Describe, TellsWhatIntegersStandFor) {
  ToyModel toy;
  nacre_tensor_info info;
  ASSERT_EQ(nacre_input_describe(toy.model(), 0, 0, &info), NACRE_OK);
  EXPECT_EQ(info.scale, 1);
  EXPECT_EQ(info.zero_point, 0);
  EXPECT_EQ(info.channels, nullptr);
  toy.inputs[0].element_type = NACRE_U8;
  toy.inputs[0].scale = 0.25F;
  toy.inputs[0].zero_point = 128;
  ASSERT_EQ(nacre_input_describe(toy.model(), 0, 0, &info), NACRE_OK);
  EXPECT_EQ(info.scale, 0.25F);
  EXPECT_EQ(info.zero_point, 128);
  EXPECT_EQ(info.channels, nullptr);
}

// The axis and the channels are behind the shapes: a row without them has no more bytes.
TEST(Describe, TellsWhatIntegersOfChannelsStandFor) {
  ToyModel toy;
  std::vector<int64_t> dims(std::begin(toy.dims), std::end(toy.dims));
  dims[0] = 3;
  toy.outputs[0].scale = NAN;
  toy.outputs[0].zero_point = static_cast<int32_t>(dims.size());
  dims.push_back(0);
  const nacre_channel_info channels[] = {{0.5F, 0}, {0.25F, -3}, {2, 127}};
  for (const nacre_channel_info &channel : channels)
    std::memcpy(&dims.emplace_back(), &channel, sizeof channel);
  toy.table.dims = dims.data();
  nacre_tensor_info info;
  ASSERT_EQ(nacre_output_describe(toy.model(), 0, 0, &info), NACRE_OK);
  EXPECT_EQ(info.scale, 0);
  EXPECT_EQ(info.zero_point, 0);
  EXPECT_EQ(info.channel_axis, 0u);
  ASSERT_NE(info.channels, nullptr);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(info.channels[i].scale, channels[i].scale);
    EXPECT_EQ(info.channels[i].zero_point, channels[i].zero_point);
  }
}

// What an app with an older header knows of the structure is as it was.
TEST(Describe, AnOlderAppGetsTheFieldsThatItKnows) {
  ToyModel toy;
  nacre_tensor_info info;
  std::memset(&info, 0x5a, sizeof info);
  constexpr size_t known = offsetof(nacre_tensor_info, channels);
  ASSERT_EQ(toy.model()->functions->input_describe(toy.model(), 0, 0, known, &info), NACRE_OK);
  EXPECT_EQ(info.scale, 1);
  EXPECT_EQ(info.open_axes, 0u);
  EXPECT_NE(info.channels, nullptr) << "the bytes behind them stay";
}

} // namespace
} // namespace nacre::test
