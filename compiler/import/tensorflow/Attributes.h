// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of nodes in the form of the binder.

#ifndef NACRE_COMPILER_IMPORT_TENSORFLOW_ATTRIBUTES_H
#define NACRE_COMPILER_IMPORT_TENSORFLOW_ATTRIBUTES_H

#include "compiler/import/tensorflow/Reader.h"

#include "tensorflow.pb.h"

namespace nacre::importer::tensorflow_format {

/// Returns the attributes of `node`, without those that repeat the element types of operands and those that are hints.
mlir::FailureOr<llvm::SmallVector<mlir::NamedAttribute>> readAttributes(const tensorflow::NodeDef &node,
                                                                        TensorFlowModel &model, mlir::Location loc);

} // namespace nacre::importer::tensorflow_format

#endif // NACRE_COMPILER_IMPORT_TENSORFLOW_ATTRIBUTES_H
