// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the nodes of make_kernels.py, with the work that nacre-compile's cost model counts.
// Why:   a rate is work by time, and the two programs must mean the same work (compiler/price/LaunchWork.cpp).
// How:   a table; test/e2e/driver/placement_test.py compiles it and compares.

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
