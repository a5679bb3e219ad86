// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Chooses the parts of the runtime that a model links.
// Why:  A model should contain the code that it uses, and nothing else.
// How:  A row of runtime/features.def tells which models have a feature, and which slots it fills. The linker takes from the
//       archive what the symbols in the slots need.

#ifndef NACRE_CODEGEN_PACKAGE_RUNTIMESLOTS_H
#define NACRE_CODEGEN_PACKAGE_RUNTIMESLOTS_H

#include "runtime/src/slots.h"

#include <cstddef>
#include <map>

namespace nacre::package {

/// The contents of a library's table of functions. It ends before the engine if no feature fills a slot of that.
struct RuntimeSlots {
  runtime::Slots table;                   ///< All pointers are null.
  std::map<size_t, const char *> symbols; ///< By their offsets in the table.

  bool hasEngine() const { return symbols.lower_bound(offsetof(runtime::Slots, engine)) != symbols.end(); }
  size_t bytes() const { return hasEngine() ? sizeof(runtime::Slots) : offsetof(runtime::Slots, engine); }
};

/// Returns the slots of a model, whose table may lack its pointers.
RuntimeSlots runtimeSlots(const nacre_model_table &model);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_RUNTIMESLOTS_H
