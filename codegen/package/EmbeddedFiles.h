// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: the files that nacre-compile carries in itself: for each target the runtime's archive and the stubs of the
//       system libraries to link against.
// Why:  no NDK, sysroot or linker is needed on the user's machine.

#ifndef NACRE_CODEGEN_PACKAGE_EMBEDDEDFILES_H
#define NACRE_CODEGEN_PACKAGE_EMBEDDEDFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace nacre::package {

struct EmbeddedFile {
  llvm::StringRef target; ///< As in `--target=`.
  llvm::StringRef name;   ///< `libnacre_runtime.a`, `libc.so`, ...
  llvm::StringRef bytes;
};

/// Every embedded file, those of one target in the order in which they are linked.
llvm::ArrayRef<EmbeddedFile> embeddedFiles();

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_EMBEDDEDFILES_H
