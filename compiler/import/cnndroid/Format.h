// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CNNdroid, one of the supported formats.

#ifndef NACRE_COMPILER_IMPORT_CNNDROID_FORMAT_H
#define NACRE_COMPILER_IMPORT_CNNDROID_FORMAT_H

#include "compiler/import/model/Format.h"

namespace nacre::importer::cnndroid_format {

extern const Format format;

} // namespace nacre::importer::cnndroid_format

#endif // NACRE_COMPILER_IMPORT_CNNDROID_FORMAT_H
