// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of a custom operator as attributes: a map of numbers, as FlexBuffers store it.
//
// Why:  no verifier has seen these bytes, which are a list as far as the model's tables know.
// How:  a map refers backward to its keys and to wider numbers, from its end; each place is looked at only where it is inside.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_FLEXOPTIONS_H
#define NACRE_COMPILER_IMPORT_TFLITE_FLEXOPTIONS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace nacre::importer::tflite_format {

/// Integers and booleans become integers, other numbers f64; what begins with an underscore is the converter's own and left out.
/// Errors are emitted at `loc`.
mlir::LogicalResult readFlexOptions(llvm::ArrayRef<uint8_t> bytes, mlir::Location loc,
                                    llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_FLEXOPTIONS_H
