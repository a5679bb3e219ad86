// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checksum of the bytes that the loader maps, in a note of the library.
// Why: a flipped bit in an address, a relocation or an instruction gives a well-formed library that crashes. No check
//      of structures finds it.
// How: covers the segments' addresses and bytes, not the file: `strip` moves segments in the file and rewrites the ELF
//      header. Weights are hundreds of megabytes, which a start need not read: only their first and last page are
//      covered.

#ifndef NACRE_RUNTIME_INSPECT_CONTENT_SUM_H
#define NACRE_RUNTIME_INSPECT_CONTENT_SUM_H

#include "runtime/inspect/elf_file.h"

namespace nacre::inspect {

/// Finds the note's checksum. Returns its offset in the file, or 0 if the library has none.
uint64_t find_sum(const ElfFile &file);

/// Writes the build ID as text into the facts; an empty text if the library has none.
void read_build_id(const ElfFile &file, nacre_library_facts &facts);

/// Computes the checksum. Returns false if a part cannot be read.
bool compute_sum(const ElfFile &file, uint64_t &sum);

} // namespace nacre::inspect

#endif // NACRE_RUNTIME_INSPECT_CONTENT_SUM_H
