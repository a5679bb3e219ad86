// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of make_kernels.py, with the amount of work that nacre-compile's cost model counts for them. A rate is work
// divided by time, so both programs must count work in the same way (compiler/price/LaunchWork.cpp).
// test/e2e/driver/placement_test.py compiles this table and compares it.

#ifndef NACRE_TOOLS_MEASURE_KERNELWORK_H
#define NACRE_TOOLS_MEASURE_KERNELWORK_H

namespace nacre::measure {

struct KernelWork {
  const char *name, *kind;
  double work;
};

constexpr KernelWork kKernels[] = {
    {"product", "contraction", 905969664},  {"row", "row", 4718592},
    {"movement", "permute", 1179648},       {"pointwise", "nest", 5898240},
    {"depthwise", "contraction", 11206656}, {"streamed", "contraction", 2098176},
};

} // namespace nacre::measure

#endif // NACRE_TOOLS_MEASURE_KERNELWORK_H
