// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the tables that the loader follows: strings, symbols, their hash tables, relocations, functions of start and
// end.
// Why: the loader follows each without a check, and ends the process if it expects another entry.
// How: see "gABI" chapter 5. Entries that the loader ignores for libraries that are opened at run time are ignored
//      here, too.

#ifndef NACRE_RUNTIME_INSPECT_DYNAMIC_SECTION_H
#define NACRE_RUNTIME_INSPECT_DYNAMIC_SECTION_H

#include "runtime/inspect/elf_file.h"

namespace nacre::inspect {

/// Returns false, with the reason, if a table does not fit. Stores the name of the model's symbol in the facts.
bool check_dynamic_section(const ElfFile &file, nacre_library_facts &facts, Reason &reason);

} // namespace nacre::inspect

#endif // NACRE_RUNTIME_INSPECT_DYNAMIC_SECTION_H
