// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  every way in which a session may be refused: memory, CPUs, versions, damaged tables, options.
// How:   tables and options are bent where a test is about bad ones.

#include "test/runtime/session/ToySession.h"

#include <cstddef>
#include <string>

namespace nacre::test {
namespace {

using SessionRefusals = ToySession;

TEST_F(SessionRefusals, SaysThatTheAllocatorRefused) {
  memory.refuses = true;
  EXPECT_EQ(create(2), NACRE_OUT_OF_MEMORY);
  EXPECT_NE(std::string(reason).find("the allocator refused a block of"), std::string::npos);
  memory.refuses = false;
  memory.misalignment = 16;
  EXPECT_EQ(create(2), NACRE_BAD_ARGUMENT);
}

TEST_F(SessionRefusals, RefusesACpuWithoutTheFeatures) {
  toy.table.baseline_needs = NACRE_CPU_NEED(NACRE_ARM64_SVE2) | NACRE_CPU_NEED(NACRE_X86_AVX512_FP16) |
                             NACRE_CPU_NEED(62); // no CPU has the first two together
  EXPECT_EQ(create(1), NACRE_UNSUPPORTED);
  EXPECT_NE(std::string(reason).find("the model needs a CPU with"), std::string::npos);

  toy.table.baseline_needs = 0;
  toy.kernels[0].cpu_count = 1; // only the variant that no CPU can run
  EXPECT_EQ(create(1), NACRE_UNSUPPORTED);
  EXPECT_NE(std::string(reason).find("mul_1+add_1 needs a CPU with"), std::string::npos);
}

TEST_F(SessionRefusals, TakesTheFirstVariantThatTheCpuCanRun) {
  toy.kernels[0].cpu_count = 3; // the first needs what no CPU has; the third is another kernel's, and would be wrong
  ASSERT_EQ(create(2), NACRE_OK) << reason;
  fill(input());
  ASSERT_EQ(nacre_session_run(session), NACRE_OK);
  expectOutput(output());
}

TEST_F(SessionRefusals, RefusesOtherVersions) {
  EXPECT_EQ(toy.model()->functions->session_create(toy.model(), NACRE_API_VERSION + 1, &options, &session),
            NACRE_UNSUPPORTED);
  toy.table.format_version = NACRE_FORMAT_VERSION + 1;
  EXPECT_EQ(create(1), NACRE_UNSUPPORTED);
  const std::string own = std::to_string(NACRE_FORMAT_VERSION), other = std::to_string(NACRE_FORMAT_VERSION + 1);
  EXPECT_EQ(reason,
            "the model's tables must have format " + own + ", but have format " + other + "; compile the model again");
  toy.table.format_version = NACRE_FORMAT_VERSION;
  ++toy.table.sizes.step;
  EXPECT_EQ(create(1), NACRE_UNSUPPORTED);
}

TEST_F(SessionRefusals, RefusesDamagedTables) {
  const auto refuses = [&](auto &field, auto value) {
    auto good = field;
    field = value;
    EXPECT_EQ(create(1), NACRE_UNSUPPORTED);
    EXPECT_NE(std::string(reason).find("damaged"), std::string::npos) << reason;
    field = good;
  };
  refuses(toy.steps[2].kind, NACRE_STEP_LOOP_END); // an end without a beginning
  refuses(toy.steps[4].kind, NACRE_STEP_LAUNCH + 9u);
  refuses(toy.steps[2].trip_count, 0);
  refuses(toy.steps[0].kernel, 4u);
  refuses(toy.steps[0].operand_count, 9u);
  refuses(toy.operands[0].space, NACRE_SPACE_DERIVED);
  refuses(toy.operands[1].index, 1u);
  refuses(toy.entries[0].step_count, 4u); // the loop is never closed
  EXPECT_EQ(create(1), NACRE_OK) << reason;
}

TEST_F(SessionRefusals, ChecksTheOptions) {
  options.threads = 100000;
  EXPECT_EQ(create(100000), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(reason, "threads must be at most 128, but is 100000");
  options.gpu = NACRE_GPU_REQUIRED;
  EXPECT_EQ(create(1), NACRE_UNSUPPORTED);
  options = nacre_session_options_default();
  options.struct_size = 0;
  EXPECT_EQ(nacre_session_create(toy.model(), &options, &session), NACRE_BAD_ARGUMENT);
}

TEST_F(SessionRefusals, ReadsOnlyTheOptionsThatTheAppKnows) {
  options = nacre_session_options_default();
  options.struct_size = offsetof(nacre_session_options, executor); // an app built with an older header
  options.executor = reinterpret_cast<nacre_executor *>(1);
  ASSERT_EQ(nacre_session_create(toy.model(), &options, &session), NACRE_OK);
}

TEST_F(SessionRefusals, NeedsWeightsFromSomewhere) {
  toy.table.weights_data = nullptr;
  EXPECT_EQ(create(1), NACRE_UNSUPPORTED);
  EXPECT_STREQ(reason, "the model's tables are damaged at 'weights'; compile the model again");
}

} // namespace
} // namespace nacre::test
