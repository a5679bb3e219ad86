// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: the checksum of a linked library (runtime/inspect/content_sum.h), in a note.
// Why:  programs that open the library compare it first: the system's loader crashes on a damaged file.
// How:  the tables' object has room for it. It is written when the weights are attached, and before the build ID, which
//       names all bytes of the file.

#ifndef NACRE_CODEGEN_PACKAGE_LIBRARYSUM_H
#define NACRE_CODEGEN_PACKAGE_LIBRARYSUM_H

#include "llvm/Support/Error.h"
#include <string>

namespace nacre::package {

/// Returns the bytes of the note, with a sum of 0.
std::string sumNote();

/// Computes the checksum of the linked library and writes it into its note.
llvm::Error writeLibrarySum(const std::string &path);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_LIBRARYSUM_H
