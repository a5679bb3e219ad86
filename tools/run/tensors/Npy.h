// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes NumPy's .npy files, the format that every tool around a model can read and write. A file is a
// header, a Python dictionary as text, and the elements. Files may be malicious.

#ifndef NACRE_TOOLS_RUN_TENSORS_NPY_H
#define NACRE_TOOLS_RUN_TENSORS_NPY_H

#include "tools/run/tensors/Tensor.h"

namespace nacre::run {

bool isNpy(std::string_view bytes);

/// Sets `tensor` to a view of the elements in `bytes`. Returns the problem with the file, or "".
std::string parseNpy(std::string_view bytes, TensorView &tensor);

Outcome writeNpy(const std::string &path, const TensorView &tensor);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TENSORS_NPY_H
