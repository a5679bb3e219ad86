// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the chips of phones that --cpu= accepts.

#ifndef NACRE_TOOLS_COMPILE_CHIPLIST_H
#define NACRE_TOOLS_COMPILE_CHIPLIST_H

#include "llvm/Support/raw_ostream.h"

namespace nacre::tools {

/// Prints each chip with its cores, features and other names.
void listChips(llvm::raw_ostream &os);

/// Prints the names of the chips of each vendor, on lines of 80 columns.
void listChipNames(llvm::raw_ostream &os);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_CHIPLIST_H
