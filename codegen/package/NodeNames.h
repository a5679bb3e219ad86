// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: Returns printable names of the model's nodes that an operation computes.

#ifndef NACRE_CODEGEN_PACKAGE_NODENAMES_H
#define NACRE_CODEGEN_PACKAGE_NODENAMES_H

#include "mlir/IR/Location.h"
#include <string>
#include <vector>

namespace nacre::package {

/// Returns the names in the location of an operation, joined by commas. They are the model's nodes that the operation
/// computes.
std::string nodeNames(mlir::Location location);

/// Like nodeNames(), but returns separate names, because a name may contain a comma.
std::vector<std::string> listNodes(mlir::Location location);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_NODENAMES_H
