// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory limit that a model states itself.

#ifndef NACRE_COMPILER_IMPORT_OPTIONS_MEMORYCAP_H
#define NACRE_COMPILER_IMPORT_OPTIONS_MEMORYCAP_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace nacre::importer {

struct MemoryCap {
  int64_t bytes;          ///< limit for weights and a session together
  llvm::StringRef origin; ///< its name in the model
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPTIONS_MEMORYCAP_H
