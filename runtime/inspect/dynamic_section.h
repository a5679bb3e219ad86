// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the tables that the loader follows: strings, symbols, their hash tables, relocations, and functions that run
// at load and unload.
// Why: the loader follows each table without a check. It ends the process if an entry is not as it expects.
// How: see "gABI" chapter 5. Entries that dlopen() ignores are ignored here, too.

#ifndef NACRE_RUNTIME_INSPECT_DYNAMIC_SECTION_H
#define NACRE_RUNTIME_INSPECT_DYNAMIC_SECTION_H

#include "runtime/inspect/elf_file.h"

namespace nacre::inspect {

/// Returns false and sets `reason` if a table is damaged. Stores the name of the model's symbol in the facts.
bool check_dynamic_section(const ElfFile &file, nacre_library_facts &facts, Reason &reason);

} // namespace nacre::inspect

#endif // NACRE_RUNTIME_INSPECT_DYNAMIC_SECTION_H
