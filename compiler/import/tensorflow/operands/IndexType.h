// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes that name an integer type.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_OPERANDS_INDEXTYPE_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_OPERANDS_INDEXTYPE_H

#include "compiler/import/binding/OperandBinder.h"

namespace nacre::importer::tensorflow_format {

/// Returns the integer type that the attribute `attribute` names for indices or sizes. It has 32 or 64 bits, or also 16
/// if `hasNarrow`. Without the attribute, it has `missing` bits. Returns null after an error.
mlir::Type readIndexType(OperandBinder &node, llvm::StringRef attribute, unsigned missing = 32, bool hasNarrow = false);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_OPERANDS_INDEXTYPE_H
