// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The families of TensorFlow's operators that compute with complex numbers. Each adds its handlers to the registry; Operators.cpp calls
// them all.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_COMPLEX_HANDLERS_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_COMPLEX_HANDLERS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::tensorflow_format {

void registerComplex(ImportRegistry &registry);
void registerFourier(ImportRegistry &registry);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_COMPLEX_HANDLERS_H
