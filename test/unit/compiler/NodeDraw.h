// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of one node, drawn at random: operands close to those of its definition, attributes at their edges.

#ifndef NACRE_TEST_UNIT_COMPILER_NODEDRAW_H
#define NACRE_TEST_UNIT_COMPILER_NODEDRAW_H

#include "test/unit/compiler/Draw.h"

namespace nacre {

/// A model of one node of the operator `op`, whose operands `rules` describe.
onnx::ModelProto drawModel(Draw &draw, llvm::StringRef op, int64_t version,
                           llvm::ArrayRef<importer::OperandRule> rules);

} // namespace nacre

#endif // NACRE_TEST_UNIT_COMPILER_NODEDRAW_H
