// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: a zip archive with the same bytes for the same files, whenever and wherever it is written.
// How:  over libzip: one date, no compression, which differs between versions of zlib, and files in the order in which they
//       are added. Libraries lie in an app as they are, so little is lost.

#ifndef NACRE_TOOLS_PACKAGE_ARCHIVE_H
#define NACRE_TOOLS_PACKAGE_ARCHIVE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace nacre::tools {

struct ArchivedFile {
  std::string name; ///< With / between folders.
  llvm::StringRef bytes;
};

/// The archive's bytes.
llvm::Expected<std::string> writeArchive(llvm::ArrayRef<ArchivedFile> files);

} // namespace nacre::tools

#endif // NACRE_TOOLS_PACKAGE_ARCHIVE_H
