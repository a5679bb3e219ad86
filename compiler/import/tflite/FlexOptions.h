// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the options of a custom operator as attributes: a map of numbers in FlexBuffers' format.
//
// The verifier does not check these bytes, because they are a plain list in the model's tables. A map refers backward
// from its end to its keys and to wider numbers. Each offset is checked before it is followed.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_FLEXOPTIONS_H
#define NACRE_COMPILER_IMPORT_TFLITE_FLEXOPTIONS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace nacre::importer::tflite_format {

/// Reads integers and booleans as integers, and other numbers as f64. Skips names that begin with an underscore, which
/// only the converter uses. Errors are emitted at `loc`.
mlir::LogicalResult readFlexOptions(llvm::ArrayRef<uint8_t> bytes, mlir::Location loc,
                                    llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_FLEXOPTIONS_H
