// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caffe, one of the supported formats.

#ifndef NACRE_COMPILER_IMPORT_CAFFE_FORMAT_H
#define NACRE_COMPILER_IMPORT_CAFFE_FORMAT_H

#include "compiler/import/model/Format.h"

namespace nacre::importer::caffe_format {

extern const Format format;

} // namespace nacre::importer::caffe_format

#endif // NACRE_COMPILER_IMPORT_CAFFE_FORMAT_H
