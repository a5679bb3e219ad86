// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  sessions that have all entries of a model: shared and separate parts of entries, and refusals.
// Why:   an app that runs two entries in turn pays for one arena and for no switch.
// How:   only through nacre/runtime.h. The hand-made model has two entries; the tests bend the second one.

#include "runtime/include/nacre/runtime.hpp"
#include "test/runtime/RuntimeSlots.h"
#include "test/runtime/ToyModel.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace nacre::test {
namespace {

constexpr uint32_t kMain = 0, kSecond = 1;

class EntriesTest : public testing::Test {
protected:
  EntriesTest() {
    options.threads = 2;
    options.all_entries = 1;
    options.allocator = &allocator;
    options.reason = reason;
    options.reason_capacity = sizeof reason;
  }
  ~EntriesTest() override {
    nacre_session_destroy(session);
    EXPECT_EQ(live, 0u);
  }

  /// Lets both entries add to the state.
  void repeatMain() {
    const uint32_t name = toy.entries[kSecond].name;
    toy.entries[kSecond] = toy.entries[kMain];
    toy.entries[kSecond].name = name;
  }

  nacre_status create() { return nacre_session_create(toy.model(), &options, &session); }
  nacre_status use(uint32_t entry) { return nacre_session_use(session, entry); }
  std::string sessionReason() { return nacre_session_reason(session); }

  float *input() {
    void *data = nullptr;
    EXPECT_EQ(nacre_session_input(session, 0, &data), NACRE_OK);
    return static_cast<float *>(data);
  }
  float *output(uint32_t index) {
    void *data = nullptr;
    EXPECT_EQ(nacre_session_output(session, index, &data), NACRE_OK);
    return static_cast<float *>(data);
  }

  void fill() {
    for (int64_t i = 0; i < kRows * kColumns; ++i)
      input()[i] = toyInput(i);
  }

  /// Computes the current entry, and checks y.
  void run() {
    std::fill_n(output(0), kRows * kColumns, -1.0f);
    ASSERT_EQ(nacre_session_run(session), NACRE_OK) << sessionReason();
    for (int64_t i = 0; i < kRows * kColumns; ++i)
      ASSERT_EQ(output(0)[i], toyOutput(i)) << i;
  }
  void checkSum(int runs) {
    for (int64_t c = 0; c < kColumns; ++c)
      ASSERT_EQ(output(1)[c], toySum(c, runs)) << c << " after " << runs;
  }

  static void *allocate(void *user, size_t bytes, size_t alignment) {
    auto *self = static_cast<EntriesTest *>(user);
    ++self->allocations;
    self->live += bytes;
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  static void release(void *user, void *block, size_t bytes) {
    static_cast<EntriesTest *>(user)->live -= bytes;
    std::free(block);
  }

  nacre_allocator allocator = {allocate, release, this};
  size_t allocations = 0, live = 0;
  ToyModel toy;
  nacre_session_options options = nacre_session_options_default();
  nacre_session *session = nullptr;
  char reason[256] = "";
};

TEST_F(EntriesTest, SwitchAndShareTheState) {
  repeatMain();
  ASSERT_EQ(create(), NACRE_OK) << reason;
  for (uint32_t entry : {kMain, kSecond}) {
    ASSERT_EQ(use(entry), NACRE_OK);
    fill();
  }
  int runs = 0;
  for (uint32_t entry : {kSecond, kMain, kMain, kSecond, kMain}) {
    ASSERT_EQ(use(entry), NACRE_OK);
    run();
    checkSum(++runs);
  }
  EXPECT_EQ(allocations, 1u);
}

TEST_F(EntriesTest, BeginWithTheEntryOfTheOptions) {
  options.entry = "second";
  ASSERT_EQ(create(), NACRE_OK) << reason;
  fill();
  run();
  ASSERT_EQ(use(kMain), NACRE_OK);
  fill();
  run();
  checkSum(1); // only `main` adds to the state
}

TEST_F(EntriesTest, KeepTheirBuffers) {
  ASSERT_EQ(create(), NACRE_OK) << reason;
  fill();
  run();
  const float *x = input(), *y = output(0);
  ASSERT_EQ(use(kSecond), NACRE_OK);
  EXPECT_NE(input(), x);
  EXPECT_NE(output(0), y);
  fill();
  run();
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    ASSERT_EQ(y[i], toyOutput(i)) << "a run of another entry wrote to it";

  alignas(NACRE_ALIGNMENT) static float apart[kRows * kColumns];
  ASSERT_EQ(nacre_session_bind_output(session, 0, apart), NACRE_OK);
  ASSERT_EQ(use(kMain), NACRE_OK);
  EXPECT_EQ(output(0), y);
  run();
  ASSERT_EQ(use(kSecond), NACRE_OK);
  EXPECT_EQ(output(0), apart);
  run();
}

TEST_F(EntriesTest, CheckBuffersThatWereBoundBeforeASwitch) {
  ASSERT_EQ(create(), NACRE_OK) << reason;
  ASSERT_EQ(nacre_session_bind_output(session, 0, input()), NACRE_OK);
  ASSERT_EQ(use(kSecond), NACRE_OK);
  fill();
  run();
  ASSERT_EQ(use(kMain), NACRE_OK);
  EXPECT_EQ(nacre_session_run(session), NACRE_BAD_ARGUMENT);
  EXPECT_NE(sessionReason().find("overlap"), std::string::npos) << sessionReason();
}

TEST_F(EntriesTest, ShareTheLargestArena) {
  toy.entries[kSecond].arena_bytes += 1 << 20;
  nacre_memory_info all = {}, main = {}, second = {};
  ASSERT_EQ(nacre_session_memory(toy.model(), &options, &all), NACRE_OK) << reason;
  options.all_entries = 0;
  ASSERT_EQ(nacre_session_memory(toy.model(), &options, &main), NACRE_OK);
  options.entry = "second";
  ASSERT_EQ(nacre_session_memory(toy.model(), &options, &second), NACRE_OK);
  EXPECT_EQ(all.arena_bytes, second.arena_bytes);
  EXPECT_EQ(all.scratch_bytes, main.scratch_bytes);
  EXPECT_EQ(all.state_bytes, main.state_bytes);
  EXPECT_EQ(all.input_bytes, main.input_bytes + second.input_bytes);
  EXPECT_EQ(all.output_bytes, main.output_bytes + second.output_bytes);
  EXPECT_LT(all.block_bytes, second.block_bytes + main.input_bytes + main.output_bytes + 4096);

  options.all_entries = 1;
  options.entry = nullptr;
  ASSERT_EQ(create(), NACRE_OK);
  EXPECT_EQ(live, all.block_bytes);
  ASSERT_EQ(use(kSecond), NACRE_OK);
  fill();
  run();
}

TEST_F(EntriesTest, HaveTheScratchOfTheLargest) {
  // The first entry has no launch. So only the second one needs scratch and addresses of operands.
  toy.entries[kMain].step_count = toy.entries[kMain].first_write = 0;
  toy.entries[kMain].arena_bytes = 0;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  ASSERT_EQ(nacre_session_run(session), NACRE_OK);
  ASSERT_EQ(use(kSecond), NACRE_OK);
  fill();
  run();
}

TEST_F(EntriesTest, HaveTheirOwnTimes) {
  options.profile = 1;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  fill();
  run();
  nacre_launch_time time = {};
  EXPECT_EQ(nacre_session_launch_time(session, 3, &time), NACRE_OK);
  EXPECT_EQ(time.executions, 1u);
  ASSERT_EQ(use(kSecond), NACRE_OK);
  EXPECT_EQ(nacre_session_launch_time(session, 0, &time), NACRE_BAD_ARGUMENT) << "it has not run";
  fill();
  run();
  EXPECT_EQ(nacre_session_launch_time(session, 0, &time), NACRE_OK);
  EXPECT_EQ(nacre_session_launch_time(session, 3, &time), NACRE_BAD_ARGUMENT) << "it has two launches";
  ASSERT_EQ(use(kMain), NACRE_OK);
  EXPECT_EQ(nacre_session_launch_time(session, 3, &time), NACRE_OK);
}

TEST_F(EntriesTest, UseTheStateOfTheOptions) {
  repeatMain();
  nacre_state *state = nullptr;
  ASSERT_EQ(nacre_state_create(toy.model(), nullptr, &state), NACRE_OK);
  options.state = state;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  for (uint32_t entry : {kMain, kSecond}) {
    ASSERT_EQ(use(entry), NACRE_OK);
    fill();
    run();
    checkSum(entry == kMain ? 1 : 2);
  }
  float total[kColumns];
  ASSERT_EQ(nacre_state_read(state, 0, total, sizeof total), NACRE_OK);
  for (int64_t c = 0; c < kColumns; ++c)
    EXPECT_EQ(total[c], toySum(c, 2)) << c;
  nacre_session_destroy(session);
  session = nullptr;
  nacre_state_destroy(state);
}

TEST_F(EntriesTest, AreRefusedUnlessRequested) {
  options.all_entries = 0;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  EXPECT_EQ(use(kMain), NACRE_OK);
  EXPECT_EQ(use(kSecond), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(sessionReason(), "the session has only the entry 'main'; create it with all_entries");
  EXPECT_EQ(use(2), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(sessionReason(), "entry must be below 2, but is 2");
  fill();
  run();
}

TEST_F(EntriesTest, StayAfterARefusal) {
  ASSERT_EQ(create(), NACRE_OK) << reason;
  ASSERT_EQ(use(kSecond), NACRE_OK);
  EXPECT_EQ(use(2), NACRE_BAD_ARGUMENT);
  fill();
  run();
  nacre_launch_time time = {};
  EXPECT_EQ(nacre_session_launch_time(session, 3, &time), NACRE_BAD_ARGUMENT) << "the second entry has two launches";
}

TEST_F(EntriesTest, MustAllHaveGoodTables) {
  toy.entries[kSecond].operand_count = 1;
  EXPECT_EQ(create(), NACRE_UNSUPPORTED);
  EXPECT_NE(std::string(reason).find("tables are damaged at"), std::string::npos) << reason;
  options.all_entries = 0;
  EXPECT_EQ(create(), NACRE_OK) << "a session without that entry needs nothing of it: " << reason;
}

TEST_F(EntriesTest, AreNotSeenInTheOptionsOfOlderApps) {
  options.struct_size = offsetof(nacre_session_options, all_entries);
  ASSERT_EQ(create(), NACRE_OK) << reason;
  EXPECT_EQ(use(kSecond), NACRE_BAD_ARGUMENT);
}

TEST_F(EntriesTest, AreFoundByName) {
  uint32_t entry = 7;
  EXPECT_EQ(nacre_entry_find(toy.model(), "second", &entry), NACRE_OK);
  EXPECT_EQ(entry, kSecond);
  EXPECT_EQ(nacre_entry_find(toy.model(), "sec", &entry), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_entry_find(toy.model(), "second one", &entry), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(nacre_entry_find(toy.model(), nullptr, &entry), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(entry, kSecond);
}

TEST_F(EntriesTest, InCpp) {
  Session owner;
  EXPECT_EQ(owner.use("main"), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(owner.reason(), "there is no session; call create first");
  ASSERT_EQ(owner.create(*toy.model(), options), NACRE_OK) << owner.reason();
  float *y = owner.output<float>("y").data();
  ASSERT_EQ(owner.use("second"), NACRE_OK) << owner.reason();
  EXPECT_NE(owner.output<float>("y").data(), y);
  EXPECT_EQ(owner.run(), NACRE_OK);
  EXPECT_EQ(owner.use("third"), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(owner.reason(), "the model has no entry 'third'");
  EXPECT_EQ(owner.use(2u), NACRE_BAD_ARGUMENT);
  EXPECT_STREQ(owner.reason(), "entry must be below 2, but is 2");
  ASSERT_EQ(owner.use(kMain), NACRE_OK);
  EXPECT_EQ(owner.output<float>("y").data(), y);
}

TEST_F(EntriesTest, OfAModelWithOne) {
  toy.table.entry_count = 1;
  toy.table.head.functions = &kSlots<true, false, false, 1>.functions;
  ASSERT_EQ(toy.model()->functions->session_use, nullptr);
  ASSERT_EQ(create(), NACRE_OK) << reason;
  EXPECT_EQ(use(kMain), NACRE_OK);
  EXPECT_EQ(use(kSecond), NACRE_BAD_ARGUMENT);
  fill();
  run();
  checkSum(1);
}

TEST_F(EntriesTest, NeedAModelOfVersionTen) {
  runtime::Slots older = kSlots<true>;
  older.functions.api_version = 9;
  older.functions.session_use = nullptr;
  toy.table.head.functions = &older.functions;
  EXPECT_EQ(nacre_asked_version(toy.model(), &options), NACRE_API_VERSION + 0u) << "which an older model refuses";
  options.all_entries = 0;
  EXPECT_EQ(nacre_asked_version(toy.model(), &options), 9u);
  options.max_iterations = 3;
  EXPECT_EQ(nacre_asked_version(toy.model(), &options), 9u);
  options.all_entries = 1;
  EXPECT_EQ(nacre_asked_version(toy.model(), &options), NACRE_API_VERSION + 0u);
  options.all_entries = 0;
  ASSERT_EQ(create(), NACRE_OK) << reason;
  EXPECT_EQ(use(kMain), NACRE_UNSUPPORTED);
  nacre_session_destroy(session);
  session = nullptr;
}

} // namespace
} // namespace nacre::test
