// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  appends the weights of a model to its linked shared library, in a separate read-only segment.
// Why:   linkers copy their inputs, once into memory and once into the file, and weights may be gigabytes. So the
//        linker sees a section without contents, and the weights are written to the linked file afterwards.
// How:   1. link an object with `.nacre_weights` (NOBITS) and a note. The program header of the note is a spare one;
//        2. after the link, change that header to a PT_LOAD segment for the end of the file.

#ifndef NACRE_CODEGEN_PACKAGE_WEIGHTSSECTION_H
#define NACRE_CODEGEN_PACKAGE_WEIGHTSSECTION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace nacre::package {

/// Page size on which segments, and therefore the weights, begin (Android requires 16 KiB).
inline constexpr uint64_t pageSize = 16384;

/// Returns a relocatable ELF object that reserves `bytes` bytes for the weights, at the hidden `symbol`. It must be
/// linked last.
std::string weightsPlaceholder(bool arm64, llvm::StringRef symbol, uint64_t bytes);

/// Returns the beginning of a relocatable ELF object with `bytes` bytes of weights, which must follow it in the file.
/// This is for links that copy the weights.
std::string weightsObjectHead(bool arm64, llvm::StringRef symbol, uint64_t bytes);

/// Gives the placeholder's section in the linked file `path` a segment at the end of the file. Returns the file offset
/// at which the weights must be written. Fails if the section is not the last one.
llvm::Expected<uint64_t> attachWeights(const std::string &path);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_WEIGHTSSECTION_H
