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

/// The contents of the table of functions: a nacre_slots, which has no engine if no feature fills a slot of it.
struct RuntimeSlots {
  nacre_slots table;                      ///< All pointers are null.
  std::map<size_t, const char *> symbols; ///< By their offsets in the table.

  bool hasEngine() const { return symbols.lower_bound(offsetof(nacre_slots, engine)) != symbols.end(); }
  size_t bytes() const { return hasEngine() ? sizeof(nacre_slots) : offsetof(nacre_slots, engine); }
};

/// Returns the slots of a model, whose table may lack its pointers.
RuntimeSlots runtimeSlots(const nacre_model_table &model);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_RUNTIMESLOTS_H
