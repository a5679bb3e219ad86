// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of a variable lie in the state.
// Why: kernels read a trained weight as they read a constant one, in panels; apps and files have the model's layout.
// How: the compiler says in which loops they lie; one walk through these, for both directions.

#ifndef NACRE_RUNTIME_SRC_STATE_STORED_H
#define NACRE_RUNTIME_SRC_STATE_STORED_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime {

/// Of such a variable there is nothing to turn or pack.
inline bool is_stored_as_in_model(const nacre_variable &variable) {
  return variable.element_bytes == variable.tensor.bytes;
}

/// Whether the loops are of all elements that are stored, and stay in the model's tensor.
bool are_loops_right(const nacre_model_table &model, const nacre_variable &variable);

/// From the state to the model's layout, or, with zeros to fill the last panels, back.
void copy_stored(const nacre_model_table &model, const nacre_variable &variable, char *stored, char *in_model,
                 bool packs);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_STORED_H
