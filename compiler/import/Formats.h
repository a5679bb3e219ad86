// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of supported formats.
//
// Each format has one entry, which recognizes and reads its files. The content of a file decides its format, because
// file names can be wrong. To add a format, add a folder and one line in Formats.cpp.

#ifndef NACRE_COMPILER_IMPORT_FORMATS_H
#define NACRE_COMPILER_IMPORT_FORMATS_H

#include "compiler/import/model/Format.h"

namespace nacre::importer {

/// Returns the supported formats, in the order in which they are tried.
llvm::ArrayRef<const Format *> getFormats();

/// Reads the file with the first of `formats` that claims it. If no format claims it, reports an error that names the
/// kind of file and gives advice.
mlir::FailureOr<std::unique_ptr<ModelView>> readModel(const ModelFile &file, llvm::ArrayRef<const Format *> formats,
                                                      const ImportOptions &options, mlir::MLIRContext *context);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_FORMATS_H
