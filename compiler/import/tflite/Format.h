// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorFlow Lite as an input format of the importer.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_FORMAT_H
#define NACRE_COMPILER_IMPORT_TFLITE_FORMAT_H

#include "compiler/import/model/Format.h"

namespace nacre::importer::tflite_format {

extern const Format format;

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_FORMAT_H
