// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  nacre_session_cancel and max_iterations on the CPU.
// Why:   an app must get its thread back from whatever a model and its inputs do, and go on with the session.
// How:   launches cancel their own run at a place that the test chooses, so that no test depends on time.

#include "test/runtime/RuntimeSlots.h"
#include "test/runtime/steps/StepProgram.h"

#include <atomic>
#include <csignal>
#include <string>
#include <thread>

namespace nacre::test {
namespace {

nacre_session *session = nullptr; // that launches cancel
int64_t cancelAt = -1;            // the number that the noting launch does so after
nacre_status cancelled = NACRE_FAILED;

void noteAndCancel(const nacre_kernel_args *args, int64_t begin, int64_t end) {
  note(args, begin, end);
  if (*numbers(args, 0) == cancelAt)
    cancelled = nacre_session_cancel(session);
}

class CancelTest : public testing::Test {
protected:
  CancelTest() { program.code[Note].function = noteAndCancel; }
  ~CancelTest() override {
    nacre_session_destroy(session);
    session = nullptr;
    cancelAt = -1;
    cancelled = NACRE_FAILED;
  }

  /// A loop that ends where x[0] is 0: it notes 1, 2, ...
  void addLoop() {
    program.launch(Copy, {x(15), t(0)});
    program.loopWhile(
        NACRE_ENDLESS, x(0), [] {},
        [&] {
          program.launch(Increment, {t(0)});
          program.noteOf(t(0));
        });
    for (nacre_step &step : program.list)
      step.name = program.steps[2].name; // loop_1
  }

  void create() { ASSERT_EQ(program.create(&session, reason), NACRE_OK) << reason; }

  int64_t *input() {
    void *data = nullptr;
    EXPECT_EQ(nacre_session_input(session, 0, &data), NACRE_OK);
    return static_cast<int64_t *>(data);
  }
  int64_t *log() {
    void *data = nullptr;
    EXPECT_EQ(nacre_session_output(session, 0, &data), NACRE_OK);
    return static_cast<int64_t *>(data);
  }

  nacre_status runWith(Numbers numbers) {
    numbers.resize(kNumbers);
    std::memcpy(input(), numbers.data(), kNumbers * 8);
    std::memset(log(), 0, kWords * 8);
    return nacre_session_run(session);
  }
  Numbers noted() { return {log() + 1, log() + 1 + *log()}; }
  std::string sessionReason() { return nacre_session_reason(session); }

  StepProgram program;
  char reason[256] = "";
};

TEST_F(CancelTest, EndsAnEndlessLoopWithinTheIteration) {
  addLoop();
  program.noteOf(x(1));
  create();
  cancelAt = 5;
  EXPECT_EQ(runWith({1, 77}), NACRE_CANCELLED);
  EXPECT_EQ(cancelled, NACRE_OK);
  EXPECT_EQ(noted(), Numbers({1, 2, 3, 4, 5}));
  EXPECT_EQ(sessionReason(), "the run was cancelled before 'loop_1'");
  EXPECT_STREQ(nacre_status_text(NACRE_CANCELLED), "cancelled: run again at any time");
  cancelAt = -1;
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(runWith({0, 77}), NACRE_OK) << sessionReason();
    EXPECT_EQ(noted(), Numbers({77}));
  }
}

TEST_F(CancelTest, IsForAnyThread) {
  addLoop();
  create();
  std::atomic<bool> isOver{false};
  std::thread other([&] {
    while (!isOver)
      nacre_session_cancel(session);
  });
  EXPECT_EQ(runWith({1}), NACRE_CANCELLED);
  isOver = true;
  other.join();
  EXPECT_EQ(runWith({0}), NACRE_OK);
}

void raiseSignal(const nacre_kernel_args *, int64_t, int64_t) { std::raise(SIGUSR1); }

TEST_F(CancelTest, IsForSignalHandlers) {
  addLoop();
  program.code[Increment].function = raiseSignal;
  create();
  const auto before = std::signal(SIGUSR1, [](int) { cancelled = nacre_session_cancel(session); });
  EXPECT_EQ(runWith({1}), NACRE_CANCELLED);
  std::signal(SIGUSR1, before);
  EXPECT_EQ(cancelled, NACRE_OK);
}

TEST_F(CancelTest, HasNoEffectOnLaterRuns) {
  addLoop();
  create();
  EXPECT_EQ(nacre_session_cancel(session), NACRE_BAD_ARGUMENT) << "no run is in progress";
  EXPECT_EQ(sessionReason(), "") << "a reason belongs to the session's thread";
  EXPECT_EQ(runWith({0}), NACRE_OK);
  EXPECT_EQ(nacre_session_cancel(session), NACRE_BAD_ARGUMENT);
  cancelAt = 1;
  EXPECT_EQ(runWith({1}), NACRE_CANCELLED);
  EXPECT_EQ(nacre_session_cancel(session), NACRE_BAD_ARGUMENT);
  EXPECT_EQ(runWith({0}), NACRE_OK);
}

TEST_F(CancelTest, EndsAStraightRunBeforeTheNextLaunch) {
  for (uint64_t i = 0; i < 4; ++i)
    program.noteOf(x(i));
  create();
  cancelAt = 20;
  EXPECT_EQ(runWith({10, 20, 30, 40}), NACRE_CANCELLED);
  EXPECT_EQ(noted(), Numbers({10, 20}));
  cancelAt = 40; // too late
  EXPECT_EQ(runWith({10, 20, 30, 40}), NACRE_OK);
  EXPECT_EQ(noted(), Numbers({10, 20, 30, 40}));
}

TEST_F(CancelTest, LeavesNoSizesAndTimes) {
  program.options.profile = 1;
  program.noteOf(x(0));
  program.noteOf(x(1));
  create();
  nacre_launch_time time;
  EXPECT_EQ(runWith({10, 20}), NACRE_OK);
  EXPECT_EQ(nacre_session_launch_time(session, 0, &time), NACRE_OK);
  cancelAt = 10;
  EXPECT_EQ(runWith({10, 20}), NACRE_CANCELLED);
  EXPECT_EQ(nacre_session_launch_time(session, 0, &time), NACRE_BAD_ARGUMENT);
}

TEST_F(CancelTest, ALimitIsTheNumberOfIterationsThatAreAllowed) {
  program.options.max_iterations = 10;
  program.loop(8, {x(0)}, [&] { program.loop(2, {x(1)}, [&] { program.noteOf(x(2)); }); });
  program.loopWhile(9, x(3), [] {}, [&] { program.noteOf(x(4)); });
  for (nacre_step &step : program.list)
    step.name = program.steps[2].name;
  create();
  EXPECT_EQ(runWith({3, 2, 50}), NACRE_OK) << "3 and 3 * 2";
  EXPECT_EQ(runWith({5, 1, 50}), NACRE_OK) << "5 and 5";
  EXPECT_EQ(noted().size(), 5u);
  EXPECT_EQ(runWith({8, 0}), NACRE_OK);
  EXPECT_EQ(runWith({1, 0, 0, 1}), NACRE_OK) << "1 and 9 that a test lets go on";
  EXPECT_EQ(runWith({2, 0, 0, 1}), NACRE_TOO_MANY_ITERATIONS) << "2 and 9";
  EXPECT_EQ(runWith({8, 2, 50}), NACRE_TOO_MANY_ITERATIONS);
  EXPECT_EQ(sessionReason(), "the run exceeded max_iterations (10) in the loop of 'loop_1'");
  EXPECT_EQ(noted().size(), 8u) << "three times 2 and 1, and then 2";
  EXPECT_EQ(runWith({5, 1, 50}), NACRE_OK) << "each run counts anew";
}

TEST_F(CancelTest, ALimitEndsAnEndlessLoop) {
  program.options.max_iterations = 100;
  addLoop();
  create();
  EXPECT_EQ(runWith({1}), NACRE_TOO_MANY_ITERATIONS);
  EXPECT_EQ(noted().size(), 101u);
  EXPECT_EQ(runWith({0}), NACRE_OK);
}

/// Steps of the toy model that end a run before the state is written, and one that is too late.
class CancelToy : public testing::Test {
protected:
  static void thenCancel(nacre_kernel_function function, const nacre_kernel_args *args, int64_t begin, int64_t end) {
    function(args, begin, end);
    if (cancels)
      nacre_session_cancel(session);
  }
  template <int kernel> void cancelIn() {
    static nacre_kernel_function function;
    function = toy.variants[kernel].function;
    toy.variants[kernel].function = [](const nacre_kernel_args *args, int64_t begin, int64_t end) {
      thenCancel(function, args, begin, end);
    };
  }

  void create(uint32_t threads) {
    nacre_session_options options = nacre_session_options_default();
    options.threads = threads;
    ASSERT_EQ(nacre_session_create(toy.model(), &options, &session), NACRE_OK);
    void *data = nullptr;
    ASSERT_EQ(nacre_session_input(session, 0, &data), NACRE_OK);
    for (int64_t i = 0; i < kRows * kColumns; ++i)
      static_cast<float *>(data)[i] = toyInput(i);
  }
  void expectSum(int runs) {
    nacre_state *state = nullptr;
    float total[kColumns];
    ASSERT_EQ(nacre_session_state(session, &state), NACRE_OK);
    ASSERT_EQ(nacre_state_read(state, 0, total, sizeof total), NACRE_OK);
    for (int64_t c = 0; c < kColumns; ++c)
      ASSERT_EQ(total[c], toySum(c, runs)) << c;
  }
  ~CancelToy() override {
    nacre_session_destroy(session);
    session = nullptr;
    cancels = false;
  }

  static inline bool cancels = false;
  ToyModel toy;
};

TEST_F(CancelToy, LeavesTheStateAsItWas) {
  cancelIn<2>(); // relu_1
  for (uint32_t threads : {1, 4}) {
    create(threads);
    int runs = 0;
    for (int iteration = 0; iteration < 10; ++iteration) {
      cancels = iteration % 2 == 1;
      EXPECT_EQ(nacre_session_run(session), cancels ? NACRE_CANCELLED : NACRE_OK);
      runs += !cancels;
      expectSum(runs);
    }
    nacre_session_destroy(session);
    session = nullptr;
  }
}

TEST_F(CancelToy, IsTooLateOnceTheStateIsWritten) {
  cancelIn<4>(); // sum_1, in the loop over the state
  create(2);
  cancels = true;
  EXPECT_EQ(nacre_session_run(session), NACRE_OK);
  expectSum(1);
}

TEST_F(CancelToy, EndsAnEndlessLoopOnManyThreads) {
  toy.loopWhile();
  cancelIn<2>();
  for (uint32_t threads : {1, 4}) {
    create(threads);
    void *x = nullptr;
    ASSERT_EQ(nacre_session_input(session, 0, &x), NACRE_OK);
    for (int iteration = 1; iteration <= 5; ++iteration) {
      static_cast<float *>(x)[kSwitch] = 1;
      cancels = true;
      EXPECT_EQ(nacre_session_run(session), NACRE_CANCELLED);
      static_cast<float *>(x)[kSwitch] = toyInput(kSwitch);
      cancels = false;
      EXPECT_EQ(nacre_session_run(session), NACRE_OK);
      expectSum(iteration);
    }
    nacre_session_destroy(session);
    session = nullptr;
  }
}

TEST_F(CancelToy, IsRefusedOfOlderModels) {
  runtime::Slots older = kSlots<true>;
  older.functions.api_version = NACRE_OLDEST_API_VERSION;
  create(1);
  const nacre_functions *own = session->functions;
  session->functions = &older.functions;
  EXPECT_EQ(nacre_session_cancel(session), NACRE_UNSUPPORTED);
  session->functions = own;
  toy.table.head.functions = &older.functions;
  nacre_session_options options = nacre_session_options_default();
  EXPECT_EQ(nacre_asked_version(toy.model(), &options), NACRE_OLDEST_API_VERSION + 0u);
  options.max_iterations = 1;
  EXPECT_EQ(nacre_asked_version(toy.model(), &options), NACRE_API_VERSION + 0u) << "which it refuses";
}

} // namespace
} // namespace nacre::test
