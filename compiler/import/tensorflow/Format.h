// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorFlow as an input format of the importer.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_FORMAT_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_FORMAT_H

#include "compiler/import/model/Format.h"

namespace nacre::importer::tensorflow_format {

extern const Format format;

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_FORMAT_H
