// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  sessions that have all entries of a model with code for a GPU.
// Why:   each entry has its own engine, but the entries share one state, which may be in the memory of any of them.
// How:   as GpuSessionTest.cpp. Both entries of the hand-made model add to the state.

#include "runtime/src/gpu_vulkan/traits.h"

#include "test/runtime/gpu_vulkan/GpuSession.h"
#include <thread>

namespace nacre::test {
namespace {

using runtime::gpu::memories_apart_for_tests;

constexpr uint32_t kMain = 0, kSecond = 1;

struct GpuEntriesTest : GpuSession {
  GpuEntriesTest() {
    const uint32_t name = toy.entries[kSecond].name;
    toy.entries[kSecond] = toy.entries[kMain];
    toy.entries[kSecond].name = name;
    options.all_entries = 1;
  }
  ~GpuEntriesTest() override { memories_apart_for_tests = false; }

  void use(uint32_t entry) { ASSERT_EQ(nacre_session_use(session, entry), NACRE_OK) << sessionReason(); }

  /// Runs the entries in turn. Each continues from the state of the one before.
  void runInTurn() {
    for (uint32_t entry : {kMain, kSecond, kSecond, kMain, kSecond, kMain, kMain}) {
      SCOPED_TRACE("entry " + std::to_string(entry));
      use(entry);
      runAndCheck();
    }
  }
};

TEST_F(GpuEntriesTest, ContinueFromEachOthersState) {
  for (bool apart : {false, true})
    for (uint32_t cut : {0u, NACRE_GPU_CUT(50), NACRE_GPU_CUT(100)}) {
      SCOPED_TRACE("cut " + std::to_string(cut) + (apart ? ", memories apart" : ""));
      memories_apart_for_tests = apart;
      options.gpu_cut = cut;
      ASSERT_EQ(create(), NACRE_OK) << reason;
      runInTurn();
      EXPECT_EQ(sessionReason(), "");
      destroy();
    }
}

TEST_F(GpuEntriesTest, AreDescribedOneByOne) {
  toy.entries[kSecond].step_count = toy.entries[kSecond].first_write = 2;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  EXPECT_EQ(info().gpu_launches, 3u + kRows);
  use(kSecond);
  EXPECT_EQ(info().gpu_launches, 2u);
  use(kMain);
  EXPECT_EQ(info().gpu_launches, 3u + kRows);
  runAndCheck();
}

TEST_F(GpuEntriesTest, SwitchWithoutAnAllocation) {
  ASSERT_EQ(create(), NACRE_OK) << reason;
  const size_t created = liveBytes;
  allocations = 0; // none is granted from here on
  runInTurn();
  EXPECT_EQ(liveBytes, created);
  EXPECT_EQ(sessionReason(), "");
}

/// A thread that prepares a GPU would read the entry that a switch exchanges.
TEST_F(GpuEntriesTest, AreReadyAfterCreate) {
  options.gpu = NACRE_GPU_IF_USEFUL;
  options.gpu_device = 1; // An emulated GPU must be named.
  options.gpu_background = 1;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  for (uint32_t entry : {kMain, kSecond}) {
    use(entry);
    EXPECT_STRNE(info().device, "");
  }
  runInTurn();
}

TEST_F(GpuEntriesTest, AreMeasuredWithoutTheStateOfTheApp) {
  for (bool apart : {false, true}) {
    SCOPED_TRACE(apart ? "memories apart" : "one memory");
    memories_apart_for_tests = apart;
    nacre_state *state = nullptr;
    ASSERT_EQ(nacre_state_create(toy.model(), nullptr, &state), NACRE_OK);
    options.state = state;
    options.gpu_self_test = 1;
    ASSERT_EQ(create(), NACRE_OK) << reason;
    float total[kColumns];
    ASSERT_EQ(nacre_state_read(state, 0, total, sizeof total), NACRE_OK);
    for (int64_t c = 0; c < kColumns; ++c)
      ASSERT_EQ(total[c], 0) << "a self-test changed the app's state";
    runInTurn();
    destroy();
    // The GPU that had the newest state was that of the entry in use.
    ASSERT_EQ(nacre_state_read(state, 0, total, sizeof total), NACRE_OK);
    for (int64_t c = 0; c < kColumns; ++c)
      ASSERT_EQ(total[c], toySum(c, runs)) << c;
    options.state = nullptr;
    nacre_state_destroy(state);
  }
}

/// The state is with the GPU of an entry that is not in use when another session asks for it, and at the end.
TEST_F(GpuEntriesTest, GiveTheStateOfAnEntryThatIsNotInUse) {
  memories_apart_for_tests = true;
  nacre_state *state = nullptr;
  ASSERT_EQ(nacre_state_create(toy.model(), nullptr, &state), NACRE_OK);
  options.state = state;
  float total[kColumns];
  for (bool atTheEnd : {false, true}) {
    ASSERT_EQ(nacre_state_reset(state, NACRE_STATE_ALL), NACRE_OK);
    ASSERT_EQ(create(), NACRE_OK) << reason;
    use(kSecond);
    runAndCheck();
    use(kMain);
    if (atTheEnd)
      destroy();
    ASSERT_EQ(nacre_state_read(state, 0, total, sizeof total), NACRE_OK);
    for (int64_t c = 0; c < kColumns; ++c)
      ASSERT_EQ(total[c], toySum(c, 1)) << c;
    if (!atTheEnd)
      destroy();
  }
  options.state = nullptr;
  nacre_state_destroy(state);
}

TEST_F(GpuEntriesTest, AreExchangedWhileAnotherThreadReadsTheState) {
  memories_apart_for_tests = true;
  nacre_state *state = nullptr;
  ASSERT_EQ(nacre_state_create(toy.model(), nullptr, &state), NACRE_OK);
  options.state = state;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  std::atomic<bool> isOver{false};
  std::atomic<int> wrong{0};
  std::thread reader([&] {
    while (!isOver) {
      float total[kColumns];
      if (nacre_state_read(state, 0, total, sizeof total) != NACRE_OK)
        continue; // a run is using it
      bool isOfARun = false;
      for (int after = 0; after <= 20 && !isOfARun; ++after)
        isOfARun = total[1] == toySum(1, after) && total[kColumns - 1] == toySum(kColumns - 1, after);
      wrong += !isOfARun;
    }
  });
  for (int done = 0; done < 20;) {
    EXPECT_EQ(nacre_session_use(session, uint32_t(done % 2)), NACRE_OK);
    void *x = nullptr;
    EXPECT_EQ(nacre_session_input(session, 0, &x), NACRE_OK);
    for (int64_t i = 0; i < kRows * kColumns; ++i)
      static_cast<float *>(x)[i] = toyInput(i);
    done += nacre_session_run(session) == NACRE_OK; // refused while the other thread reads
  }
  isOver = true;
  reader.join();
  EXPECT_EQ(wrong, 0);
  destroy();
  float total[kColumns];
  ASSERT_EQ(nacre_state_read(state, 0, total, sizeof total), NACRE_OK);
  for (int64_t c = 0; c < kColumns; ++c)
    EXPECT_EQ(total[c], toySum(c, 20)) << c;
  options.state = nullptr;
  nacre_state_destroy(state);
}

TEST_F(GpuEntriesTest, AreReleasedIfOneCannotStart) {
  // Each entry needs a device of its own. The number of allocations of the first one is found by its session.
  options.all_entries = 0;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  destroy();
  allocations = INT_MAX;
  ASSERT_EQ(create(), NACRE_OK);
  const int needed = INT_MAX - allocations;
  destroy();
  options.all_entries = 1;
  allocations = needed;
  EXPECT_EQ(create(), NACRE_UNSUPPORTED);
  EXPECT_NE(std::string(reason), "");
  EXPECT_EQ(liveBytes, 0u);
  session = nullptr;
}

} // namespace
} // namespace nacre::test
