// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// QuantizeLinear and DequantizeLinear, which both ONNX and ONNX Runtime define.

#ifndef NACRE_COMPILER_IMPORT_ONNX_OPERATORS_QUANTIZATIONS_H
#define NACRE_COMPILER_IMPORT_ONNX_OPERATORS_QUANTIZATIONS_H

#include "compiler/import/binding/ImportRegistry.h"

namespace nacre::importer::onnx_format {

/// Adds both operators to the registry of a domain that has had them since `version`.
void addQuantizations(ImportRegistry &registry, int64_t version);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_OPERATORS_QUANTIZATIONS_H
