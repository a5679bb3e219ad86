// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products that make their left operand: every tile, rows and depths that fill none, shares that begin anywhere.

#include "runtime/include/nacre/model_format.h"
#include "test/unit/codegen/PrologueTexts.h"
#include "test/unit/codegen/gpu/VulkanHarness.h"

using namespace nacre::codegen;

namespace {

class GpuPrologue : public GpuDifferential {
protected:
  void checkTile(const PrologueText &kernel, const char *tile) {
    GpuOptions options;
    options.tile = tile;
    check(kernel.text(), 1e-5, options);
  }
};

TEST_F(GpuPrologue, EveryShape) {
  for (const PrologueText &text : prologueTexts())
    check(text.text());
}

TEST_F(GpuPrologue, Halves) {
  for (const PrologueText &text : prologueTextsOfHalves())
    check(text.text(), 1e-2);
}

TEST_F(GpuPrologue, TilesOfEveryShape) {
  // Invocations that load chunks of different steps; sets of them; two parts per iteration.
  for (bool normalized : {false, true}) {
    checkTile(PrologueText{50, 40, 64, normalized, normalized}, "shared:rows=2,quads=1,columns=8,lines=12,depth=16");
    checkTile(PrologueText{41, 36, 96, normalized},
              "shared:rows=2,quads=1,columns=8,lines=8,depth=16,parts=2,unroll=2");
  }
  // What is written ends within a part, and is not all of what invocations make.
  checkTile(PrologueText{50, 40, 70, true, true}, "shared:rows=2,quads=1,columns=8,lines=12,depth=16");
  checkTile(PrologueText{50, 40, 68, true, true}, "shared:rows=6,quads=1,columns=8,lines=4,depth=24");
  // Rows that no invocation's registers hold.
  checkTile(PrologueText{40, 20, 1300, true, true}, "shared:rows=4,quads=1,columns=8,lines=8,depth=16");
}

/// No device of CI has matrices: what they compute is compared by test/bench/agreement.py. That they are there, and
/// valid, is seen here.
TEST_F(GpuPrologue, Matrices) {
  const uint64_t matrices = NACRE_GPU_NEED(NACRE_GPU_COOPERATIVE_MATRIX);
  for (bool normalized : {false, true}) {
    PrologueText kernel{50, 48, 136, normalized, /*written=*/normalized};
    kernel.element = "f16";
    EXPECT_TRUE(variantsOf(kernel.text()).front().needs & matrices) << kernel.text();
  }
}

} // namespace
