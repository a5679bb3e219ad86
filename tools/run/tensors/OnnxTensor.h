// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads ONNX's TensorProto files (.pb), the format of its test data. Most reference outputs of other projects are in
// this format. A small parser for this message is used instead of protobuf. Files may be malicious.

#ifndef NACRE_TOOLS_RUN_TENSORS_ONNXTENSOR_H
#define NACRE_TOOLS_RUN_TENSORS_ONNXTENSOR_H

#include "tools/run/tensors/Tensor.h"

namespace nacre::run {

/// Sets `tensor` to a view of raw data, or decodes typed fields to `tensor.decoded`. Returns the problem, or "".
std::string parseOnnxTensor(std::string_view bytes, FileTensor &tensor);

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TENSORS_ONNXTENSOR_H
