// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  element types as an app knows them: the runtime's number, and what C calls it.
// Why:   tables and header must name the same type; one that they lack has to be refused, not taken for another.
// How:   one table, a row for each type that the model format has.

#ifndef NACRE_CODEGEN_PACKAGE_ELEMENTTYPES_H
#define NACRE_CODEGEN_PACKAGE_ELEMENTTYPES_H

#include "mlir/IR/Types.h"
#include "runtime/include/nacre/model_format.h"

namespace nacre::package {

struct ElementType {
  nacre_element_type number;
  const char *inC;          ///< As an app's author would declare the buffer.
  const char *meaning = ""; ///< What the numbers of that buffer are codes of, where C has no such type.
};

/// The row of `type`; nullptr where the model format has no such type.
const ElementType *findElementType(mlir::Type type);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_ELEMENTTYPES_H
