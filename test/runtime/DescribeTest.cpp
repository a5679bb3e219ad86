// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what a model says of itself, without a session.
// Why:   apps and nacre-run --info rest on it.
// How:   a hand-made model.

#include "test/runtime/ToyModel.h"

#include <gtest/gtest.h>

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

} // namespace
} // namespace nacre::test
