// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that quantized operators require, so that some draws are compiled.

#ifndef NACRE_TEST_UNIT_COMPILER_QUANTIZEDSHAPES_H
#define NACRE_TEST_UNIT_COMPILER_QUANTIZEDSHAPES_H

#include "compiler/import/binding/Signature.h"

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace nacre {

/// The shape of operand `index` next to the first, of shape `x`, if the definition leaves little choice.
std::optional<std::vector<int64_t>> getQuantizedShape(llvm::StringRef op, const importer::OperandRule &rule,
                                                      size_t index, const std::vector<int64_t> &x);

/// Values that operand `index` may hold, if its rule leaves that open.
importer::Holds getQuantizedHolds(llvm::StringRef op, const importer::OperandRule &rule, size_t index);

} // namespace nacre

#endif // NACRE_TEST_UNIT_COMPILER_QUANTIZEDSHAPES_H
