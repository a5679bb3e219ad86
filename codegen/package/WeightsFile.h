// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the head of a file with a model's weights (runtime/include/nacre/weights_format.h), and the fingerprint of
//        their layout.
// Why:   an app may replace the file, but not the library: the runtime must know which file fits.
// How:   the layout is a hash of everything in the library that gives the weights' bytes a meaning. If another
//        compilation has the same layout, its library differs only in names, so its weights can be used with this
//        library.

#ifndef NACRE_CODEGEN_PACKAGE_WEIGHTSFILE_H
#define NACRE_CODEGEN_PACKAGE_WEIGHTSFILE_H

#include "codegen/package/TableRows.h"
#include "runtime/include/nacre/weights_format.h"

namespace nacre::package {

/// Returns the path of the weights file next to a library or an object: its extension is `.weights`.
std::string weightsPathOf(llvm::StringRef libraryPath);

/// Returns the fingerprint of the layout of weights, which is never 0.
uint64_t weightsLayout(const TableInputs &inputs, const TableRows &rows);

/// Returns the head of a file with `bytes` bytes of weights. Its hash is still missing.
nacre_weights_header weightsHead(llvm::StringRef modelName, uint64_t layout, uint64_t bytes);

/// Writes the hash of a complete file into its head.
llvm::Error sealWeightsFile(const std::string &path);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_WEIGHTSFILE_H
