// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes of inputs, and entries for several shapes (`--shape`).

#ifndef NACRE_COMPILER_IMPORT_OPTIONS_SHAPEDENTRY_H
#define NACRE_COMPILER_IMPORT_OPTIONS_SHAPEDENTRY_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <map>
#include <string>

namespace nacre::importer {

/// Shapes of inputs by name. They set symbolic dimensions and may change the batch. All other sizes must match the
/// model.
using InputShapes = std::map<std::string, llvm::SmallVector<int64_t>>;

/// One of several entries that differ in the shapes of inputs.
struct ShapedEntry {
  /// Sizes that differ between the entries, such as `224x320`. The name of the entry ends in `@224x320`.
  std::string sizes;
  InputShapes shapes;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_OPTIONS_SHAPEDENTRY_H
