// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints kernels as text, to find kernels that get equal code.

#ifndef NACRE_DIALECTS_PLAN_KERNELTEXT_H
#define NACRE_DIALECTS_PLAN_KERNELTEXT_H

#include "dialects/plan/PlanDialect.h"
#include <string>

namespace nacre::plan {

/// Prints `kernel` without its name and locations. Kernels with equal text get equal code.
std::string printUnnamed(KernelOp kernel);

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_KERNELTEXT_H
