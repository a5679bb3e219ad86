// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: the names that the model gave to what an operation computes, fit to be shown.

#ifndef NACRE_CODEGEN_PACKAGE_NODENAMES_H
#define NACRE_CODEGEN_PACKAGE_NODENAMES_H

#include "mlir/IR/Location.h"
#include <string>
#include <vector>

namespace nacre::package {

/// The model's nodes that an operation computes: the names in its location, joined by commas.
std::string nodeNames(mlir::Location location);

/// The same, each by itself: a name may hold a comma.
std::vector<std::string> listNodes(mlir::Location location);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_NODENAMES_H
