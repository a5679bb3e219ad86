// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements RuntimeSlots.h.

#include "codegen/package/RuntimeSlots.h"

namespace nacre::package {

RuntimeSlots runtimeSlots(const nacre_model_table &model) {
  RuntimeSlots slots{};
  slots.table.functions.struct_size = sizeof(nacre_functions);
  slots.table.functions.api_version = NACRE_API_VERSION;
  bool isLinked = false;
#define NACRE_FEATURE(name, condition) isLinked = condition;
#define NACRE_SLOT(slot, name)                                                                                         \
  if (isLinked)                                                                                                        \
    slots.symbols[offsetof(runtime::Slots, slot)] = NACRE_SLOT_PREFIX #name;
#include "runtime/features.def"
  return slots;
}

} // namespace nacre::package
