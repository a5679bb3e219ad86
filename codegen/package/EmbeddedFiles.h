// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Gives access to the files embedded in nacre-compile. For each target, these are the runtime's archive and the
//       stubs of system libraries to link with.
// Why:  The user's machine then needs no NDK, sysroot or linker.

#ifndef NACRE_CODEGEN_PACKAGE_EMBEDDEDFILES_H
#define NACRE_CODEGEN_PACKAGE_EMBEDDEDFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace nacre::package {

struct EmbeddedFile {
  llvm::StringRef target; ///< Name of the target for `--target=`
  llvm::StringRef name;   ///< File name: `libnacre_runtime.a`, `libc.so`, ...
  llvm::StringRef bytes;
};

/// Returns all embedded files. The files of each target are in link order.
llvm::ArrayRef<EmbeddedFile> embeddedFiles();

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_EMBEDDEDFILES_H
