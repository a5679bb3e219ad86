// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  numpy's .npy files.
// Why:   the format that every tool around a model can read and write.
// How:   a header, which is a Python dictionary in text, and the elements; the bytes may be hostile.

#ifndef NACRE_TOOLS_RUN_TENSORS_NPY_H
#define NACRE_TOOLS_RUN_TENSORS_NPY_H

#include "tools/run/tensors/Tensor.h"

namespace nacre::run {

bool isNpy(std::string_view bytes);

/// Views the elements in place. Returns what is wrong with the bytes, or "".
std::string parseNpy(std::string_view bytes, TensorView &tensor);

Outcome writeNpy(const std::string &path, const TensorView &tensor);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TENSORS_NPY_H
