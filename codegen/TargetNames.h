// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the names that parseTargets (Target.h) accepts, for tools that suggest one of them.

#ifndef NACRE_CODEGEN_TARGETNAMES_H
#define NACRE_CODEGEN_TARGETNAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace nacre::codegen {

/// Returns the names of all targets, including `host`.
std::vector<std::string> targetNames();

/// Returns the names of the CPUs of a target. Empty if the target is unknown.
std::vector<std::string> cpuNames(llvm::StringRef target);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_TARGETNAMES_H
