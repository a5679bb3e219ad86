// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One layout for several readers, by the sum of their prices.

#include "compiler/encode/panels/PanelPrices.h"

#include "codegen/cpu/tiles/TileTables.h"
#include "gtest/gtest.h"

using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;
using namespace nacre::encode;

namespace {

PanelLayout ofWidth(int64_t width) {
  PanelLayout layout;
  layout.width = width;
  return layout;
}

/// Width that `readers` choose, or 0 if they agree on none.
int64_t widthFor(llvm::ArrayRef<PanelReader> readers) {
  const std::optional<PanelLayout> chosen = choosePanels(readers);
  return chosen ? chosen->width : 0;
}

constexpr int64_t kDepth = 1024, kColumns = 1024;

ContractionShape rows(int64_t count) { return {1, count, kColumns, kDepth, 4 * kDepth}; }

/// Reader with `launches` launches of `count` rows in a run. It offers the widths that `machine` prefers for one row
/// and for 128 rows.
PanelReader readerOf(const MachineRow &machine, int64_t count, double launches) {
  const PanelReading reading{rows(count), 1, 4.0 * kDepth * kColumns, /*repeats=*/false};
  PanelReader reader;
  reader.launches = launches;
  for (int64_t wanted : {count, count == 1 ? int64_t(128) : int64_t(1)}) {
    const int64_t width = choosePanelWidth(machine, rows(wanted));
    reader.offers.push_back({ofWidth(width), nanosecondsOf(machine, reading, width)});
  }
  return reader;
}

/// Machine with 16 registers of 8 floats, made up for this test.
MachineRow machineWith(const MachineModel &model) {
  MachineRow machine;
  machine.costs.model = &model;
  machine.step.lanes = 8;
  return machine;
}

MachineModel modelWith(double memoryBytesPerCycle) {
  MachineModel model;
  model.memoryBytesPerCycle = memoryBytesPerCycle;
  return model;
}

} // namespace

/// A machine with slow memory reads a row's weight equally fast in any panels, so the rows of a prompt decide. With
/// fast memory, a row waits for its multiply-adds in narrow panels, and a thousand rows outweigh one prompt of 128.
TEST(PanelPrices, TwoMachinesChooseDifferentlyForOneAndManyRows) {
  const MachineModel slow = modelWith(2), fast = modelWith(200);
  const MachineRow onSlow = machineWith(slow), onFast = machineWith(fast);
  const int64_t ofRow = choosePanelWidth(onSlow, rows(1)), ofRows = choosePanelWidth(onSlow, rows(128));
  ASSERT_GT(ofRow, ofRows);
  ASSERT_EQ(ofRow, choosePanelWidth(onFast, rows(1)));
  auto chosen = [](const MachineRow &machine, double decodes) {
    return widthFor({readerOf(machine, 128, 1), readerOf(machine, 1, decodes)});
  };
  EXPECT_EQ(chosen(onSlow, 1000), ofRows);
  EXPECT_EQ(chosen(onFast, 1000), ofRow);
  EXPECT_EQ(chosen(onFast, 1), ofRows) << "one row does not outweigh 128";
}

TEST(PanelPrices, SumsAreOverAllLaunches) {
  const PanelReader few{1, {{ofWidth(8), 100}, {ofWidth(16), 130}}};
  PanelReader many{1, {{ofWidth(16), 10}, {ofWidth(8), 20}}};
  EXPECT_EQ(widthFor({few, many}), 8) << "120 against 140";
  many.launches = 4;
  EXPECT_EQ(widthFor({few, many}), 16) << "180 against 170";
}

TEST(PanelPrices, EveryReaderMustOfferTheLayout) {
  const PanelReader one{1, {{ofWidth(8), 1}, {ofWidth(16), 100}}}, other{1, {{ofWidth(16), 1}}};
  EXPECT_EQ(widthFor({one, other}), 16);
  EXPECT_EQ(widthFor({one, {1, {{ofWidth(32), 1}}}}), 0);
  EXPECT_EQ(widthFor({one, {1, {}}}), 0) << "a reader without offers, like a GPU that cannot read groups of steps";
}

TEST(PanelPrices, LayoutsDifferInMoreThanTheWidth) {
  PanelLayout parts = ofWidth(16), steps = ofWidth(16);
  parts.parts = 2;
  steps.depth = {4, 64};
  EXPECT_EQ(choosePanels({{1, {{parts, 1}}}, {1, {{ofWidth(16), 1}}}}), std::nullopt);
  EXPECT_EQ(choosePanels({{1, {{steps, 1}, {ofWidth(16), 2}}}, {1, {{ofWidth(16), 1}}}}), ofWidth(16));
}

TEST(PanelPrices, OfEqualSumsTheFirstReaderDecides) {
  const PanelReader narrow{1, {{ofWidth(8), 5}, {ofWidth(16), 5}}}, wide{1, {{ofWidth(16), 7}, {ofWidth(8), 7}}};
  EXPECT_EQ(widthFor({narrow, wide}), 8);
  EXPECT_EQ(widthFor({wide, narrow}), 16);
}

TEST(PanelPrices, LoopsReadSmallWeightsFromTheCache) {
  const MachineModel slow = modelWith(1);
  const MachineRow machine = machineWith(slow);
  PanelReading reading{{1, 1, 64, 64, 256}, 1, 4.0 * 64 * 64, false};
  const double once = nanosecondsOf(machine, reading, 64);
  EXPECT_DOUBLE_EQ(once, reading.bytes / slow.gigahertz);
  reading.repeats = true;
  EXPECT_LT(nanosecondsOf(machine, reading, 64), once / 2);
  reading.bytes = 2.0 * double(slow.l2Bytes);
  EXPECT_DOUBLE_EQ(nanosecondsOf(machine, reading, 64), reading.bytes / slow.gigahertz) << "no cache holds it";
}
