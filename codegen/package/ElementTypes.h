// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  maps element types to the runtime's constants and to C types.
// Why:   tables and header must name the same type. A type that is missing must be refused, not replaced.
// How:   a table has a row for each type of the model format.

#ifndef NACRE_CODEGEN_PACKAGE_ELEMENTTYPES_H
#define NACRE_CODEGEN_PACKAGE_ELEMENTTYPES_H

#include "mlir/IR/Types.h"
#include "runtime/include/nacre/model_format.h"

namespace nacre::package {

struct ElementType {
  nacre_element_type number;
  const char *inC;          ///< C type of the buffer
  const char *meaning = ""; ///< Meaning of the buffer's codes, if C has no such type
};

/// Returns the row of `type`; nullptr if the model format has no such type.
const ElementType *findElementType(mlir::Type type);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_ELEMENTTYPES_H
