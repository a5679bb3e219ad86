// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the options of an operator as attributes, with the names of the schema.
//
// A handler reads options by name. Options that it does not read are an error, as in every format. flatc generates the
// tables of names and types, so an option occurs only in tflite.fbs and in its handler.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_OPTIONS_H
#define NACRE_COMPILER_IMPORT_TFLITE_OPTIONS_H

#include "compiler/import/tflite/Schema.h"

#include "mlir/IR/Location.h"

namespace nacre::importer::tflite_format {

/// Reads the options of a built-in or custom operator. Built-in options that the file does not contain, because they
/// have their default values, are left out. Errors are emitted at `loc`.
mlir::LogicalResult readOptions(const schema::Operator &op, bool isCustom, mlir::Location loc,
                                llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_OPTIONS_H
