// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  ONNX's TensorProto files (.pb), as its test data is kept in.
// Why:   outputs that others made are the best reference there is, and most of them are in this format.
// How:   a wire parser for the one message, instead of protobuf; the bytes may be hostile.

#ifndef NACRE_TOOLS_RUN_TENSORS_ONNXTENSOR_H
#define NACRE_TOOLS_RUN_TENSORS_ONNXTENSOR_H

#include "tools/run/tensors/Tensor.h"

namespace nacre::run {

/// Views raw data in place, and decodes the typed fields into `tensor.decoded`. Returns what is wrong, or "".
std::string parseOnnxTensor(std::string_view bytes, FileTensor &tensor);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TENSORS_ONNXTENSOR_H
