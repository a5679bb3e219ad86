// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files' contents are in embedded.S, and the rows in EmbeddedFiles.inc. CMakeLists.txt writes both.

#include "codegen/package/EmbeddedFiles.h"

extern "C" {
#define DECLARATIONS
#include "codegen/package/EmbeddedFiles.inc"
}

namespace nacre::package {

llvm::ArrayRef<EmbeddedFile> embeddedFiles() {
  static const EmbeddedFile files[] = {
#include "codegen/package/EmbeddedFiles.inc"
  };
  return files;
}

} // namespace nacre::package
