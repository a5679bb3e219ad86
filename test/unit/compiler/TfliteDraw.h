// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of TensorFlow Lite around one operator, drawn at random.

#ifndef NACRE_TEST_UNIT_COMPILER_TFLITEDRAW_H
#define NACRE_TEST_UNIT_COMPILER_TFLITEDRAW_H

#include "test/unit/compiler/OperandDraw.h"

#include <string>

namespace nacre {

/// The bytes of a model with an operator `op`, whose operands `rules` describe.
std::string drawTfliteModel(Draw &draw, llvm::StringRef op, llvm::ArrayRef<importer::OperandRule> rules);

/// Returns the text of such bytes.
std::string describeTfliteModel(const std::string &bytes);

} // namespace nacre

#endif // NACRE_TEST_UNIT_COMPILER_TFLITEDRAW_H
