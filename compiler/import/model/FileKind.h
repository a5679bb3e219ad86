// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes files that are not models in a supported format.
//
// If users pass the wrong file, the error should name the kind of the file and suggest a remedy.

#ifndef NACRE_COMPILER_IMPORT_MODEL_FILEKIND_H
#define NACRE_COMPILER_IMPORT_MODEL_FILEKIND_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace nacre::importer {

struct FileKind {
  std::string what;   ///< kind of the file with its article: "a TensorFlow Lite model"
  std::string advice; ///< advice for the user, such as "pass the folder that contains it"
  bool isCertain;     ///< true if a signature identifies the file, so that no reader needs to try
};

/// Recognizes a file by its first bytes, or by its extension if the bytes are ambiguous.
FileKind recognizeFile(llvm::StringRef bytes, llvm::StringRef name);

/// Recognizes a folder that was passed instead of a file.
FileKind recognizeFolder(llvm::StringRef path);

/// True if the file begins with printable UTF-8 characters only.
bool isText(llvm::StringRef bytes);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_MODEL_FILEKIND_H
