// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  counting big cores on made-up phones, CPU features against the compiler's own view, small files and texts.
// Why:   the phones at hand are few, and signals rare; the rules must hold for all.
// How:   a phone is a folder of text files, given to the runtime as the root of /sys; a slow file is a pipe.

#include "runtime/include/nacre/model_format.h"
#include "runtime/src/big_cores.h"
#include "runtime/src/cpu_features.h"
#include "runtime/src/text.h"
#include "test/runtime/TempFolder.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace nacre::runtime {
namespace {

class BigCores : public testing::Test {
protected:
  void add(const std::string &file, std::initializer_list<int> figures) {
    int cpu = 0;
    for (int figure : figures) {
      const std::string path = root.path("sys/devices/system/cpu/cpu" + std::to_string(cpu++) + "/" + file);
      std::filesystem::create_directories(std::filesystem::path(path).parent_path());
      std::ofstream(path) << figure << "\n";
    }
  }

  void identify(std::initializer_list<const char *> registers) {
    int cpu = 0;
    for (const char *text : registers) {
      const std::string path =
          root.path("sys/devices/system/cpu/cpu" + std::to_string(cpu++) + "/regs/identification/midr_el1");
      std::filesystem::create_directories(std::filesystem::path(path).parent_path());
      std::ofstream(path) << text << "\n";
    }
  }

  static CpuSet first(unsigned cpus) {
    CpuSet allowed;
    for (unsigned cpu = 0; cpu < cpus; ++cpu)
      allowed.add(cpu);
    return allowed;
  }

  uint32_t count(unsigned cpus) { return count_big_cores(root.path().c_str(), first(cpus)); }
  bool all_issue_in_order(unsigned cpus) { return runtime::all_issue_in_order(root.path().c_str(), first(cpus)); }

  test::TempFolder root;
};

TEST_F(BigCores, FourLittleThreeMiddleOnePrime) {
  add("cpu_capacity", {250, 250, 250, 250, 800, 800, 800, 1024});
  EXPECT_EQ(count(8), 4u);
}

TEST_F(BigCores, KeepsMiddleCoresOfLessThanHalfTheCapacity) {
  add("cpu_capacity", {124, 124, 124, 124, 427, 427, 1024, 1024});
  EXPECT_EQ(count(8), 4u);
}

TEST_F(BigCores, UsesFrequenciesWhereThereIsNoCapacity) {
  add("cpufreq/cpuinfo_max_freq", {1800000, 1800000, 1800000, 1800000, 2400000, 2400000, 2400000, 2840000});
  EXPECT_EQ(count(8), 4u);
}

TEST_F(BigCores, CountsOnlyWhatTheProcessMayUse) {
  add("cpu_capacity", {250, 250, 250, 250, 1024, 1024, 1024, 1024});
  EXPECT_EQ(count(6), 2u);
  EXPECT_EQ(count(4), 4u) << "little cores alone are all big to us";
}

constexpr const char *kA53 = "0x00000000410fd034", *kA55 = "0x00000000412fd050", *kA73 = "0x00000000410fd092",
                     *kKryo = "0x00000000517f8014";

TEST_F(BigCores, LittleOnesAlone) {
  identify({kA53, kA53, kA53, kA53, kA55});
  EXPECT_TRUE(all_issue_in_order(5));
}

TEST_F(BigCores, OneBigOneIsEnough) {
  identify({kA53, kA53, kA73, kA53});
  EXPECT_FALSE(all_issue_in_order(4));
  EXPECT_TRUE(all_issue_in_order(2)) << "others may not be used";
}

TEST_F(BigCores, CoresOfOthersAreNotKnownToBeLittle) {
  identify({kKryo, kKryo});
  EXPECT_FALSE(all_issue_in_order(2));
}

TEST_F(BigCores, WhatIsNoNumberIsNoCore) {
  for (const char *text : {"", "0x", "410fd034", "0xg", "Cortex-A53"}) {
    identify({text});
    EXPECT_FALSE(all_issue_in_order(1)) << text;
  }
}

TEST_F(BigCores, CountsAllWhereNothingIsKnown) {
  EXPECT_EQ(count(3), 3u);
  EXPECT_EQ(count(0), 1u);
}

/// A pipe with a name: who reads it waits until somebody writes, so that a signal can meet the call.
class SlowFile : public testing::Test {
protected:
  SlowFile() : path(folder.path("pipe")) {
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    struct sigaction handler = {};
    handler.sa_handler = [](int) {};
    sigaction(SIGUSR1, &handler, &before); // no SA_RESTART: calls end with EINTR
  }
  ~SlowFile() override {
    if (thread.joinable())
      thread.join();
    sigaction(SIGUSR1, &before, nullptr);
  }

  template <typename Body> void start(Body body) {
    thread = std::thread([this, body] {
      reader = pid_t(syscall(SYS_gettid));
      body();
    });
    while (reader == 0)
      std::this_thread::yield();
  }

  /// Returns a line of the reading thread's status; "" after its end.
  std::string status(const std::string &key) const {
    std::ifstream file("/proc/self/task/" + std::to_string(reader) + "/status");
    for (std::string line; std::getline(file, line);)
      if (line.rfind(key + ":\t", 0) == 0)
        return line.substr(key.size() + 2);
    return "";
  }

  /// Ends the call that the reading thread waits in, and waits until it waits again, or has ended.
  void interrupt() {
    for (std::string state; (state = status("State"))[0] != 'S'; std::this_thread::yield())
      if (state.empty())
        return;
    const std::string waits = status("voluntary_ctxt_switches");
    pthread_kill(thread.native_handle(), SIGUSR1);
    while (status("voluntary_ctxt_switches") == waits)
      std::this_thread::yield();
  }

  /// Opens the other end, without waiting for a reader.
  int openWriter() const { return open(path.c_str(), O_RDWR | O_CLOEXEC); }

  /// Writes, and waits until that has been read.
  void feed(int writer, const std::string &text) const {
    EXPECT_EQ(write(writer, text.data(), text.size()), ssize_t(text.size()));
    for (int left = 1; left != 0 && !status("State").empty(); std::this_thread::yield())
      ASSERT_EQ(ioctl(writer, FIONREAD, &left), 0);
  }

  /// Counts this process's descriptors of this file, and says whether a program that it starts would inherit one.
  std::pair<int, bool> opened() const {
    std::pair<int, bool> found = {0, false};
    for (const auto &file : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      if (std::filesystem::read_symlink(file.path(), gone) != path)
        continue;
      ++found.first;
      found.second |= !(fcntl(std::stoi(file.path().filename().string()), F_GETFD) & FD_CLOEXEC);
    }
    return found;
  }

  test::TempFolder folder;
  std::string path;
  struct sigaction before;
  std::thread thread;
  std::atomic<pid_t> reader{0};
};

/// Strange files in a cache's folder must not stop a create.
TEST_F(SlowFile, NoFileIsWaitedFor) {
  char text[16] = {};
  EXPECT_EQ(read_file(path.c_str(), text, 8), 0); // nobody writes
  const int writer = openWriter();
  ASSERT_GE(writer, 0);
  EXPECT_EQ(read_file(path.c_str(), text, 8), -1); // nobody has written yet
  ASSERT_EQ(write(writer, "four", 4), 4);
  EXPECT_EQ(read_file(path.c_str(), text, 4), 4);
  EXPECT_STREQ(text, "four");
  EXPECT_EQ(opened(), std::pair(1, false)) << "all readers are closed";
  close(writer);
}

TEST_F(SlowFile, SignalsEndNoNumber) {
  int64_t number = 0;
  start([&] { number = read_number(path.c_str()); });
  interrupt();
  const int writer = openWriter();
  ASSERT_GE(writer, 0);
  interrupt();
  EXPECT_EQ(opened(), std::pair(2, false)) << "a file is left to programs that the app starts";
  feed(writer, "1024\n");
  close(writer);
  thread.join();
  EXPECT_EQ(number, 1024);
}

TEST(CpuFeatures, AreWhatTheCompilerSees) {
  const nacre_model_table model = {};
#if defined(__x86_64__)
  const uint64_t features = cpu_features(model);
  const auto has = [&](nacre_cpu_bit bit) { return (features & NACRE_CPU_NEED(bit)) != 0; };
  EXPECT_EQ(has(NACRE_X86_64_V2), __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3"));
  EXPECT_EQ(has(NACRE_X86_64_V3), __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
  EXPECT_EQ(has(NACRE_X86_64_V4), __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"));
  EXPECT_EQ(has(NACRE_X86_AVX512_VNNI), __builtin_cpu_supports("avx512vnni") != 0);
  EXPECT_FALSE(has(NACRE_X86_AMX_INT8) || has(NACRE_X86_AMX_BF16)) << "no kernel has code for tiles";
#else
  EXPECT_TRUE(cpu_features(model) & NACRE_CPU_NEED(NACRE_ARM64_NEON));
#endif
}

TEST(CpuFeatures, HaveNames) {
#if defined(__x86_64__)
  EXPECT_STREQ(cpu_feature_name(NACRE_X86_64_V3), "x86-64-v3");
#else
  EXPECT_STREQ(cpu_feature_name(NACRE_ARM64_DOTPROD), "dotprod");
#endif
}

/// Errors that a phone can meet. An app without a folder of its own writes to "/", which is read-only there.
TEST(FileErrors, AreSaidInWords) {
  EXPECT_STREQ(file_error_text(-ENOSPC), "the disk is full");
  EXPECT_STREQ(file_error_text(-EROFS), "the file system is read-only");
  EXPECT_STREQ(file_error_text(-EDQUOT), "the quota is used up");
  EXPECT_EQ(file_error_text(-EIO), nullptr); // the reason has the number
}

TEST(Text, CutsOffWhatDoesNotFit) {
  Text<8> text;
  text << "ab" << uint64_t(12345) << "cd";
  EXPECT_STREQ(text.c_str(), "ab12345");
  Text<32> largest;
  largest << UINT64_MAX;
  EXPECT_STREQ(largest.c_str(), "18446744073709551615");
}

} // namespace
} // namespace nacre::runtime
