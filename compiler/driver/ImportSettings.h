// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a compilation's options to those of the import.

#ifndef NACRE_COMPILER_DRIVER_IMPORTSETTINGS_H
#define NACRE_COMPILER_DRIVER_IMPORTSETTINGS_H

#include "compiler/import/Import.h"
#include "compiler/options/CompilerOptions.h"

namespace nacre {

importer::ImportOptions importOptionsOf(const CompilerOptions &options);
importer::KeptTensors keptTensorsOf(const CompilerOptions &options);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_IMPORTSETTINGS_H
