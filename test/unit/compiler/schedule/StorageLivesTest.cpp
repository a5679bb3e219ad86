// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When storages are alive: what each rule says, and random programs executed in the arenas that follow.

#include "compiler/schedule/StorageLives.h"
#include "compiler/schedule/ArenaPlanner.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace nacre::schedule;

namespace {

constexpr int64_t kBytes = 4; // of every storage here

Touch reads(unsigned storage) { return {storage, 0, kBytes, false, false}; }
Touch writes(unsigned storage) { return {storage, 0, kBytes, true, false}; }

Step launch(llvm::ArrayRef<Touch> touches) {
  Step step;
  step.touches.assign(touches.begin(), touches.end());
  return step;
}
Step loop(std::vector<Step> body) {
  Step step;
  step.kind = StepKind::Loop;
  step.first = std::move(body);
  return step;
}
Step counted(std::vector<Step> body) {
  Step step = loop(std::move(body));
  step.mayHaveNoIteration = true;
  return step;
}
Step tested(std::vector<Step> test, std::vector<Step> body) {
  Step step = loop(std::move(test));
  step.second = std::move(body);
  return step;
}
Step branch(std::vector<Step> yes, std::vector<Step> no) {
  Step step = loop(std::move(yes));
  step.kind = StepKind::If;
  step.second = std::move(no);
  return step;
}

std::pair<unsigned, unsigned> lifeOf(unsigned storage, const std::vector<Step> &program) {
  const Life life = readLives(program, 3)[storage];
  return {life.first, life.last};
}

using Span = std::pair<unsigned, unsigned>;

} // namespace

TEST(StorageLives, WithoutLoopsFromTheFirstToTheLastTouch) {
  EXPECT_EQ(lifeOf(0, {launch({writes(0)}), launch({}), launch({reads(0)}), launch({})}), Span(0, 2));
  EXPECT_EQ(lifeOf(1, {launch({writes(0)})}), Span(1, 0)) << "nothing touches it";
}

TEST(StorageLives, WhatAnIterationWritesBeforeItReadsLivesInsideTheBody) {
  EXPECT_EQ(lifeOf(0, {loop({launch({writes(0)}), launch({reads(0)}), launch({})})}), Span(1, 2));
}

TEST(StorageLives, WhatIsCarriedLivesAllOfTheLoop) {
  // The loop's own numbers are 0 and 3.
  EXPECT_EQ(lifeOf(0, {loop({launch({reads(0)}), launch({writes(0)})})}), Span(0, 3)) << "from iteration to iteration";
  EXPECT_EQ(lifeOf(0, {loop({launch({reads(0), writes(0)}), launch({})})}), Span(0, 3)) << "in place";
  EXPECT_EQ(lifeOf(0, {loop({launch({writes(0)}), launch({})}), launch({reads(0)})}), Span(0, 4)) << "out of it";
  EXPECT_EQ(lifeOf(0, {launch({writes(0)}), loop({launch({reads(0)}), launch({})})}), Span(0, 4)) << "into it";
}

TEST(StorageLives, APartIsNotTheWhole) {
  const Touch half = {0, 0, kBytes / 2, true, false}, row = {0, 0, kBytes, true, true};
  EXPECT_EQ(lifeOf(0, {loop({launch({half}), launch({reads(0)})})}), Span(0, 3));
  EXPECT_EQ(lifeOf(0, {loop({launch({row}), launch({reads(0)})})}), Span(0, 3)) << "another row in each iteration";
  Touch sameHalf = half;
  sameHalf.writes = false;
  EXPECT_EQ(lifeOf(0, {loop({launch({half}), launch({sameHalf})})}), Span(1, 2));
}

TEST(StorageLives, WhatIsWrittenInABranchIsNotWrittenForCertain) {
  EXPECT_EQ(lifeOf(0, {loop({branch({launch({writes(0)})}, {}), launch({reads(0)})})}), Span(0, 4));
  EXPECT_EQ(lifeOf(0, {loop({branch({launch({writes(0)})}, {launch({writes(0)})}), launch({reads(0)})})}), Span(2, 4));
  EXPECT_EQ(lifeOf(0, {loop({counted({launch({writes(0)})}), launch({reads(0)})})}), Span(0, 5))
      << "perhaps no iteration";
  EXPECT_EQ(lifeOf(0, {loop({loop({launch({writes(0)})}), launch({reads(0)})})}), Span(1, 4))
      << "one iteration at least";
}

TEST(StorageLives, TheTestRunsOnceMoreThanTheBody) {
  EXPECT_EQ(lifeOf(0, {loop({tested({launch({writes(0)})}, {launch({})}), launch({reads(0)})})}), Span(1, 5));
  EXPECT_EQ(lifeOf(0, {loop({tested({launch({})}, {launch({writes(0)})}), launch({reads(0)})})}), Span(0, 6));
}

TEST(StorageLives, BranchesShareBytes) {
  const std::vector<Step> program = {
      branch({launch({writes(0)}), launch({reads(0)})}, {launch({writes(1)}), launch({reads(1)})})};
  EXPECT_EQ(lifeOf(0, program), Span(1, 2));
  EXPECT_EQ(lifeOf(1, program), Span(3, 4));
}

//===----------------------------------------------------------------------===//
// Random programs: whoever reads a byte must find what was last written there
//===----------------------------------------------------------------------===//

namespace {

constexpr unsigned kStorages = 6;

class RandomPrograms {
public:
  explicit RandomPrograms(unsigned seed) : random(seed) {}

  unsigned below(unsigned end) { return random() % end; }

  std::vector<Step> steps(unsigned depth, bool inLoop) {
    std::vector<Step> list(1 + below(3));
    for (Step &step : list)
      step = draw(depth, inLoop);
    return list;
  }

private:
  Step draw(unsigned depth, bool inLoop) {
    Step step;
    for (unsigned i = below(3); i > 0; --i)
      step.touches.push_back(drawTouch(inLoop));
    const unsigned kind = depth == 0 ? 0 : below(5);
    if (kind < 2)
      return step;
    llvm::erase_if(step.touches, [](const Touch &touch) { return touch.writes; }); // control steps read
    step.kind = kind == 2 ? StepKind::If : StepKind::Loop;
    step.first = steps(depth - 1, inLoop || kind != 2);
    if (kind != 3)
      step.second = steps(depth - 1, inLoop || kind != 2);
    step.mayHaveNoIteration = kind == 3 && below(2);
    return step;
  }

  Touch drawTouch(bool inLoop) {
    Touch touch = {below(kStorages), 0, kBytes, below(2) == 0, inLoop && below(4) == 0};
    if (!touch.moves && below(2) == 0) {
      touch.begin = below(kBytes);
      touch.end = touch.begin + 1 + below(kBytes - touch.begin);
    }
    return touch;
  }

  std::mt19937 random;
};

class Machine {
public:
  Machine(const ArenaPlan &plan, RandomPrograms &random)
      : plan(plan), random(random), arena(plan.sizeInBytes, 0), last(kStorages * kBytes, 0) {}

  void run(llvm::ArrayRef<Step> steps, int64_t iteration) {
    for (const Step &step : steps)
      run(step, iteration);
  }

  bool good = true;

private:
  void run(const Step &step, int64_t iteration) {
    for (bool writes : {false, true}) // a launch reads before it writes
      for (const Touch &touch : step.touches)
        if (touch.writes == writes)
          access(touch, iteration);
    if (step.kind == StepKind::If) {
      run(random.below(2) ? step.first : step.second, iteration);
    } else if (step.kind == StepKind::Loop) {
      const bool isTested = !step.second.empty();
      const unsigned iterations = random.below(3) + (isTested || step.mayHaveNoIteration ? 0 : 1);
      for (unsigned i = 0; i < iterations; ++i) {
        run(step.first, i);
        run(step.second, i);
      }
      if (isTested)
        run(step.first, iterations);
    }
  }

  void access(const Touch &touch, int64_t iteration) {
    const int64_t row = iteration % kBytes;
    for (int64_t byte = touch.moves ? row : touch.begin; byte < (touch.moves ? row + 1 : touch.end); ++byte) {
      int &inArena = arena[plan.offsetsInBytes[touch.storage] + byte];
      int &known = last[touch.storage * kBytes + byte];
      if (touch.writes)
        inArena = known = ++stamp;
      else
        good &= known == 0 || inArena == known;
    }
  }

  const ArenaPlan &plan;
  RandomPrograms &random;
  std::vector<int> arena, last; // stamps; 0: never written
  int stamp = 0;
};

} // namespace

TEST(StorageLives, RandomProgramsFindWhatTheyHaveWritten) {
  unsigned shared = 0;
  for (unsigned seed = 0; seed < 20000; ++seed) {
    RandomPrograms random(seed);
    const std::vector<Step> program = random.steps(3, false);
    std::vector<BufferDemand> demands;
    for (const Life &life : readLives(program, kStorages))
      demands.push_back({life.first > life.last ? 0 : kBytes, life.first > life.last ? 0 : life.first, life.last});
    const ArenaPlan plan = planArena(demands, 1);
    int64_t total = 0;
    for (const BufferDemand &demand : demands)
      total += demand.sizeInBytes;
    shared += plan.sizeInBytes < total;
    for (unsigned run = 0; run < 4; ++run) {
      Machine machine(plan, random);
      machine.run(program, 0);
      ASSERT_TRUE(machine.good) << "seed " << seed;
    }
  }
  EXPECT_GT(shared, 1000u) << "or nothing was tried";
}
