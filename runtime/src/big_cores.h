// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  how many of the CPUs that we may use are big ones: the default thread count; and whether any is.
// Why:   a little core takes several times as long for a unit of work, and everyone waits for the last unit. Where there
//        are little ones alone, code that is written for them takes three quarters of the time.
// How:   the kernel's cpu_capacity, else the highest frequency, else all are equal; MIDR_EL1. The paths start with
//        `root`, so that a test is a folder of text files.

#ifndef NACRE_RUNTIME_SRC_BIG_CORES_H
#define NACRE_RUNTIME_SRC_BIG_CORES_H

#include "runtime/src/platform.h"

namespace nacre::runtime {

/// At least 1. `root` is "" on a device.
uint32_t count_big_cores(const char *root, const CpuSet &allowed);

/// Whether all are cores of Arm's that issue in order, as Cortex-A53 and A55; false where nothing is known.
bool all_issue_in_order(const char *root, const CpuSet &allowed);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_BIG_CORES_H
