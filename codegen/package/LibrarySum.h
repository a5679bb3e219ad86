// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Writes the checksum of a linked library (runtime/inspect/content_sum.h) into a note of the library.
// Why:  Programs compare it before they load the library. The system's loader crashes on a damaged file.
// How:  The tables' object reserves space for it. It is written after the weights are attached, and before the build
//       ID, which identifies all bytes of the file.

#ifndef NACRE_CODEGEN_PACKAGE_LIBRARYSUM_H
#define NACRE_CODEGEN_PACKAGE_LIBRARYSUM_H

#include "llvm/Support/Error.h"
#include <string>

namespace nacre::package {

/// Returns the contents of the note, with a checksum of 0.
std::string sumNote();

/// Computes the checksum of the linked library, and writes it into its note.
llvm::Error writeLibrarySum(const std::string &path);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_LIBRARYSUM_H
