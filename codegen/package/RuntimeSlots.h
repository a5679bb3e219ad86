// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the parts of the runtime that a model links.
// Why: a library should contain only the code that its model uses.
// How: runtime/features.def tells which models have a feature, and which slots the feature fills. A slot contains the
//      symbol of a function or constant. The linker takes only those members of the archive that these symbols need.

#ifndef NACRE_CODEGEN_PACKAGE_RUNTIMESLOTS_H
#define NACRE_CODEGEN_PACKAGE_RUNTIMESLOTS_H

#include "runtime/src/slots.h"

#include <cstddef>
#include <map>

namespace nacre::package {

/// Contents of a library's table of functions. The table ends before the engine if no feature fills a slot of the
/// engine.
struct RuntimeSlots {
  runtime::Slots table;                   ///< Table whose pointers are all null.
  std::map<size_t, const char *> symbols; ///< Symbols of the filled slots. The key is the slot's offset in `table`.

  bool hasEngine() const { return symbols.lower_bound(offsetof(runtime::Slots, engine)) != symbols.end(); }
  size_t bytes() const { return hasEngine() ? sizeof(runtime::Slots) : offsetof(runtime::Slots, engine); }
};

/// Returns the slots that the features of `model` fill. The pointers of `model` are not read and may be null.
RuntimeSlots runtimeSlots(const nacre_model_table &model);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_RUNTIMESLOTS_H
