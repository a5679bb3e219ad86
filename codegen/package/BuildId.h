// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the build ID of a model's library, a note by which crash reports and profilers find the file that ran.
// Why:   it identifies the file's contents, including the weights, which the linker does not see. So the linker
//        reserves room, and the ID is written when the file is complete. The same input gives the same bytes and ID.

#ifndef NACRE_CODEGEN_PACKAGE_BUILDID_H
#define NACRE_CODEGEN_PACKAGE_BUILDID_H

#include "llvm/Support/Error.h"
#include <string>

namespace nacre::package {

/// Returns the linker's option that reserves room for the ID.
std::string reserveBuildId();

/// Hashes the linked file `path` and writes the hash into the room that the linker reserved. Returns the hash in
/// hexadecimal.
llvm::Expected<std::string> writeBuildId(const std::string &path);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_BUILDID_H
