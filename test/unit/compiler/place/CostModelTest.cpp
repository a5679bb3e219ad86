// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of the cost model for any device, and figures that can be computed by hand.

#include "compiler/place/CostModel.h"

#include "gtest/gtest.h"

using namespace nacre;
using namespace nacre::place;

namespace {

/// Round numbers: a core of 10 GFLOP/s, a GPU of 100.
DeviceProfile makeDevice() {
  DeviceProfile device;
  device.cpu.clusters = {{"big", 2, 1, 10, 40, 20}, {"little", 4, 1, 5, 10, 5}};
  device.cpu.threads = 2;
  device.cpu.bytesPerSecond = 10e9;
  device.cpu.coreBytesPerSecond = 6e9;
  device.cpu.cache = {1 << 20, 20e9};
  device.cpu.launchSeconds = 1e-6;
  device.gpu.fp32FlopsPerSecond = 100e9;
  device.gpu.fp16FlopsPerSecond = 200e9;
  device.gpu.invocations = 1024;
  device.gpu.bytesPerSecond = 10e9;
  device.gpu.cache = {1 << 18, 40e9};
  device.gpu.dispatchSeconds = 10e-6;
  device.gpu.meetingSeconds = 100e-6;
  device.memory = {true, 12e9, 0};
  return device;
}

LaunchWork makeProduct(double flops, double points = 1 << 20) {
  LaunchWork work;
  work.form = WorkForm::Product;
  work.products.flops = flops;
  work.points = points;
  work.tensors = {1e5, 0};
  return work;
}

constexpr WorkForm kForms[] = {WorkForm::Product, WorkForm::Streamed, WorkForm::Depthwise, WorkForm::Pointwise,
                               WorkForm::Row,     WorkForm::Movement, WorkForm::Scan};

} // namespace

TEST(CostModel, TheFastestCoresComeFirst) {
  CpuProfile cpu = makeDevice().cpu;
  EXPECT_DOUBLE_EQ(cpu.flopsPerSecond(1), 10e9);
  EXPECT_DOUBLE_EQ(cpu.flopsPerSecond(3), 25e9);
  EXPECT_DOUBLE_EQ(cpu.flopsPerSecond(100), 40e9);
}

TEST(CostModel, ArithmeticBoundsProducts) {
  // 19 GFLOP at 95 % of two cores' 20 GFLOP/s; at 40 % of the GPU's 100.
  EXPECT_NEAR(cpuSeconds(makeProduct(19e9), makeDevice()), 1, 1e-3);
  EXPECT_NEAR(gpuSeconds(makeProduct(19e9), makeDevice(), GpuPrecision::F32), 19. / 40, 1e-3);
}

TEST(CostModel, WinogradGainsOnTheCpusShare) {
  LaunchWork work = makeProduct(19e9);
  work.products.winogradGain = 2;
  EXPECT_NEAR(cpuSeconds(work, makeDevice()), 0.5, 1e-3);
  EXPECT_NEAR(cpuSeconds(work, makeDevice(), 0.75), 0.375, 1e-3);
  EXPECT_NEAR(gpuSeconds(work, makeDevice(), GpuPrecision::F32), 19. / 40, 1e-3);
  const int64_t half = balancedCut(work, makeDevice(), GpuPrecision::F32, 100, 1);
  work.products.winogradGain = 8;
  EXPECT_LT(balancedCut(work, makeDevice(), GpuPrecision::F32, 100, 1), half) << "the GPU gets less";
}

TEST(CostModel, ProductsTakeTheTimeOfTheirTypes) {
  LaunchWork work = makeProduct(19e9);
  work.products.areOfIntegers = true;
  work.products.rate = 2;
  EXPECT_NEAR(cpuSeconds(work, makeDevice()), 0.5, 1e-3);
  EXPECT_NEAR(gpuSeconds(work, makeDevice(), GpuPrecision::F16), 19. / 40, 1e-3) << "integers have 32 bits there";
  // The code's instructions could be 8 times faster, but this device's are only 4 times: it has others.
  work.products.rate = 8;
  EXPECT_NEAR(cpuSeconds(work, makeDevice()), 0.25, 1e-3);
  work.products.winogradGain = 2;
  EXPECT_NEAR(cpuSeconds(work, makeDevice()), 0.125, 1e-3);
  // Other operations gain nothing.
  work.flops = 19e9;
  EXPECT_NEAR(cpuSeconds(work, makeDevice()), 1.125, 1e-3);
  // Doubles are slower on every core.
  LaunchWork doubles = makeProduct(19e9);
  doubles.products.rate = 0.5;
  EXPECT_NEAR(cpuSeconds(doubles, makeDevice()), 2, 1e-3);
}

/// A library may contain products of halves for cores that this device does not have. It then runs the products that
/// widen halves, at the rate of f32.
TEST(CostModel, ProductsOfHalvesReachTheRateOfTheDevice) {
  DeviceProfile device = makeDevice();
  LaunchWork work = makeProduct(19e9);
  work.products.areOfHalves = true;
  EXPECT_NEAR(cpuSeconds(work, device), 1, 1e-3) << "widened";
  work.products.rate = 1.5;
  EXPECT_NEAR(cpuSeconds(work, device), 1 / 1.5, 1e-3);
  work.products.rate = 3;
  EXPECT_NEAR(cpuSeconds(work, device), 0.5, 1e-3);
  for (double flopsPerCycle : {10., 5.}) {
    device.cpu.clusters.front().halfFlopsPerCycle = flopsPerCycle;
    EXPECT_NEAR(cpuSeconds(work, device), 1, 1e-3);
  }
}

TEST(CostModel, MemoryBoundsWeightsThatDoNotStay) {
  LaunchWork work = makeProduct(1e6);
  work.form = WorkForm::Streamed;
  work.weights = {80e6, 0};
  work.rivals = 80e6;
  // 80 % of 10 GB/s, which is less than two cores' 12.
  EXPECT_NEAR(cpuSeconds(work, makeDevice()), 10e-3, 1e-4);
}

TEST(CostModel, WeightsOfASmallModelStayInTheCache) {
  LaunchWork large = makeProduct(1e3);
  large.weights = {2e5, 0};
  LaunchWork small = large;
  large.rivals = 100e6;
  small.rivals = 2e5;
  EXPECT_LT(cpuSeconds(small, makeDevice()), cpuSeconds(large, makeDevice()));
}

TEST(CostModel, NothingTakesNoTime) {
  EXPECT_EQ(cpuSeconds(makeProduct(1e9), makeDevice(), 0), 0);
  EXPECT_EQ(gpuSeconds(makeProduct(1e9), makeDevice(), GpuPrecision::F32, 0), 0);
}

TEST(CostModel, MoreIsNeverFaster) {
  for (WorkForm form : kForms) {
    double cpu = 0, gpu = 0;
    for (int step = 1; step <= 64; ++step) {
      LaunchWork work = makeProduct(1e8);
      work.form = form;
      work.weights = {1e6, 1e5};
      work.functions = 1e5;
      const double share = step / 64.;
      EXPECT_GE(cpuSeconds(work, makeDevice(), share), cpu) << "share " << share;
      EXPECT_GE(gpuSeconds(work, makeDevice(), GpuPrecision::F32, share), gpu * (1 - 1e-9)) << "share " << share;
      cpu = cpuSeconds(work, makeDevice(), share);
      gpu = gpuSeconds(work, makeDevice(), GpuPrecision::F32, share);
    }
  }
}

TEST(CostModel, FewInvocationsUseAPartOfTheGpu) {
  // 16 points each: 1024 * 16 points fill it, a quarter of them leaves three quarters idle.
  const double full = gpuSeconds(makeProduct(1e9, 1024 * 16), makeDevice(), GpuPrecision::F32);
  const double quarter = gpuSeconds(makeProduct(1e9, 256 * 16), makeDevice(), GpuPrecision::F32);
  EXPECT_NEAR((quarter - 10e-6) / (full - 10e-6), 4, 1e-6);
}

TEST(CostModel, HalfPrecisionIsForProducts) {
  for (WorkForm form : kForms) {
    LaunchWork work = makeProduct(1e9);
    work.form = form;
    const double half = gpuSeconds(work, makeDevice(), GpuPrecision::F16);
    const double single = gpuSeconds(work, makeDevice(), GpuPrecision::F32);
    if (form == WorkForm::Product)
      EXPECT_LT(half, 0.6 * single);
    else
      EXPECT_EQ(half, single);
  }
}

TEST(CostModel, MeasuredRatesTakeThePlaceOfTheTable) {
  DeviceProfile device = makeDevice();
  device.gpu.rates = GpuRates{1e9, 2e9, 4e9, 0.5e9, 0.25e9};
  device.gpu.invocations = 1;
  auto secondsOf = [&](WorkForm form, double accesses, double flops = 0) {
    LaunchWork work;
    work.form = form;
    work.accesses = accesses;
    work.flops = flops;
    work.points = 1e6;
    return gpuSeconds(work, device, GpuPrecision::F32) - device.gpu.dispatchSeconds;
  };
  EXPECT_NEAR(secondsOf(WorkForm::Streamed, 1e9), 1, 1e-9);
  EXPECT_NEAR(secondsOf(WorkForm::Depthwise, 1e9), 0.5, 1e-9);
  EXPECT_NEAR(secondsOf(WorkForm::Pointwise, 1e9), 0.25, 1e-9);
  EXPECT_NEAR(secondsOf(WorkForm::Row, 1e9), 2, 1e-9);
  EXPECT_NEAR(secondsOf(WorkForm::Movement, 1e9), 4, 1e-9);
  // Operations are part of the accesses' time, but for products: 80 % of 100 GFLOP/s, and their results.
  EXPECT_EQ(secondsOf(WorkForm::Row, 1e9, 1e12), secondsOf(WorkForm::Row, 1e9));
  EXPECT_NEAR(secondsOf(WorkForm::Product, 1e9, 80e9), 1 + 0.25, 1e-9);
  // Memory still bounds them.
  LaunchWork work;
  work.accesses = 1;
  work.points = 1e6;
  work.weights = {10e9, 0};
  work.rivals = 10e9;
  EXPECT_NEAR(gpuSeconds(work, device, GpuPrecision::F32), 1, 1e-3);
}

TEST(CostModel, FewInvocationsReachAPartOfMeasuredRates) {
  DeviceProfile device = makeDevice();
  device.gpu.rates = GpuRates{1e9, 1e9, 1e9, 1e9, 1e9};
  LaunchWork work;
  work.form = WorkForm::Row; // one point per invocation
  work.points = device.gpu.invocations / 4;
  work.accesses = 1e9;
  EXPECT_NEAR(gpuSeconds(work, device, GpuPrecision::F32), 4, 1e-3);
}

TEST(CostModel, BothEnginesHaveOneMemory) {
  LaunchWork work = makeProduct(1);
  work.weights = {120e6, 0};
  work.rivals = 120e6;
  const CutSeconds cut = cutSeconds(work, makeDevice(), GpuPrecision::F32, 0.5);
  EXPECT_NEAR(cut.cpu, 10e-3, 1e-4); // of 12 GB/s together; alone, half of it would have taken less
  EXPECT_NEAR(cut.gpu, 10e-3, 1e-4);
  EXPECT_LT(cpuSeconds(work, makeDevice(), 0.5), 7e-3);
}

TEST(CostModel, BalancedCutIsTheBestOfAll) {
  for (double flops : {1e6, 1e7, 1e8, 1e9, 1e10})
    for (int64_t grain : {1, 4, 7})
      for (int64_t extent : {7, 56, 100}) {
        const LaunchWork work = makeProduct(flops);
        auto seconds = [&](int64_t cut) {
          CutSeconds both = cutSeconds(work, makeDevice(), GpuPrecision::F32, double(cut) / extent);
          return std::max(both.cpu, both.gpu + (cut ? makeDevice().gpu.meetingSeconds : 0));
        };
        double best = seconds(0);
        for (int64_t cut = 0; cut <= extent; cut += grain)
          best = std::min(best, seconds(cut));
        const int64_t cut = balancedCut(work, makeDevice(), GpuPrecision::F32, extent, grain);
        EXPECT_EQ(cut % grain, 0);
        EXPECT_LE(cut, extent);
        EXPECT_LE(seconds(cut), best * 1.001) << flops << " FLOP, " << extent << " by " << grain;
      }
}

TEST(CostModel, SmallWorkIsNotCut) {
  EXPECT_EQ(balancedCut(makeProduct(1e5), makeDevice(), GpuPrecision::F32, 56, 1), 0);
}
