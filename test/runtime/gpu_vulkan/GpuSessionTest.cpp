// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the Vulkan engine at every kind of cut, on one memory and on two, with and without what drivers may lack.
// Why:   the answer must not depend on who computes what; and the GPU must be used as sparingly as promised.
// How:   on whatever device Vulkan has, which on a machine without a GPU is lavapipe; ctest puts the validation layer
//        in between, and takes any message of it as a failure.

#include "test/runtime/gpu_vulkan/GpuSession.h"
#include "runtime/src/gpu_vulkan/traits.h"

#include <cstdio>
#include <dlfcn.h>
#include <link.h>
#include <utility>

namespace nacre::test {
namespace {

using runtime::gpu::memories_apart_for_tests;

struct GpuSessionTest : GpuSession {
  ~GpuSessionTest() override { memories_apart_for_tests = false; }
};

TEST_F(GpuSessionTest, ComputesAllInOneSubmission) {
  ASSERT_EQ(create(), NACRE_OK) << reason;
  for (int run = 0; run < 3; ++run)
    runAndCheck();
  const nacre_session_info now = info();
  EXPECT_EQ(now.submissions, 1u);
  EXPECT_EQ(now.gpu_launches, 3u + kRows);
  EXPECT_EQ(now.cpu_launches, 0u);
  EXPECT_EQ(now.pipelines, 4u);
  // scale, then relu, then the first sum, each after what it reads; each sum after the one before; then the copy.
  EXPECT_EQ(now.barriers, 2u + kRows);
  EXPECT_GT(now.gpu_bytes, 0u);
  EXPECT_STRNE(now.device, "");
  EXPECT_EQ(sessionReason(), "");
}

TEST_F(GpuSessionTest, GivesTheSameAtEveryCut) {
  for (uint32_t percent : {0, 1, 2, 5, 7, 33, 50, 93, 98, 99, 100}) {
    SCOPED_TRACE("at " + std::to_string(percent) + " %");
    options.gpu_cut = NACRE_GPU_CUT(percent);
    ASSERT_EQ(create(), NACRE_OK) << reason;
    runAndCheck();
    runAndCheck();
    EXPECT_EQ(sessionReason(), "");
    destroy();
  }
}

TEST_F(GpuSessionTest, TakesTheStateThatIsWritten) {
  for (bool apart : {false, true})
    for (uint32_t cut : {0u, NACRE_GPU_CUT(0), NACRE_GPU_CUT(50)}) {
      SCOPED_TRACE("cut " + std::to_string(cut) + (apart ? ", memories apart" : ""));
      memories_apart_for_tests = apart;
      options.gpu_cut = cut;
      ASSERT_EQ(create(), NACRE_OK) << reason;
      goOnAfter(3);
      runAndCheck();
      runAndCheck();
      goOnAfter(0);
      runAndCheck();
      goOnAfter(9);
      goOnAfter(5);
      runAndCheck();
      EXPECT_EQ(sessionReason(), "");
      destroy();
    }
}

TEST_F(GpuSessionTest, TakesASharedStateAnewWhenAnotherSessionHasWritten) {
  for (bool apart : {false, true})
    for (uint32_t tests : {0u, 1u}) {
      SCOPED_TRACE(std::string(tests ? "tested at create" : "not tested") + (apart ? ", memories apart" : ""));
      memories_apart_for_tests = apart;
      nacre_state *state = nullptr;
      ASSERT_EQ(nacre_state_create(toy.model(), nullptr, &state), NACRE_OK);
      options.state = state;
      options.gpu_self_test = tests;
      nacre_session *sessions[3] = {};
      const nacre_gpu_choice gpu = options.gpu;
      for (nacre_session *&made : sessions) {
        options.gpu = &made == sessions + 2 ? NACRE_GPU_NEVER : gpu;
        ASSERT_EQ(create(), NACRE_OK) << reason;
        made = std::exchange(session, nullptr);
      }
      options.gpu = gpu;
      for (int index : {0, 0, 1, 0, 2, 2, 1, 1, 0}) {
        session = sessions[index];
        runAndCheck();
      }
      for (nacre_session *made : sessions)
        nacre_session_destroy(made);
      session = nullptr;
      options.state = nullptr;
      nacre_state_destroy(state);
      runs = 0;
    }
}

TEST_F(GpuSessionTest, LeavesToTheCpuWhatARunDecides) {
  toy.branchBeforeLoop(); // compiled for the GPU, against the compiler's rule
  for (bool apart : {false, true})
    for (uint32_t cut : {0u, NACRE_GPU_CUT(50), NACRE_GPU_CUT(100)}) {
      SCOPED_TRACE("cut " + std::to_string(cut) + (apart ? ", memories apart" : ""));
      memories_apart_for_tests = apart;
      options.gpu_cut = cut;
      ASSERT_EQ(create(), NACRE_OK) << reason;
      runAndCheck();
      runAndCheck();
      EXPECT_EQ(info().gpu_launches, 2u);
      EXPECT_EQ(sessionReason(), "");
      destroy();
    }
}

TEST_F(GpuSessionTest, TimesWhatARunDecides) {
  toy.branchBeforeLoop();
  options.profile = 1;
  options.gpu_self_test = 1;
  options.tune_budget_ms = 5;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  EXPECT_EQ(timeOf(2).executions, uint64_t(kRows));
  EXPECT_EQ(timeOf(2).gpu_share, 0);
  EXPECT_EQ(timeOf(2).cpu_share, 1);
}

TEST_F(GpuSessionTest, CutsAtGrains) {
  options.gpu_cut = NACRE_GPU_CUT(50);
  options.profile = 1;
  toy.steps[0].grain = 24; // 32 rounded down
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  nacre_launch_time time = timeOf(0);
  EXPECT_EQ(time.gpu_share, 24);
  EXPECT_EQ(time.cpu_share, 40);
  EXPECT_EQ(time.cut_extent, 64);
  EXPECT_EQ(time.executions, 1u);
  EXPECT_GT(time.gpu_total, 0u);
  EXPECT_GT(time.cpu_total, 0u);
  EXPECT_EQ(time.total, std::max(time.gpu_total, time.cpu_total));
  EXPECT_EQ(timeOf(2).executions, uint64_t(kRows)); // the loop's, of an axis of 1: the CPU's
  EXPECT_EQ(timeOf(2).gpu_share, 0);
}

TEST_F(GpuSessionTest, TellsTimesOfTheGpu) {
  options.profile = 1;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  EXPECT_GT(timeOf(0).gpu_total, 0u);
  EXPECT_EQ(timeOf(0).cpu_total, 0u);
  EXPECT_EQ(timeOf(2).executions, uint64_t(kRows));
  EXPECT_GE(timeOf(3).begin, timeOf(0).begin);
}

TEST_F(GpuSessionTest, FollowsTheCompiledRanges) {
  toy.steps[0].gpu_end = 20;
  toy.steps[0].cpu_begin = 16; // a halo that both compute
  toy.steps[1].gpu_end = 0;    // the CPU's alone
  toy.steps[1].cpu_begin = 0;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  runAndCheck();
  EXPECT_EQ(info().cpu_launches, 2u);
  EXPECT_EQ(info().gpu_launches, 2u + kRows);
  EXPECT_EQ(info().submissions, 2u); // scale; then, after the CPU's relu, the loop and the copy
}

/// The number that scale's CPU code finds in the first element of its output, which is the GPU's.
float firstFound;

TEST_F(GpuSessionTest, ComputesTheGpusPartFirstWhereAsked) {
  static const nacre_kernel_function scale = toy.variants[1].function;
  toy.variants[1].function = [](const nacre_kernel_args *args, int64_t begin, int64_t end) {
    firstFound = *static_cast<float *>(args->buffers[2]);
    scale(args, begin, end);
  };
  options.threads = 1;
  options.gpu_cut = NACRE_GPU_CUT(50);
  options.gpu_sequential = 1;
  for (bool apart : {false, true}) {
    memories_apart_for_tests = apart;
    ASSERT_EQ(create(), NACRE_OK) << reason;
    firstFound = 0;
    runAndCheck();
    EXPECT_EQ(firstFound, toyInput(0) * toy.scale[0] + 1); // memory was new: it is not of an earlier run
    destroy();
  }
}

TEST_F(GpuSessionTest, CopiesBetweenTwoMemories) {
  memories_apart_for_tests = true;
  for (int pattern = 0; pattern < 16; ++pattern) { // each launch on the CPU or on the GPU
    SCOPED_TRACE("pattern " + std::to_string(pattern));
    const int steps[] = {0, 1, 3, 5};
    for (int i = 0; i < 4; ++i) {
      nacre_step &step = toy.steps[steps[i]];
      const bool onGpu = pattern >> i & 1;
      step.gpu_end = onGpu ? step.cut_extent : 0;
      step.cpu_begin = onGpu ? step.cut_extent : 0;
      step.cpu_end = step.cut_extent;
    }
    ASSERT_EQ(create(), NACRE_OK) << reason;
    runAndCheck();
    runAndCheck();
    runAndCheck();
    EXPECT_EQ(sessionReason(), "");
    destroy();
  }
}

TEST_F(GpuSessionTest, CutsWhereMemoriesAreTwo) {
  memories_apart_for_tests = true;
  options.gpu_cut = NACRE_GPU_CUT(50);
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  runAndCheck();
}

TEST_F(GpuSessionTest, UsesBoundBuffers) {
  struct alignas(NACRE_ALIGNMENT) Aligned {
    float values[kRows * kColumns];
  };
  std::vector<Aligned> mine(2);
  ASSERT_EQ(create(), NACRE_OK) << reason;
  ASSERT_EQ(nacre_session_bind_input(session, 0, mine[0].values), NACRE_OK);
  ASSERT_EQ(nacre_session_bind_output(session, 0, mine[1].values), NACRE_OK);
  runAndCheck();
  EXPECT_EQ(mine[1].values[0], toyOutput(0));
}

TEST_F(GpuSessionTest, ShiftsOperandsThatBeginAnywhere) {
  toy.kernels[3].gpu = &toy.addAnywhere;
  toy.operands[5].offset = toy.operands[6].offset = toy.variables[0].offset = 68; // of the sum, in the state
  toy.table.state_bytes = 68 + kColumns * sizeof(float);
  ASSERT_EQ(create(), NACRE_OK) << reason;
  for (int run = 0; run < 3; ++run)
    runAndCheck();
  // Only the copy, which reads the sum and is not shifted, may be the CPU's.
  EXPECT_GE(info().gpu_launches, 2u + kRows);
  EXPECT_EQ(sessionReason(), "");
}

/// Loading a driver takes longer than any test; and the library of a leak says whether it is a driver's.
void keepDriversLoaded(const GpuToyModel &toy) {
  nacre_session_options options = nacre_session_options_default();
  options.gpu = NACRE_GPU_REQUIRED;
  nacre_session *session = nullptr;
  if (nacre_session_create(toy.model(), &options, &session) != NACRE_OK)
    return;
  std::vector<std::string> libraries;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *user) {
        static_cast<std::vector<std::string> *>(user)->push_back(info->dlpi_name);
        return 0;
      },
      &libraries);
  for (const std::string &library : libraries)
    if (!library.empty())
      dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  nacre_session_destroy(session);
}

} // namespace
} // namespace nacre::test

int main(int count, char **arguments) {
  testing::InitGoogleTest(&count, arguments);
  nacre::test::GpuToyModel toy;
  nacre_device_info device;
  if (nacre_device_describe(toy.model(), 0, &device) != NACRE_OK) {
    std::printf("skipped: %s\n", device.report);
    return 77;
  }
  std::printf("device: %s: %s\n", device.name, device.report);
  nacre::test::keepDriversLoaded(toy);
  return RUN_ALL_TESTS();
}
