// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes zip archives reproducibly with libzip: the same files always give the same bytes. All files have one date and
// stay in the given order. They are not compressed, because compressed bytes would depend on zlib's version. Apps store
// libraries uncompressed anyway.

#ifndef NACRE_TOOLS_PACKAGE_ARCHIVE_H
#define NACRE_TOOLS_PACKAGE_ARCHIVE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace nacre::tools {

struct ArchivedFile {
  std::string name; ///< Path with / between folders.
  llvm::StringRef bytes;
};

/// Returns the bytes of the archive.
llvm::Expected<std::string> writeArchive(llvm::ArrayRef<ArchivedFile> files);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_ARCHIVE_H
