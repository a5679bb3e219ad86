// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX, one of the supported formats.

#ifndef NACRE_COMPILER_IMPORT_ONNX_FORMAT_H
#define NACRE_COMPILER_IMPORT_ONNX_FORMAT_H

#include "compiler/import/model/Format.h"

namespace nacre::importer::onnx_format {

extern const Format format;

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_FORMAT_H
