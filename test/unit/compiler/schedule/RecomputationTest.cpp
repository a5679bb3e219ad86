// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recomputation: each rule, and random programs that must read the same values as before.

#include "compiler/schedule/Recomputation.h"

#include "compiler/schedule/ArenaPlanner.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <map>
#include <numeric>
#include <random>

using namespace nacre::schedule;

namespace {

constexpr int64_t kBytes = 4; // that touches tell apart

class Programs {
public:
  Step launch(const std::vector<unsigned> &reads, const std::vector<unsigned> &writes, double nanoseconds = 1) {
    Step step;
    for (unsigned storage : reads)
      step.touches.push_back({storage, 0, kBytes, false, false});
    for (unsigned storage : writes)
      step.touches.push_back({storage, 0, kBytes, true, false});
    return number(std::move(step), {nanoseconds, 1, false});
  }
  Step loop(std::vector<Step> body, double iterations) {
    Step step;
    step.kind = StepKind::Loop;
    step.first = std::move(body);
    return number(std::move(step), {0, iterations, false});
  }
  PricedProgram program(std::vector<Step> steps, std::vector<int64_t> bytes) {
    return {std::move(steps), {bytes.begin(), bytes.end()}, prices};
  }

private:
  Step number(Step step, StepPrice price) {
    step.id = prices.size();
    prices.push_back(price);
    return step;
  }

  std::vector<StepPrice> prices;
};

std::vector<unsigned> idsOf(llvm::ArrayRef<Step> steps) {
  std::vector<unsigned> ids;
  for (const Step &step : steps)
    ids.push_back(step.id);
  return ids;
}

PricedProgram after(PricedProgram program, const RecomputationPlan &plan) {
  for (const Recomputation &change : plan.changes)
    apply(program, change);
  return program;
}

using Ids = std::vector<unsigned>;

} // namespace

TEST(Recomputation, WhatIsCheapRunsAgainBeforeItIsRead) {
  // A layer and a map of it, both kept; large values in between; then the way back reads both.
  Programs make;
  enum { X, Layer, Map, Large, Back };
  std::vector<Step> steps = {make.launch({X}, {Layer}, 1000), make.launch({Layer}, {Map}, 10),
                             make.launch({Map}, {Large}, 1000), make.launch({Large}, {Back}),
                             make.launch({Back, Map, Layer}, {X})};
  const PricedProgram program = make.program(std::move(steps), {0, 100, 100, 100, 10});
  EXPECT_TRUE(planRecomputation(program, 310, 1).changes.empty()) << "it fits as it is";
  RecomputationPlan plan = planRecomputation(program, 309, 1);
  ASSERT_EQ(plan.changes.size(), 1u) << "the map";
  EXPECT_EQ(plan.changes.front().nanoseconds, 10);
  EXPECT_EQ(plan.arenaBytes, 300);
  plan = planRecomputation(program, 299, 1);
  ASSERT_EQ(plan.changes.size(), 2u) << "then the layer, of which the map is made again";
  EXPECT_EQ(plan.changes.back().nanoseconds, 1000);
  EXPECT_EQ(plan.arenaBytes, 210);
  EXPECT_EQ(planRecomputation(program, 0, 1).arenaBytes, 210) << "no less can be had";
}

TEST(Recomputation, GivesTheProgramWithCopies) {
  Programs make;
  enum { X, Layer, Map, Small, Large, Code, Back };
  std::vector<Step> steps = {make.launch({X}, {Layer}, 1000),   make.launch({Layer}, {Map}, 10),
                             make.launch({Map}, {Small}, 1000), make.launch({Small}, {Large}, 1000),
                             make.launch({Large}, {Code}),      make.launch({Code, Map}, {Back}),
                             make.launch({Back, Layer}, {X})};
  const PricedProgram program = make.program(std::move(steps), {0, 100, 100, 10, 150, 1, 10});
  const RecomputationPlan plan = planRecomputation(program, 300, 1);
  ASSERT_EQ(plan.changes.size(), 1u);
  EXPECT_EQ(plan.arenaBytes, 260);
  const PricedProgram changed = after(program, plan);
  EXPECT_EQ(idsOf(changed.steps), (Ids{0, 1, 2, 3, 4, 7, 5, 6}));
  const unsigned again = program.bytes.size();
  EXPECT_EQ(changed.bytes[again], 100);
  EXPECT_EQ(changed.steps[5].touches[0].storage, unsigned(Layer));
  EXPECT_EQ(changed.steps[5].touches[1].storage, again);
  EXPECT_EQ(changed.steps[6].touches[1].storage, again);
}

TEST(Recomputation, TakesWhatCostsLeastForEachByte) {
  Programs make;
  enum { X, Dear, Cheap, Large, Code };
  std::vector<Step> steps = {make.launch({X}, {Dear}, 1000),     make.launch({X}, {Cheap}, 20),
                             make.launch({X}, {Large}, 1),       make.launch({Large}, {Code}, 1),
                             make.launch({Code, Cheap}, {Code}), make.launch({Code, Dear}, {X})};
  const PricedProgram program = make.program(std::move(steps), {0, 100, 100, 500, 1});
  std::optional<Recomputation> change = findRecomputation(program);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kept, unsigned(Cheap));
}

TEST(Recomputation, WhatIsReadMustBeAsItWas) {
  // x is another before the map is read again.
  Programs make;
  enum { X, Map, Large, Code };
  std::vector<Step> steps = {make.launch({X}, {Map}), make.launch({X}, {Large}), make.launch({Large}, {Code}),
                             make.launch({Code}, {X}), make.launch({Code, Map}, {X})};
  EXPECT_FALSE(findRecomputation(make.program(std::move(steps), {0, 100, 500, 1})));
}

TEST(Recomputation, AChainRunsAgainAsAWhole) {
  // What the second is made of is gone, and as large as it: kept for it, nothing would be gained.
  Programs make;
  enum { X, First, Second, Large, Code };
  std::vector<Step> steps = {make.launch({X}, {First}), make.launch({First}, {Second}), make.launch({Second}, {Large}),
                             make.launch({Large}, {Code}), make.launch({Code, Second}, {Code})};
  const PricedProgram program = make.program(std::move(steps), {0, 100, 100, 500, 1});
  const PricedProgram changed = after(program, planRecomputation(program, 0, 1));
  EXPECT_EQ(idsOf(changed.steps), (Ids{0, 1, 2, 3, 5, 6, 4}));
}

TEST(Recomputation, WhatOneLoopReadsIsMadeInEachOfItsIterations) {
  Programs make;
  enum { Weight, Panels, Product, Large, Sum };
  std::vector<Step> body = {make.launch({Weight, Panels}, {Product}), make.launch({Product}, {Large}),
                            make.launch({Large, Sum}, {Sum})};
  std::vector<Step> steps = {make.launch({}, {Sum}), make.launch({Weight}, {Panels}, 10)};
  steps.push_back(make.loop(std::move(body), 4));
  steps.push_back(make.launch({Sum}, {Weight}));
  const PricedProgram program = make.program(std::move(steps), {0, 100, 10, 200, 1});
  const RecomputationPlan plan = planRecomputation(program, 0, 1);
  ASSERT_EQ(plan.changes.size(), 1u);
  EXPECT_TRUE(plan.changes.front().moves);
  EXPECT_EQ(plan.changes.front().nanoseconds, 30);
  EXPECT_EQ(plan.arenaBytes, 211);
  const PricedProgram changed = after(program, plan);
  EXPECT_EQ(idsOf(changed.steps), (Ids{3, 5, 6}));
  EXPECT_EQ(idsOf(changed.steps[1].first), (Ids{4, 0, 1, 2}));

  PricedProgram decided = program;
  decided.prices[5].isDecided = true;
  EXPECT_FALSE(findRecomputation(decided)) << "nobody knows how often it would run";
}

//===----------------------------------------------------------------------===//
// Random programs: every step reads what it did before
//===----------------------------------------------------------------------===//

namespace {

class RandomPrograms {
public:
  explicit RandomPrograms(unsigned seed) : random(seed) {}

  PricedProgram draw() {
    PricedProgram program;
    for (unsigned i = 4 + below(12); i > 0; --i)
      program.bytes.push_back(below(5) ? int64_t(1 + below(100)) : 0);
    prices = &program.prices;
    storages = program.bytes.size();
    program.steps = steps(/*count=*/4 + below(20), /*depth=*/2);
    feedLoops(program);
    return program;
  }

private:
  unsigned below(unsigned end) { return random() % end; }

  std::vector<Step> steps(unsigned count, unsigned depth) {
    std::vector<Step> list(count);
    for (Step &step : list)
      step = drawStep(depth);
    return list;
  }

  /// Values that are made before a loop and read only there.
  void feedLoops(PricedProgram &program) {
    for (size_t index = program.steps.size(); index-- > 0;) {
      if (program.steps[index].kind != StepKind::Loop)
        continue;
      const unsigned fed = program.bytes.size();
      program.bytes.push_back(100);
      program.steps[index].first[below(program.steps[index].first.size())].touches.push_back(
          {fed, 0, kBytes, false, false});
      Step maker = drawStep(/*depth=*/0);
      llvm::erase_if(maker.touches, [](const Touch &touch) { return touch.writes; });
      maker.touches.push_back({fed, 0, kBytes, true, false});
      program.steps.insert(program.steps.begin() + index, maker);
    }
  }

  Step drawStep(unsigned depth) {
    Step step;
    step.id = prices->size();
    prices->push_back({double(1 + below(100)), 1, false});
    const unsigned kind = depth == 0 ? 0 : below(12);
    for (unsigned i = below(3); i > 0; --i)
      step.touches.push_back(drawTouch(false));
    if (kind < 10) {
      for (unsigned i = 1 + below(2); i > 0; --i)
        step.touches.push_back(drawTouch(true));
      return step;
    }
    step.kind = kind == 10 ? StepKind::If : StepKind::Loop;
    (*prices)[step.id].iterations = 3;
    (*prices)[step.id].isDecided = below(2);
    step.first = steps(1 + below(8), depth - 1);
    if (kind == 10)
      step.second = steps(below(3), depth - 1);
    return step;
  }

  Touch drawTouch(bool writes) {
    Touch touch = {below(storages), 0, kBytes, writes, false};
    if (below(4) == 0)
      (below(2) ? touch.begin : touch.end) = kBytes / 2;
    return touch;
  }

  std::mt19937 random;
  std::vector<StepPrice> *prices = nullptr;
  unsigned storages = 0;
};

/// Runs a program in which each storage has memory of its own, and notes what original steps read.
class Machine {
public:
  Machine(const PricedProgram &program, unsigned originals) : originals(originals), kernels(program.prices.size()) {
    std::iota(kernels.begin(), kernels.end(), 0);
  }

  void isCopy(unsigned id, unsigned of) { kernels[id] = kernels[of]; }

  void run(llvm::ArrayRef<Step> steps) {
    for (const Step &step : steps)
      run(step);
  }

  std::vector<std::pair<unsigned, size_t>> log;

private:
  void run(const Step &step) {
    llvm::hash_code read = llvm::hash_value(kernels[step.id]);
    for (const Touch &touch : step.touches)
      for (int64_t byte = touch.begin; !touch.writes && byte < touch.end; ++byte)
        read = llvm::hash_combine(read, memory[{touch.storage, byte}]);
    if (step.id < originals)
      log.push_back({step.id, size_t(read)});
    for (auto [number, touch] : llvm::enumerate(step.touches))
      for (int64_t byte = touch.begin; touch.writes && byte < touch.end; ++byte)
        memory[{touch.storage, byte}] = size_t(llvm::hash_combine(read, number, byte));
    if (step.kind == StepKind::If)
      run(size_t(read) % 2 ? step.first : step.second);
    for (unsigned iteration = 0; step.kind == StepKind::Loop && iteration < 3; ++iteration)
      run(step.first);
  }

  const unsigned originals;
  std::vector<unsigned> kernels; ///< Kernels by id.
  std::map<std::pair<unsigned, int64_t>, size_t> memory;
};

/// Readings without those of other steps: a step that moved into a loop runs more often.
std::vector<std::pair<unsigned, size_t>> readings(const Machine &machine, const llvm::DenseSet<unsigned> &moved) {
  std::vector<std::pair<unsigned, size_t>> log;
  llvm::copy_if(machine.log, std::back_inserter(log), [&](const auto &line) { return !moved.contains(line.first); });
  return log;
}

} // namespace

TEST(Recomputation, RandomProgramsReadWhatTheyReadBefore) {
  unsigned again = 0, moved = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    const PricedProgram program = RandomPrograms(seed).draw();
    const unsigned originals = program.prices.size();
    const RecomputationPlan plan = planRecomputation(program, /*mostBytes=*/0, /*alignment=*/1);
    const PricedProgram changed = after(program, plan);
    Machine before(program, originals), behind(changed, originals);
    llvm::DenseSet<unsigned> elsewhere;
    unsigned next = originals;
    for (const Recomputation &change : plan.changes)
      for (const Recomputation::Launch &launch : change.launches) {
        if (change.moves)
          elsewhere.insert(launch.step);
        else
          behind.isCopy(next++, launch.step);
        ++(change.moves ? moved : again);
      }
    before.run(program.steps);
    behind.run(changed.steps);
    ASSERT_EQ(readings(before, elsewhere), readings(behind, elsewhere)) << "seed " << seed;

    llvm::SmallVector<BufferDemand> demands;
    for (auto [life, bytes] : llvm::zip_equal(readLives(changed.steps, changed.bytes.size()), changed.bytes))
      if (bytes > 0 && life.first <= life.last)
        demands.push_back({bytes, life.first, life.last});
    ASSERT_EQ(planArena(demands, 1).sizeInBytes, plan.arenaBytes) << "seed " << seed;
  }
  EXPECT_GT(again, 300u);
  EXPECT_GT(moved, 20u);
}
