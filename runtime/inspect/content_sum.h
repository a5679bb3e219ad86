// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the checksum of the bytes that the loader maps, and finds the expected checksum in a note of the library.
// Why: a flipped bit in an address, a relocation or an instruction gives a well-formed library that crashes. No check
//      of structures finds it.
// How: the checksum covers the segments' addresses and bytes, not the file, because `strip` moves segments and rewrites
//      the ELF header. It covers only the first and last page of weights, because reading hundreds of megabytes would
//      slow down the start.

#ifndef NACRE_RUNTIME_INSPECT_CONTENT_SUM_H
#define NACRE_RUNTIME_INSPECT_CONTENT_SUM_H

#include "runtime/inspect/elf_file.h"

namespace nacre::inspect {

/// Returns the offset in the file of the checksum in the library's note; 0 if the library has no checksum.
uint64_t find_sum(const ElfFile &file);

/// Sets the build ID in the facts, as text; an empty text if the library has no build ID.
void read_build_id(const ElfFile &file, nacre_library_facts &facts);

/// Computes the checksum. Returns false if a part cannot be read.
bool compute_sum(const ElfFile &file, uint64_t &sum);

} // namespace nacre::inspect

#endif // NACRE_RUNTIME_INSPECT_CONTENT_SUM_H
