// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the inputs and outputs of a library for another machine.
// Why:   inputs are prepared and outputs compared here, but the library cannot be opened here.
// How:   the tables of model_format.h lie in the file; the relocations have the values of the pointers between them.

#ifndef NACRE_TOOLS_RUN_PHONE_LIBRARYTABLES_H
#define NACRE_TOOLS_RUN_PHONE_LIBRARYTABLES_H

#include "tools/run/session/ModelSession.h"

namespace nacre::run {

struct LibraryTables {
  std::string target; // as given to nacre-compile --target=
  bool hasApartWeights = false;
  std::vector<Port> inputs, outputs; // of the entry; with memory in `memory`
  std::vector<std::vector<char>> memory;
};

/// Reads the tables of an entry, the first one if `entry` is empty.
Outcome readLibraryTables(const std::string &path, const std::string &entry, LibraryTables &tables);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_PHONE_LIBRARYTABLES_H
