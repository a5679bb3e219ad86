// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of weights, followed by the update of the weight and its momentum, in panels or as tensors; see
// Differential.h.

#include "test/unit/codegen/UpdateTexts.h"
#include "test/unit/codegen/cpu/Differential.h"

using CpuUpdates = nacre::codegen::test::Differential;
using namespace nacre::codegen;

namespace {

/// Gradient of a layer's matrix: rows lie across, and go to scratch where panels of the other operand stay in a cache.
TEST_F(CpuUpdates, UpdatesMatrices) {
  for (bool packsRight : {false, true}) {
    checkOnAll(textOf(dense(200, 96, 40, 32, packsRight)));
    checkOnAll(textOf(dense(67, 70, 33, 32, packsRight)));
    checkOnAll(textOf(dense(512, 10, 128, 16, packsRight)));
    checkOnAll(textOf(dense(1, 64, 16, 32, packsRight)));
    checkOnAll(textOf(dense(37, 20, 1, 48, packsRight)));
  }
  checkOnAll(textOf(dense(67, 70, 33, 0, false)));
}

/// The depth is so long that sums wait in memory, and the other operand is read where it lies.
TEST_F(CpuUpdates, UpdatesByLongReductions) {
  checkOnAll(textOf(dense(24, 64, 9000, 32, false)), 1e-4);
  checkOnAll(textOf(dense(24, 64, 9000, 0, false)), 1e-4);
  checkOnAll(textOf(dense(40, 64, 2100, 32, true)), 1e-4);
}

Update filter(int64_t inputs, int64_t outputs, int64_t images, int64_t width) {
  auto sizes = [](std::initializer_list<int64_t> all) {
    std::string text;
    for (int64_t size : all)
      text += (text.empty() ? "" : "x") + std::to_string(size);
    return text;
  };
  return {sizes({images, 9, 8, inputs}),
          sizes({images, 7, 6, outputs}),
          sizes({3, 3, inputs, outputs}),
          "i, j, c, o, n, h, w",
          "n, h + i, w + j, c",
          "n, h, w, o",
          "i, j, c, o",
          3,
          3,
          width};
}

/// Gradient of a convolution's filter, computed directly.
TEST_F(CpuUpdates, UpdatesFilters) {
  checkOnAll(textOf(filter(20, 40, 3, 16)));
  checkOnAll(textOf(filter(3, 64, 5, 32)), 1e-4);
  checkOnAll(textOf(filter(20, 40, 3, 0)));
}

} // namespace
