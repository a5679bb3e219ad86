// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  writes the header of a file with a model's weights (runtime/include/nacre/weights_format.h), and computes the
//        fingerprint of their layout.
// Why:   an app may replace the file but not the library, so the runtime must know which files fit.
// How:   the fingerprint is a hash of all data in the library that give the weights a meaning. If another compilation
//        has the same fingerprint, its library differs only in names. The weights of each then work with the library of
//        the other.

#ifndef NACRE_CODEGEN_PACKAGE_WEIGHTSFILE_H
#define NACRE_CODEGEN_PACKAGE_WEIGHTSFILE_H

#include "codegen/package/TableRows.h"
#include "runtime/include/nacre/weights_format.h"

namespace nacre::package {

/// Returns the path of the weights file next to a library or an object: its extension is `.weights`.
std::string weightsPathOf(llvm::StringRef libraryPath);

/// Returns the fingerprint of the layout of weights, which is never 0.
uint64_t weightsLayout(const TableInputs &inputs, const TableRows &rows);

/// Returns the header of a file with `bytes` bytes of weights. sealWeightsFile() adds the hash.
nacre_weights_header weightsHead(llvm::StringRef modelName, uint64_t layout, uint64_t bytes);

/// Computes the hash of a complete file, and writes it into the file's header.
llvm::Error sealWeightsFile(const std::string &path);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_WEIGHTSFILE_H
