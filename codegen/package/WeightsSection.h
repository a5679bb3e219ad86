// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: puts the weights of a model at the end of its linked shared library, in a read-only segment of their own.
// Why:  linkers copy what they link, once into memory and once into the file; weights may be gigabytes. So the link
//       sees a section without bytes, and the bytes are written straight into the linked file afterwards.
// How:  1. an object with `.nacre_weights` (NOBITS) and a note whose program header is the spare one,
//       2. after the link, that header becomes a PT_LOAD over room made at the end of the file.

#ifndef NACRE_CODEGEN_PACKAGE_WEIGHTSSECTION_H
#define NACRE_CODEGEN_PACKAGE_WEIGHTSSECTION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace nacre::package {

/// Segments, and therefore the weights, begin on pages of this size (Android requires 16 KiB).
inline constexpr uint64_t pageSize = 16384;

/// A relocatable ELF object that reserves `bytes` for the weights, at the hidden `symbol`. It must be listed last in
/// the link.
std::string weightsPlaceholder(bool arm64, llvm::StringRef symbol, uint64_t bytes);

/// The beginning of a relocatable ELF object that holds `bytes` of weights: they are to follow it. For links that copy
/// after all.
std::string weightsObjectHead(bool arm64, llvm::StringRef symbol, uint64_t bytes);

/// Gives the placeholder's section in the linked file `path` a segment at the end of the file and returns the offset in
/// the file at which the weights' bytes are to be written. Fails where the link did not leave the section last.
llvm::Expected<uint64_t> attachWeights(const std::string &path);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_WEIGHTSSECTION_H
