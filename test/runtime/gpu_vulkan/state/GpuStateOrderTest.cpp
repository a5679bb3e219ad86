// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  sessions that share states, on the GPU and on the CPU, and calls on these, in random orders.
// Why:   where the newest data of a state is depends on who has used it before; the next user must find it.
// How:   each step is also done to plain arrays. If the device is lost, a state may become what it was before, but
//        never anything else, and somebody must be told.

#include "test/runtime/gpu_vulkan/state/GpuKeptState.h"

#include <cstdio>
#include <random>

namespace nacre::test {
namespace {

struct GpuStateOrderTest : GpuKeptState {
  static constexpr size_t kStates = 2, kSessions = 4;

  struct Kept {
    nacre_state *handle = nullptr;
    Rows rows = {};
    std::vector<Rows> before; ///< All that it has been.
  };
  struct Used {
    nacre_session *handle = nullptr;
    size_t state = 0;
    bool trains = false;
  };

  ~GpuStateOrderTest() override {
    for (Used &one : used)
      nacre_session_destroy(one.handle);
    for (Kept &one : kept)
      nacre_state_destroy(one.handle);
    std::remove(path.c_str());
  }

  unsigned below(unsigned limit) { return unsigned(random() % limit); }

  void createSession(Used &one) {
    one.state = below(kStates);
    one.trains = below(4) != 0;
    options.state = kept[one.state].handle;
    options.entry = one.trains ? nullptr : "second";
    options.gpu = below(4) == 0 ? NACRE_GPU_NEVER : NACRE_GPU_IF_USEFUL;
    ASSERT_EQ(nacre_session_create(toy.model(), &options, &one.handle), NACRE_OK) << reason;
    void *x = nullptr;
    ASSERT_EQ(nacre_session_input(one.handle, 0, &x), NACRE_OK);
    for (int64_t i = 0; i < kRows * kColumns; ++i)
      static_cast<float *>(x)[i] = toyInput(i);
  }

  void become(Kept &state, const Rows &rows) {
    state.rows = rows;
    state.before.push_back(rows);
  }

  /// After somebody was told of a loss.
  void takeOlder(Kept &state) {
    ASSERT_TRUE(mayLose);
    Rows rows;
    ASSERT_EQ(nacre_state_read(state.handle, 0, rows.data(), kStateBytes), NACRE_OK)
        << "told twice: " << nacre_state_reason(state.handle);
    ASSERT_TRUE(std::find(state.before.begin(), state.before.end(), rows) != state.before.end());
    become(state, rows);
  }

  /// A call on a state, which another call may follow that finds out of a loss.
  void call(Kept &state, const std::function<nacre_status()> &make) {
    const nacre_status status = make();
    if (status == NACRE_OK)
      return;
    ASSERT_NE(std::string(nacre_state_reason(state.handle)).find("is lost"), std::string::npos)
        << nacre_state_reason(state.handle);
    takeOlder(state);
    ASSERT_EQ(make(), NACRE_OK) << nacre_state_reason(state.handle);
  }

  void runOnce(Used &one) {
    Kept &state = kept[one.state];
    said.clear();
    ASSERT_EQ(nacre_session_run(one.handle), NACRE_OK) << nacre_session_reason(one.handle);
    session = one.handle;
    expected = state.rows;
    for (const std::string &text : said)
      if (text.find("made of it is lost") != std::string::npos) {
        ASSERT_TRUE(mayLose) << text;
        // What the run began with cannot be seen any more, but what it made of that.
        Rows rows;
        session = nullptr;
        ASSERT_EQ(nacre_state_read(state.handle, 0, rows.data(), kStateBytes), NACRE_OK);
        for (const Rows &older : state.before) {
          expected = older;
          if (one.trains)
            update();
          if (expected == rows)
            break;
        }
        ASSERT_EQ(expected, rows);
        return become(state, expected);
      }
    if (one.trains)
      update();
    checkOutputs();
    session = nullptr;
    become(state, expected);
  }

  void stepOnce() {
    Used &one = used[below(kSessions)];
    Kept &state = kept[below(kStates)], &other = kept[below(kStates)];
    switch (below(12)) {
    case 0: {
      nacre_session_destroy(one.handle);
      one.handle = nullptr;
      return createSession(one);
    }
    case 1: {
      Rows rows;
      for (float &value : rows)
        value = float(below(11)) - 5;
      call(state, [&] { return nacre_state_write(state.handle, 0, rows.data(), kStateBytes); });
      return become(state, rows);
    }
    case 2:
      call(state, [&] { return nacre_state_reset(state.handle, NACRE_STATE_ALL); });
      return become(state, Rows{});
    case 3:
      call(state, [&] { return nacre_state_save(state.handle, path.c_str(), NACRE_STATE_ALL); });
      call(other, [&] { return nacre_state_load(other.handle, path.c_str(), NACRE_STATE_ALL); });
      return become(other, state.rows);
    case 4: {
      // Both may be lost, and the call tells of one after the other.
      Rows rows;
      call(state, [&] { return nacre_state_read(state.handle, 0, rows.data(), kStateBytes); });
      call(other, [&] { return nacre_state_copy(state.handle, other.handle); });
      return become(other, state.rows);
    }
    case 5: {
      Rows rows;
      call(state, [&] { return nacre_state_read(state.handle, 0, rows.data(), kStateBytes); });
      ASSERT_EQ(rows, state.rows);
      return;
    }
    default:
      return runOnce(one);
    }
  }

  void goThrough(unsigned seed, bool loses) {
    random.seed(seed);
    reset();
    defyPolls();
    mayLose = loses && memories_apart_for_tests;
    for (Kept &one : kept) {
      one = {};
      ASSERT_EQ(nacre_state_create(toy.model(), nullptr, &one.handle), NACRE_OK);
      become(one, Rows{});
    }
    for (Used &one : used)
      createSession(one);
    const unsigned lossAt = loses ? below(30) : 40;
    for (unsigned step = 0; step < 40 && !HasFatalFailure(); ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      if (step == lossAt)
        loseDevice(1 + int(below(12)));
      stepOnce();
    }
    for (Used &one : used) {
      nacre_session_destroy(one.handle);
      one.handle = nullptr;
    }
    for (Kept &one : kept) {
      Rows rows;
      call(one, [&] { return nacre_state_read(one.handle, 0, rows.data(), kStateBytes); });
      EXPECT_TRUE(rows == one.rows || HasFatalFailure());
      nacre_state_destroy(one.handle);
      one.handle = nullptr;
    }
  }

  std::mt19937 random;
  std::array<Kept, kStates> kept;
  std::array<Used, kSessions> used;
  bool mayLose = false;
  std::string path = testing::TempDir() + "nacre-state-order.safetensors";
};

TEST_F(GpuStateOrderTest, IsFoundByWhoeverComesNext) {
  for (bool apart : {false, true})
    for (unsigned seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + (apart ? ", memories apart" : ""));
      memories_apart_for_tests = apart;
      ASSERT_NO_FATAL_FAILURE(goThrough(seed, /*loses=*/false));
    }
}

TEST_F(GpuStateOrderTest, IsTheSameOrOlderWhereTheDeviceIsLost) {
  for (bool apart : {false, true})
    for (unsigned seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + (apart ? ", memories apart" : ""));
      memories_apart_for_tests = apart;
      ASSERT_NO_FATAL_FAILURE(goThrough(seed, /*loses=*/true));
    }
}

} // namespace
} // namespace nacre::test
