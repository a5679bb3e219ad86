// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes come from embedded.S, the rows from EmbeddedFiles.inc; CMakeLists.txt writes both.

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
