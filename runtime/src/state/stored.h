// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a variable between its layout in the state and the model's layout.
// Why: kernels read a trained weight in panels, like a constant weight. Apps and files use the model's layout.
// How: the compiler describes the order of stored elements by loops. One walk over these loops copies in either
//      direction.

#ifndef NACRE_RUNTIME_SRC_STATE_STORED_H
#define NACRE_RUNTIME_SRC_STATE_STORED_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime {

/// True if the variable is stored in the model's layout and type.
inline bool is_stored_as_in_model(const nacre_variable &variable) {
  return variable.element_bytes == variable.tensor.bytes;
}

/// True if the loops cover all stored elements and stay within the model's tensor.
bool are_loops_right(const nacre_model_table &model, const nacre_variable &variable);

/// Copies the variable's elements from `stored` (the state's layout) to `in_model` (the model's layout). If `packs`,
/// copies them from `in_model` to `stored` and fills the last panels with zeros.
void copy_stored(const nacre_model_table &model, const nacre_variable &variable, char *stored, char *in_model,
                 bool packs);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_STORED_H
