// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a compilation's options to those of the import.

#ifndef NACRE_COMPILER_DRIVER_IMPORTSETTINGS_H
#define NACRE_COMPILER_DRIVER_IMPORTSETTINGS_H

#include "compiler/import/Import.h"
#include "compiler/options/CompilerOptions.h"

#include <string>

namespace nacre {

/// Returns the options with the shapes of the first entry.
importer::ImportOptions importOptionsOf(const CompilerOptions &options);
importer::KeptTensors keptTensorsOf(const CompilerOptions &options);

/// Sets the shapes and the end of the name for one of the entries that `--shape` requests.
void setShapes(importer::ImportOptions &importOptions, const importer::ShapedEntry &entry);

/// Returns the shapes of an entry as on the command line, such as `ids=1x16, mask=1x16`.
std::string describeShapes(const importer::ShapedEntry &entry);

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_IMPORTSETTINGS_H
