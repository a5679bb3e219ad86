// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a checksum of what the loader maps, in a note of the library.
// Why:   a flipped bit in an address, a relocation or an instruction is a well-formed library that crashes. No check of
//        structures finds it.
// How:   over the segments' addresses and bytes, not over the file: `strip` moves segments in the file and rewrites the ELF header.
//        Weights are hundreds of megabytes, which a start need not read: only their first and last page count.

#ifndef NACRE_RUNTIME_INSPECT_CONTENT_SUM_H
#define NACRE_RUNTIME_INSPECT_CONTENT_SUM_H

#include "runtime/inspect/elf_file.h"

namespace nacre::inspect {

/// Finds the note's sum; returns its offset in the file, or 0 if there is none.
uint64_t find_sum(const ElfFile &file);

/// Writes the build ID as text; an empty one if there is none.
void read_build_id(const ElfFile &file, nacre_library_facts &facts);

/// Returns false if a part cannot be read.
bool compute_sum(const ElfFile &file, uint64_t &sum);

} // namespace nacre::inspect

#endif // NACRE_RUNTIME_INSPECT_CONTENT_SUM_H
