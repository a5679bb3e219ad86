// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the files that options name: an output must not overwrite a file that is read, or another output.
// dialects/NamedFiles.h does so for programs with the C++ library.

#ifndef NACRE_TOOLS_TRY_NAMEDPATHS_H
#define NACRE_TOOLS_TRY_NAMEDPATHS_H

#include "tools/try/Options.h"

namespace nacre::tries {

/// Refuses options that name the same file, if one of them writes it.
Status checkPaths(const Options &options, int count, char **words);

} // namespace nacre::tries

#endif // NACRE_TOOLS_TRY_NAMEDPATHS_H
