// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Maps element types to the runtime's numbers and to C types.
// Why:   Tables and header must name the same type; a missing type must be refused, not replaced.
// How:   A table has a row per type of the model format.

#ifndef NACRE_CODEGEN_PACKAGE_ELEMENTTYPES_H
#define NACRE_CODEGEN_PACKAGE_ELEMENTTYPES_H

#include "mlir/IR/Types.h"
#include "runtime/include/nacre/model_format.h"

namespace nacre::package {

struct ElementType {
  nacre_element_type number;
  const char *inC;          ///< The C type of the buffer
  const char *meaning = ""; ///< The meaning of the buffer's codes, if C has no such type
};

/// Returns the row of `type`; nullptr if the model format has no such type.
const ElementType *findElementType(mlir::Type type);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_ELEMENTTYPES_H
