// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the names of tools/Failure.h that nacre-run uses available in its namespace.

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
