// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  where the elements of a variable lie in the state.
// Why:   kernels read a trained weight as they read a constant one, in panels; apps and files have the model's layout.
// How:   one loop over rows, groups, panels, parts and columns, for both directions.

#ifndef NACRE_RUNTIME_SRC_STATE_STORED_H
#define NACRE_RUNTIME_SRC_STATE_STORED_H

#include "runtime/include/nacre/model_format.h"

namespace nacre::runtime {

/// Of a variable that is stored as in the model, bytes are all there is to copy.
inline bool is_stored_as_in_model(const nacre_variable &variable) {
  return variable.order == 0 && variable.encoding == NACRE_WEIGHT_DENSE;
}

constexpr uint64_t kDamaged = UINT64_MAX;

/// What the variable takes of the state; kDamaged where no tensor is stored so.
uint64_t stored_bytes(const nacre_model_table &model, const nacre_variable &variable);

/// From the state to the model's layout, or, with zeros to fill the last panels, back. The row is not damaged.
void copy_stored(const nacre_model_table &model, const nacre_variable &variable, char *stored, char *in_model,
                 bool packs);

} // namespace nacre::runtime

#endif // NACRE_RUNTIME_SRC_STATE_STORED_H
