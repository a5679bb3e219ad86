// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The domains of ONNX's operators: the standard one, and those that others defined beside it.
//
// Why:  a node names the domain of its operator; each has versions and handlers of its own.

#ifndef NACRE_COMPILER_IMPORT_ONNX_DOMAINS_H
#define NACRE_COMPILER_IMPORT_ONNX_DOMAINS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::onnx_format {

/// The names of all domains that have handlers.
llvm::ArrayRef<llvm::StringRef> getDomains();

/// The operators of `domain`; none of a domain that nobody knows.
const ImportRegistry &getOperators(llvm::StringRef domain);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_DOMAINS_H
