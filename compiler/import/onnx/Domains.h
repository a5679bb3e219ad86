// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The domains of ONNX's operators: the standard domain, and domains of other projects.
//
// A node states the domain of its operator. Each domain has its own versions and handlers.

#ifndef NACRE_COMPILER_IMPORT_ONNX_DOMAINS_H
#define NACRE_COMPILER_IMPORT_ONNX_DOMAINS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::onnx_format {

/// Returns the names of all domains that have handlers.
llvm::ArrayRef<llvm::StringRef> getDomains();

/// Returns the operators of `domain`. An unknown domain has no operators.
const ImportRegistry &getOperators(llvm::StringRef domain);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_DOMAINS_H
