// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of the runtime's functions that a model links.
// Why: a library contains only the functions to which its table refers, and the code that these functions call.
// How: the compiler writes a table with the layout below into each library. runtime/features.def tells which function
//      fills each slot. The table of a model without GPU code ends before `engine`. This header includes few others,
//      because the compiler includes it, too.

#ifndef NACRE_RUNTIME_SRC_SLOTS_H
#define NACRE_RUNTIME_SRC_SLOTS_H

#include "runtime/src/gpu_engine.h"

/// Prefix of the names of the symbols in slots.
#define NACRE_SLOT_PREFIX "nacre_runtime_"

namespace nacre::runtime {

struct Slots {
  nacre_functions functions; ///< Functions that apps call. Must be first, because the model's head points to them.
  /// True if all variables are inside the state, are stored in a valid layout, and their initial values exist.
  /// Otherwise sets `reason`.
  bool (*check_state)(const nacre_model_table &model, Reason &reason);
  nacre_gpu_engine engine; ///< GPU engine. The model's table points to it.
};

/// Returns the slots of a model. Do not read `engine` if the model has no GPU code.
inline const Slots &slots_of(const nacre_model_table &model) {
  return *reinterpret_cast<const Slots *>(model.head.functions);
}

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_SLOTS_H
