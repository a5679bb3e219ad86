// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the inputs and outputs of a library for another machine, which cannot be opened here. This machine prepares
// inputs and compares outputs. The file contains the tables of model_format.h. The values of pointers between tables
// are in relocations.

#ifndef NACRE_TOOLS_RUN_PHONE_LIBRARYTABLES_H
#define NACRE_TOOLS_RUN_PHONE_LIBRARYTABLES_H

#include "tools/run/session/ModelSession.h"

namespace nacre::run {

struct LibraryTables {
  std::string target; // value for nacre-compile --target=
  bool hasApartWeights = false;
  std::string entry;                 // name of the chosen entry
  std::vector<Port> inputs, outputs; // ports of the entry, whose data is in `memory`
  std::vector<std::vector<char>> memory;
};

/// Reads the tables of the entry that `options` choose (EntryChoice.h).
Outcome readLibraryTables(const std::string &path, const Options &options, LibraryTables &tables);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_PHONE_LIBRARYTABLES_H
