// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of the domains of ONNX's operators.

#ifndef NACRE_COMPILER_IMPORT_ONNX_GRAPH_DOMAINNAMES_H
#define NACRE_COMPILER_IMPORT_ONNX_GRAPH_DOMAINNAMES_H

#include "llvm/ADT/StringRef.h"

namespace nacre::importer::onnx_format {

/// True if `domain` is one of the two names of the standard domain.
inline bool isStandardDomain(llvm::StringRef domain) { return domain.empty() || domain == "ai.onnx"; }

/// Domain of ONNX Runtime's operators.
inline constexpr llvm::StringLiteral contribDomain = "com.microsoft";
/// Domain of classical machine learning.
inline constexpr llvm::StringLiteral classicalDomain = "ai.onnx.ml";
/// Domain of operators that the standard previews.
inline constexpr llvm::StringLiteral previewDomain = "ai.onnx.preview";
inline constexpr llvm::StringLiteral trainingDomain = "ai.onnx.preview.training";

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_GRAPH_DOMAINNAMES_H
