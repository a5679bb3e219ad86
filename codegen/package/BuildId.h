// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: the build ID of a model's library, a note by which crash reports and profilers find the file that ran.
// Why:  it names the file's contents, weights included, and the linker does not see the weights. So the linker
//       reserves room and the ID is written when the file is complete. Same input, same bytes, same ID.

#ifndef NACRE_CODEGEN_PACKAGE_BUILDID_H
#define NACRE_CODEGEN_PACKAGE_BUILDID_H

#include "llvm/Support/Error.h"
#include <string>

namespace nacre::package {

/// Returns the linker's option that reserves room for the ID.
std::string reserveBuildId();

/// Hashes the linked file `path`, writes the hash into the room that the linker reserved, and returns it in hexadecimal.
llvm::Expected<std::string> writeBuildId(const std::string &path);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_BUILDID_H
