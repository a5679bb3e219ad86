// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the self-test finds wrong code, tuning moves launches, and both are kept in files.
// Why:   a wrong kernel that is not found gives wrong answers; one that is found twice costs every start of an app.
// How:   the hand-made model with a kernel's code instead of another's; on one memory and on two.

#include "runtime/src/gpu_vulkan/traits.h"
#include "test/runtime/TempFolder.h"
#include "test/runtime/gpu_vulkan/GpuSession.h"

#include <ctime>
#include <filesystem>
#include <fstream>

namespace nacre::test {
namespace {

using runtime::gpu::memories_apart_for_tests;

struct GpuMeasuringTest : GpuSession {
  ~GpuMeasuringTest() override { memories_apart_for_tests = false; }

  /// A model with a copy instead of relu.
  void breakRelu() { toy.kernels[1].gpu = &toy.gpuVariants[3]; }

  std::string saidAll() const {
    std::string all;
    for (const std::string &line : said)
      all += line + "\n";
    return all;
  }

  std::filesystem::path file(const std::string &suffix) {
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == suffix)
        return entry.path();
    return {};
  }

  TempFolder temporary;
  std::string folder = temporary.path();
};

constexpr char kWrongRelu[] = "kernel 'relu', code 0 of it, is not used: its result differs from the CPU's";

TEST_F(GpuMeasuringTest, PassesWhatIsRight) {
  options.gpu_self_test = 1;
  for (bool apart : {false, true}) {
    memories_apart_for_tests = apart;
    ASSERT_EQ(create(), NACRE_OK) << reason;
    runAndCheck(); // the test has left no trace in the state
    runAndCheck();
    EXPECT_EQ(info().cpu_launches, 0u) << saidAll();
    EXPECT_EQ(info().pipelines, 4u);
    EXPECT_EQ(sessionReason(), "");
    EXPECT_GT(info().gpu_measuring_time, 0u);
    destroy();
  }
}

TEST_F(GpuMeasuringTest, SwitchesOffWhatIsWrong) {
  breakRelu();
  options.gpu_self_test = 1;
  for (bool apart : {false, true}) {
    memories_apart_for_tests = apart;
    ASSERT_EQ(create(), NACRE_OK) << reason;
    runAndCheck();
    runAndCheck();
    EXPECT_EQ(sessionReason(), kWrongRelu);
    EXPECT_EQ(info().cpu_launches, 1u);
    EXPECT_EQ(info().gpu_launches, 2u + kRows);
    destroy();
  }
}

TEST_F(GpuMeasuringTest, TakesTheNextCodeThatIsRight) {
  static nacre_gpu_variant codes[3];
  codes[0] = codes[1] = toy.gpuVariants[3];
  codes[2] = toy.gpuVariants[2];
  toy.kernels[1].gpu = codes;
  toy.kernels[1].gpu_count = 3;
  options.gpu_self_test = 1;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  EXPECT_EQ(info().cpu_launches, 0u);
  EXPECT_NE(saidAll().find("kernel 'relu', code 1 of it"), std::string::npos) << saidAll();
}

TEST_F(GpuMeasuringTest, TestsOnlyWhatTheGpuIsToCompute) {
  breakRelu();
  toy.steps[1].gpu_end = toy.steps[1].cpu_begin = 0;
  options.gpu_self_test = 1;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  EXPECT_EQ(sessionReason(), "");
}

TEST_F(GpuMeasuringTest, KeepsVerdicts) {
  breakRelu();
  options.gpu_self_test = 1;
  options.cache_folder = folder.c_str();
  ASSERT_EQ(create(), NACRE_OK) << reason;
  destroy();
  ASSERT_FALSE(file(".verdicts").empty());
  // Verdicts are found, not made: with the right code at the same address there would be another.
  const auto written = std::filesystem::last_write_time(file(".verdicts"));
  const nacre_kernel_function relu = toy.variants[2].function;
  toy.variants[2].function = [](const nacre_kernel_args *, int64_t, int64_t) { FAIL() << "the test was made again"; };
  ASSERT_EQ(create(), NACRE_OK) << reason;
  EXPECT_EQ(sessionReason(), kWrongRelu);
  EXPECT_EQ(info().cpu_launches, 1u);
  destroy();
  EXPECT_EQ(std::filesystem::last_write_time(file(".verdicts")), written);
  toy.variants[2].function = relu;
  std::fstream damaged(file(".verdicts"), std::ios::in | std::ios::out | std::ios::binary);
  damaged.seekp(-1, std::ios::end);
  damaged.put('\x5a');
  damaged.close();
  ASSERT_EQ(create(), NACRE_OK) << reason;
  EXPECT_NE(saidAll().find("is damaged or foreign"), std::string::npos) << saidAll();
  EXPECT_EQ(sessionReason(), kWrongRelu);
  runAndCheck();
}

TEST_F(GpuMeasuringTest, TunesToTheRightAnswer) {
  options.tune_budget_ms = 500;
  for (bool apart : {false, true}) {
    memories_apart_for_tests = apart;
    for (bool tests : {false, true}) {
      options.gpu_self_test = tests;
      ASSERT_EQ(create(), NACRE_OK) << reason;
      EXPECT_NE(saidAll().find("tuned: a run takes"), std::string::npos) << saidAll();
      runAndCheck();
      runAndCheck();
      destroy();
    }
  }
}

TEST_F(GpuMeasuringTest, TunesAroundWhatIsWrong) {
  breakRelu();
  options.tune_budget_ms = 500;
  options.gpu_self_test = 1;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  EXPECT_EQ(sessionReason(), kWrongRelu);
}

// Nanoseconds that a unit sleeps. The sanitizer also slows down the threads of an emulated GPU.
#if defined(__SANITIZE_THREAD__)
constexpr int64_t kSleepOfUnit = 3200000;
#else
constexpr int64_t kSleepOfUnit = 400000;
#endif

/// A kernel that takes the CPU much longer than the GPU.
void sleepyRelu(const nacre_kernel_args *args, int64_t begin, int64_t end) {
  const timespec time = {0, kSleepOfUnit * (end - begin)};
  nanosleep(&time, nullptr);
  auto *t = static_cast<const float *>(args->buffers[0]);
  auto *y = static_cast<float *>(args->buffers[1]);
  const int64_t first = args->share_begin * kColumns;
  for (int64_t i = first + begin * kColumns / 2; i < first + end * kColumns / 2; ++i)
    y[i] = t[i] > 0 ? t[i] : 0;
}

TEST_F(GpuMeasuringTest, MovesASlowKernelToTheGpu) {
  options.threads = 1;
  options.profile = 1;
  options.tune_budget_ms = 60000; // more than any machine needs: what is measured is bounded by iterations
  options.cache_folder = folder.c_str();
  toy.variants[2].function = sleepyRelu; // 128 units
  for (nacre_step &step : toy.steps)
    step.gpu_end = step.cpu_begin = 0; // compiled for the CPU
  for (int iteration = 0; iteration < 2; ++iteration) {
    ASSERT_EQ(create(), NACRE_OK) << reason;
    EXPECT_EQ(saidAll().find("tuned: ") != std::string::npos, iteration == 0) << "the second starts from the file";
    runAndCheck();
    EXPECT_GE(timeOf(1).gpu_share, kRows / 2) << saidAll();
    destroy();
  }
  EXPECT_FALSE(file(".tuning").empty());
  // What is found must serve: one that has lost its end is none.
  std::filesystem::resize_file(file(".tuning"), std::filesystem::file_size(file(".tuning")) - 1);
  ASSERT_EQ(create(), NACRE_OK) << reason;
  EXPECT_NE(saidAll().find("is damaged or foreign"), std::string::npos) << saidAll();
  runAndCheck();
  EXPECT_GE(timeOf(1).gpu_share, kRows / 2) << saidAll();
}

TEST_F(GpuMeasuringTest, SurvivesAShortageOfMemory) {
  allocations = 1; // the session's own block
  EXPECT_EQ(create(), NACRE_UNSUPPORTED);
  EXPECT_EQ(liveBytes, 0u);
  options.gpu = NACRE_GPU_IF_USEFUL;
  options.gpu_device = 1;
  options.gpu_self_test = 1;
  options.tune_budget_ms = 60000;        // more than any machine needs, as above:
  toy.variants[2].function = sleepyRelu; // the GPU is kept, and what it wants at last is asked for as well
  int granted = 1;
  for (bool enough = false; !enough; ++granted) {
    SCOPED_TRACE(std::to_string(granted) + " allocations");
    allocations = granted;
    ASSERT_EQ(create(), NACRE_OK);
    enough = info().device[0] != 0;
    EXPECT_EQ(sessionReason().find("refused memory") != std::string::npos, !enough) << sessionReason();
    runAndCheck();
    destroy();
    ASSERT_LT(granted, 1000);
  }
  EXPECT_GE(granted, 4) << "at least two creates had too little";
}

TEST_F(GpuMeasuringTest, LeavesWhatTheBudgetDoesNotReach) {
  toy.variants[1].function = [](const nacre_kernel_args *args, int64_t begin, int64_t end) {
    const timespec time = {0, 200000000}; // A GPU on a busy machine may take tens of milliseconds.
    nanosleep(&time, nullptr);
    for (int64_t i = (args->share_begin + begin) * kColumns; i < (args->share_begin + end) * kColumns; ++i)
      static_cast<float *>(args->buffers[2])[i] =
          static_cast<const float *>(args->buffers[0])[i] * static_cast<const float *>(args->buffers[1])[i % kColumns] +
          1;
  };
  options.threads = 1;
  options.tune_budget_ms = 1;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  runAndCheck();
  EXPECT_EQ(info().gpu_launches, 3u + kRows)
      << "the first is fast on the GPU, the others stay as compiled: " << saidAll();
}

TEST_F(GpuMeasuringTest, DoesNotTuneWhereTheAppHasSetTheCuts) {
  options.tune_budget_ms = 500;
  options.gpu_cut = NACRE_GPU_CUT(50);
  ASSERT_EQ(create(), NACRE_OK) << reason;
  EXPECT_EQ(saidAll().find("tuned"), std::string::npos);
  runAndCheck();
}

} // namespace
} // namespace nacre::test
