// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the options of an operator as attributes, with the names of the schema.
//
// A handler names the options that it knows, and unused options are an error, as in every format. The tables of names
// and types come from flatc, so an option is only named in tflite.fbs and in its handler.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_OPTIONS_H
#define NACRE_COMPILER_IMPORT_TFLITE_OPTIONS_H

#include "compiler/import/tflite/Schema.h"

#include "mlir/IR/Location.h"

namespace nacre::importer::tflite_format {

/// Reads the options that a built-in or custom operator states. Built-in options with default values are left out.
/// Errors are emitted at `loc`.
mlir::LogicalResult readOptions(const schema::Operator &op, bool isCustom, mlir::Location loc,
                                llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_OPTIONS_H
