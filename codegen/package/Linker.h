// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  links objects into a shared library in process, with LLD.
// How:   LLD only reads files, so objects are written next to the output during the link. Files in memory would only
//        have a name in /proc, which sandboxes may lack. A process runs one link at a time.

#ifndef NACRE_CODEGEN_PACKAGE_LINKER_H
#define NACRE_CODEGEN_PACKAGE_LINKER_H

#include "codegen/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace nacre::package {

struct LinkInputs {
  llvm::ArrayRef<llvm::StringRef> objects; ///< Objects in link order
  llvm::StringRef lastObject;              ///< Object that is linked after everything else, unless it is empty
  std::string exportedSymbol;              ///< Only symbol that the library exports
  std::string soname;
  unsigned threads = 1;
};

/// Links the objects, the target's runtime and stubs into the shared library `path`. Resets every llvm::cl option of
/// the process to its default, because LLD does so.
llvm::Error link(const LinkInputs &inputs, const codegen::Target &target, const std::string &path);

/// Links `objects` into one relocatable object, without runtime or stubs. Also links the object file `lastPath`, unless
/// it is empty.
llvm::Error linkRelocatable(llvm::ArrayRef<llvm::StringRef> objects, llvm::StringRef lastPath,
                            const codegen::Target &target, const std::string &path);

/// Joins the lines of a program's output into one line, because a diagnostic has no line breaks.
std::string joinLines(llvm::StringRef text);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_LINKER_H
