// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits that hold for every model.

#ifndef NACRE_COMPILER_IMPORT_OPTIONS_LIMITS_H
#define NACRE_COMPILER_IMPORT_OPTIONS_LIMITS_H

#include <cstdint>

namespace nacre::importer {

/// Maximum number of dimensions of a tensor.
constexpr int64_t maxRank = 32;

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPTIONS_LIMITS_H
