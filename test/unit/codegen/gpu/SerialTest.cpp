// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Serial kernels: an invocation a point, or a workgroup. The CPU's emitter gives the right results; its tests
// know it.

#include "test/unit/codegen/SerialTexts.h"
#include "test/unit/codegen/gpu/VulkanHarness.h"

using namespace nacre::codegen;

namespace {

using GpuSerial = GpuDifferential;

} // namespace

TEST_F(GpuSerial, SumsAlongAnAxis) {
  checkWith(kRunningSum, {{"A", "3"}, {"N", "7"}, {"B", "150"}}, 0);
  checkWith(kRunningSum, {{"A", "1"}, {"N", "100"}, {"B", "1"}}, 0);
}

TEST_F(GpuSerial, UpdatesOfRows) { checkWith(kAddedRows, {{"COLS", "37"}}, 0); }

TEST_F(GpuSerial, UpdatesWhereverOperandsBegin) { checkAnywhere(with(kAddedRows, {{"COLS", "5"}}), 0); }

TEST_F(GpuSerial, UpdatesOfOperandsInPieces) { checkInPieces(with(kAddedRows, {{"COLS", "37"}}), 256, 0); }

TEST_F(GpuSerial, ProgramsThatEndWhenDataSay) { check(kCounted, 0); }

TEST_F(GpuSerial, PointsThatOwnRanges) { check(kRanges, 0); }

TEST_F(GpuSerial, DeclinesWhatAnInvocationCannotHold) {
  EXPECT_NE(declined(with(kCounted, {{"tensor<9xf32>", "tensor<900xf32>"}})).find("1024 bytes for itself"),
            std::string::npos);
  EXPECT_NE(declined(with(kRunningSum, {{"A", "1"}, {"N", "2000000"}, {"B", "2"}})).find("1048576 steps"),
            std::string::npos);
}

// Products and sums may be one operation on a device.
TEST_F(GpuSerial, ParallelIterations) {
  // As many as a small workgroup has invocations, or fewer; several each; one each of a large workgroup, which keeps
  // weights.
  for (auto [columns, half] : {std::pair("6", "3"), {"64", "32"}, {"150", "75"}, {"128", "64"}})
    checkWith(kIterations, {{"COLS", columns}, {"HALF", half}}, 1e-4);
}

TEST_F(GpuSerial, ParallelIterationsWhereverOperandsBegin) {
  checkAnywhere(with(kIterations, {{"COLS", "128"}, {"HALF", "64"}}), 1e-4);
}

TEST_F(GpuSerial, DeclinesWhatAWorkgroupCannotHold) {
  EXPECT_NE(declined(with(kIterations, {{"COLS", "2000"}, {"HALF", "1000"}})).find("16384 bytes of shared memory"),
            std::string::npos);
}
