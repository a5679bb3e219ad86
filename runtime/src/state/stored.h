// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the elements of a variable in the state.
// Why: kernels read a trained weight in panels, as they read a constant one. Apps and files have the model's layout.
// How: the compiler describes the stored order by loops. One walk over them serves both directions.

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

/// Copies the state's elements to the model's layout. With `packs`, copies back and fills the last panels with zeros.
void copy_stored(const nacre_model_table &model, const nacre_variable &variable, char *stored, char *in_model,
                 bool packs);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_STORED_H
