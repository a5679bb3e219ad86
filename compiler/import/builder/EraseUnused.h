// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Erases operators without uses. Folding leaves such operators.

#ifndef NACRE_COMPILER_IMPORT_BUILDER_ERASEUNUSED_H
#define NACRE_COMPILER_IMPORT_BUILDER_ERASEUNUSED_H

#include "mlir/IR/Block.h"

namespace nacre::importer {

/// Erases operators without uses in a block and in the regions of its operators.
void eraseUnused(mlir::Block &block);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_ERASEUNUSED_H
