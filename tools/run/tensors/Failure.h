// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  failures, by the names that nacre-run's parts use.

#ifndef NACRE_TOOLS_RUN_TENSORS_FAILURE_H
#define NACRE_TOOLS_RUN_TENSORS_FAILURE_H

#include "tools/Failure.h"

namespace nacre::run {

using tools::ExitCode;
using tools::Failure;
using tools::Outcome;
using tools::usageFailure;

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TENSORS_FAILURE_H
