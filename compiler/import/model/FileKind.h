// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes files that are not models in a supported format.
//
// A user who passes the wrong file should learn what it is and how to proceed, not that it is damaged.

#ifndef NACRE_COMPILER_IMPORT_MODEL_FILEKIND_H
#define NACRE_COMPILER_IMPORT_MODEL_FILEKIND_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace nacre::importer {

struct FileKind {
  std::string what;   ///< kind of the file with its article: "a TensorFlow Lite model"
  std::string advice; ///< advice for the user, such as "pass the folder that contains it"
  bool isCertain;     ///< true if a signature leaves no doubt, so no reader needs to try
};

/// Recognizes a file by its first bytes or, if these are ambiguous, by the end of its name.
FileKind recognizeFile(llvm::StringRef bytes, llvm::StringRef name);

/// Recognizes a folder that was passed instead of a file.
FileKind recognizeFolder(llvm::StringRef path);

/// Returns whether the file begins with only printable UTF-8 characters.
bool isText(llvm::StringRef bytes);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MODEL_FILEKIND_H
