// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the files that options name: an output must not overwrite a file that is read, or another output. Programs
// that link the C++ library use dialects/NamedFiles.h instead.

#ifndef NACRE_TOOLS_TRY_NAMEDPATHS_H
#define NACRE_TOOLS_TRY_NAMEDPATHS_H

#include "tools/try/Options.h"

namespace nacre::tries {

/// Reports an error if two options name the same file and one of them writes it.
Status checkPaths(const Options &options, int count, char **words);

} // namespace nacre::tries

#endif // NACRE_TOOLS_TRY_NAMEDPATHS_H
