// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule of phases on graphs small enough to follow by hand, and the search against all placements there are.

#include "compiler/place/PlaceSegments.h"
#include "compiler/place/CostModel.h"

#include "gtest/gtest.h"
#include <cmath>
#include <cstdio>
#include <random>

using namespace nacre;
using namespace nacre::place;

namespace {

constexpr unsigned kCpu = 0, kGpu = 1, kHalf = 2;

/// A step that reads `from` and writes `to`: 4 on the CPU, 1 on the GPU, or 2 and 0.5 at the same time.
Step makeStep(unsigned from, unsigned to) {
  return {{{from, true, false}, {to, false, true}}, {{0, 4, 0}, {1, 0, 1}, {0.5, 2, 0.5}}};
}

PlacementProblem makeProblem(std::vector<Step> steps, unsigned storages, double meeting) {
  PlacementProblem problem;
  problem.steps = std::move(steps);
  problem.storageBytes.assign(storages, 1);
  problem.isInput.assign(storages, false);
  problem.isOutput.assign(storages, false);
  problem.isInput.front() = problem.isOutput.back() = true;
  problem.meetingSeconds = meeting;
  return problem;
}

/// 0 -> 1 -> 2 -> 3.
PlacementProblem makeChain(double meeting) {
  return makeProblem({makeStep(0, 1), makeStep(1, 2), makeStep(2, 3)}, 4, meeting);
}

} // namespace

TEST(PlaceSegments, AnEngineDoesNotMeetItself) {
  EXPECT_EQ(evaluate(makeChain(10), {kCpu, kCpu, kCpu}).seconds, 12);
  EXPECT_EQ(evaluate(makeChain(10), {kCpu, kCpu, kCpu}).meetings, 0u);
  EXPECT_EQ(evaluate(makeChain(10), {kGpu, kGpu, kGpu}).seconds, 10 + 3);
  EXPECT_EQ(evaluate(makeChain(10), {kGpu, kGpu, kGpu}).meetings, 1u);
}

TEST(PlaceSegments, WhatTheOtherWroteIsWaitedFor) {
  EXPECT_EQ(evaluate(makeChain(10), {kGpu, kCpu, kGpu}).seconds, (10 + 1) + 4 + (10 + 1));
  EXPECT_EQ(evaluate(makeChain(10), {kGpu, kCpu, kGpu}).meetings, 2u);
}

TEST(PlaceSegments, AnOverwriteWaitsForReaders) {
  // The second step overwrites what the first reads.
  PlacementProblem problem = makeProblem({makeStep(0, 1), makeStep(2, 0)}, 4, 10);
  EXPECT_EQ(evaluate(problem, {kGpu, kCpu}).seconds, 10 + 1 + 4);
  // Both only read it.
  problem = makeProblem({makeStep(0, 1), makeStep(0, 2)}, 4, 1);
  EXPECT_EQ(evaluate(problem, {kGpu, kCpu}).seconds, std::max(1 + 1, 4));
}

TEST(PlaceSegments, CutsOfOneStepRunAtTheSameTime) {
  EXPECT_EQ(evaluate(makeChain(0.5), {kHalf, kHalf, kHalf}).seconds, 3 * 2);
  EXPECT_EQ(evaluate(makeChain(3), {kHalf, kHalf, kHalf}).seconds, 3 * 3.5);
}

TEST(PlaceSegments, EnginesWorkSideBySideOnBranches) {
  // 0 -> 1, 0 -> 2, then both into 3.
  Step join{{{1, true, false}, {2, true, false}, {3, false, true}}, {{0, 1, 0}, {1, 0, 1}, {0.5, 1, 1}}};
  PlacementProblem problem = makeProblem({makeStep(0, 1), makeStep(0, 2), join}, 4, 1);
  EXPECT_EQ(evaluate(problem, {kGpu, kCpu, kCpu}).seconds, 4 + 1);
  // The GPU has one branch and half of the other, beside the CPU's half; the join is as long anywhere.
  EXPECT_EQ(evaluate(problem, {kGpu, kHalf, kCpu}).seconds, std::max(1 + 1 + 0.5, 2.0) + 1);
  EXPECT_EQ(placeSteps(problem).seconds, 3.5);
}

TEST(PlaceSegments, CopiesAreCountedWhereMemoriesAreTwo) {
  PlacementProblem problem = makeChain(10);
  problem.copyBytesPerSecond = 0.5; // 2 each
  EXPECT_EQ(evaluate(problem, {kCpu, kCpu, kCpu}).seconds, 12);
  EXPECT_EQ(evaluate(problem, {kGpu, kGpu, kGpu}).seconds, 2 + 10 + 3 + 2); // the input up, the output down
  EXPECT_EQ(evaluate(problem, {kCpu, kGpu, kCpu}).seconds, 4 + (10 + 2 + 1) + (2 + 4));
}

TEST(PlaceSegments, TheGpuSleepsWhereAMeetingCostsMoreThanItSaves) {
  EXPECT_EQ(placeSteps(makeChain(20)).options, (llvm::SmallVector<unsigned>{kCpu, kCpu, kCpu}));
  EXPECT_EQ(placeSteps(makeChain(5)).options, (llvm::SmallVector<unsigned>{kGpu, kGpu, kGpu}));
}

TEST(PlaceSegments, NoStepsTakeNoTime) { EXPECT_EQ(placeSteps(makeProblem({}, 1, 1)).seconds, 0); }

//===----------------------------------------------------------------------===//
// Against exhaustive search
//===----------------------------------------------------------------------===//

namespace {

LaunchWork makeWork(std::mt19937 &random) {
  auto between = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<>()(random));
  };
  LaunchWork work;
  work.form = WorkForm(random() % 6);
  const bool isProduct = work.form == WorkForm::Product;
  work.points = between(1e3, 1e6);
  work.flops = work.points * (isProduct ? between(30, 3000) : between(1, 20));
  work.functions = random() % 3 ? 0 : work.points;
  work.accesses = work.points * (isProduct ? 1 : between(2, 20));
  work.tensors = {work.points * 8, 0};
  work.weights = {0, isProduct ? between(1e3, 4e6) : 0};
  work.rivals = 20e6;
  return work;
}

struct RandomGraph {
  PlacementProblem coarse; ///< The problem with the options that the compiler tries.
  PlacementProblem fine;   ///< The problem with `cuts` of equal distance.
};

RandomGraph makeGraph(std::mt19937 &random, const DeviceProfile &device, unsigned count, unsigned cuts) {
  constexpr int64_t kExtent = 48;
  std::vector<Step> coarse, fine;
  for (unsigned i = 0; i < count; ++i) {
    const LaunchWork work = makeWork(random);
    Step step;
    step.accesses = {{i - (i ? unsigned(random()) % std::min(i, 3u) : 0), true, false}, {i + 1, false, true}};
    if (random() % 4 == 0)
      step.accesses.push_back({unsigned(random() % (i + 1)), true, false});
    if (step.accesses.size() == 3 && step.accesses[2].storage == step.accesses[0].storage)
      step.accesses.pop_back();
    auto addOption = [&](double share) {
      const CutSeconds seconds = cutSeconds(work, device, GpuPrecision::F32, share);
      step.options.push_back({share, seconds.cpu, seconds.gpu});
    };
    for (int64_t cut : promisingCuts(work, device, GpuPrecision::F32, kExtent, 1))
      addOption(double(cut) / kExtent);
    coarse.push_back(step);
    step.options.clear();
    for (unsigned cut = 0; cut <= cuts; ++cut)
      addOption(double(cut) / cuts);
    fine.push_back(step);
  }
  RandomGraph graph;
  for (auto *problem : {&graph.coarse, &graph.fine}) {
    *problem = makeProblem(problem == &graph.coarse ? coarse : fine, count + 1, device.gpu.meetingSeconds);
    for (unsigned storage = 0; storage <= count; ++storage)
      problem->storageBytes[storage] = 1e5;
    problem->copyBytesPerSecond = device.memory.copyBytesPerSecond;
  }
  return graph;
}

double searchAll(const PlacementProblem &problem) {
  std::vector<unsigned> options(problem.steps.size(), 0);
  double best = evaluate(problem, options).seconds;
  for (size_t at = 0; at < options.size();) {
    if (++options[at] == problem.steps[at].options.size()) {
      options[at++] = 0;
      continue;
    }
    at = 0;
    best = std::min(best, evaluate(problem, options).seconds);
  }
  return best;
}

/// All shipped profiles, and one of them with memories apart.
std::vector<DeviceProfile> allDevices() {
  std::vector<DeviceProfile> devices;
  for (const ShippedProfile &shipped : shippedProfiles())
    devices.push_back(llvm::cantFail(loadDeviceProfile(shipped.name)));
  devices.push_back(devices.front());
  devices.back().name = "discrete";
  devices.back().memory.shared = false;
  devices.back().memory.copyBytesPerSecond = 2e9;
  return devices;
}

/// Compares the search with all placements of random graphs; says how often the GPU took part.
void compareWithAll(unsigned steps, unsigned cuts, unsigned graphs) {
  std::mt19937 random(steps * 100 + cuts);
  unsigned won = 0;
  double worst = 1;
  for (const DeviceProfile &device : allDevices())
    for (unsigned i = 0; i < graphs; ++i) {
      RandomGraph graph = makeGraph(random, device, steps, cuts);
      const StepPlacement found = placeSteps(graph.coarse);
      const double best = searchAll(graph.fine);
      const double cpu = evaluate(graph.coarse, std::vector<unsigned>(steps, 0)).seconds;
      EXPECT_LE(found.seconds, best * 1.05) << device.name << ", graph " << i;
      EXPECT_LE(found.seconds, cpu);
      EXPECT_DOUBLE_EQ(found.seconds, evaluate(graph.coarse, found.options).seconds);
      worst = std::max(worst, found.seconds / best);
      won += found.seconds < cpu;
    }
  EXPECT_GT(won, 0u) << "no graph used the GPU: nothing was tested";
  std::printf("%u steps, %u cuts: the GPU took part in %u graphs; worst %.4f of the best\n", steps, cuts, won, worst);
}

} // namespace

TEST(PlaceSegments, IsCloseToTheBestOfAllPlacementsWithEveryCut) { compareWithAll(3, 48, 10); }
TEST(PlaceSegments, IsCloseToTheBestOfAllPlacementsWithManyCuts) { compareWithAll(4, 24, 3); }
TEST(PlaceSegments, IsCloseToTheBestOfAllPlacementsOfTenSteps) { compareWithAll(10, 2, 8); }

TEST(PlaceSegments, TheSearchLosesNothingOfItsOwnOptions) {
  constexpr unsigned kUnlimited = 1 << 20; // states; the usual number of them lets almost equal ones go
  std::mt19937 random(1);
  for (const DeviceProfile &device : allDevices())
    for (unsigned i = 0; i < 12; ++i) {
      RandomGraph graph = makeGraph(random, device, 4, 2);
      EXPECT_NEAR(placeSteps(graph.coarse, kUnlimited).seconds / searchAll(graph.coarse), 1, 1e-9)
          << device.name << ", graph " << i;
    }
}

TEST(PlaceSegments, FewStatesStillBeatTheCpu) {
  std::mt19937 random(2);
  for (const DeviceProfile &device : allDevices()) {
    RandomGraph graph = makeGraph(random, device, 40, 2);
    const double cpu = evaluate(graph.coarse, std::vector<unsigned>(40, 0)).seconds;
    EXPECT_LE(placeSteps(graph.coarse, 1).seconds, cpu);
    EXPECT_LE(placeSteps(graph.coarse).seconds, placeSteps(graph.coarse, 4).seconds * 1.0001);
  }
}
