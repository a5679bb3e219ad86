// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file seems to be that is no model Nacre reads.
//
// Why:  whoever gives the wrong file should hear which one it is and what to do with it, not that it is damaged.

#ifndef NACRE_COMPILER_IMPORT_FILEKIND_H
#define NACRE_COMPILER_IMPORT_FILEKIND_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace nacre::importer {

struct FileKind {
  std::string what;   ///< with its article: "a TensorFlow Lite model"
  std::string advice; ///< what to do, as "give the folder that it lies in"
  bool isCertain;     ///< a signature leaves no doubt, so no reader needs to be asked
};

/// Tells a file by its first bytes, and where these say little by the end of its name.
FileKind recognizeFile(llvm::StringRef bytes, llvm::StringRef name);

/// The same for a folder that was given instead of a file.
FileKind recognizeFolder(llvm::StringRef path);

/// Whether the file begins with printable characters of UTF-8 alone.
bool isText(llvm::StringRef bytes);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_FILEKIND_H
