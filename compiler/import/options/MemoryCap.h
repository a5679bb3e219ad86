// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limit of memory that a model states itself.

#ifndef NACRE_COMPILER_IMPORT_OPTIONS_MEMORYCAP_H
#define NACRE_COMPILER_IMPORT_OPTIONS_MEMORYCAP_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace nacre::importer {

struct MemoryCap {
  int64_t bytes;          ///< of weights and a session together
  llvm::StringRef origin; ///< its name in the model
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPTIONS_MEMORYCAP_H
