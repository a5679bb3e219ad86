// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  writes the build ID of a model's library. Crash reports and profilers use this note to find the file that ran.
// Why:   the ID identifies the file's contents, including the weights, which the linker does not see. So the linker
//        reserves space, and the ID is written when the file is complete. The same input gives the same file and ID.

#ifndef NACRE_CODEGEN_PACKAGE_BUILDID_H
#define NACRE_CODEGEN_PACKAGE_BUILDID_H

#include "llvm/Support/Error.h"
#include <string>

namespace nacre::package {

/// Returns the linker option that reserves space for the ID.
std::string reserveBuildId();

/// Hashes the linked file `path`, and writes the hash into the space that the linker reserved. Returns the hash in
/// hexadecimal.
llvm::Expected<std::string> writeBuildId(const std::string &path);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_BUILDID_H
