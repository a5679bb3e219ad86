// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the table of functions of a model.
// Why:   a model links what its table names, and nothing else.
// How:   the compiler writes a table into each library, by runtime/features.def and the layout below. A model without GPU code has
//        no engine: its table ends before it. To read this, the compiler needs no other header of this folder.

#ifndef NACRE_RUNTIME_SRC_SLOTS_H
#define NACRE_RUNTIME_SRC_SLOTS_H

#include "runtime/src/gpu_engine.h"

/// The beginning of the names of the symbols in slots.
#define NACRE_SLOT_PREFIX "nacre_runtime_"

namespace nacre::runtime {

struct Slots {
  nacre_functions functions; ///< Apps call these; first, because the model's head points to them.
  /// Checks that all variables lie inside the state and are stored as the runtime knows, and that their initial values exist.
  bool (*check_state)(const nacre_model_table &model, Reason &reason);
  nacre_gpu_engine engine; ///< The model's table points to it.
};

/// Returns all slots of a model, of which `engine` may be missing.
inline const Slots &slots_of(const nacre_model_table &model) {
  return *reinterpret_cast<const Slots *>(model.head.functions);
}

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_SLOTS_H
