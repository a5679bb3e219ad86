// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of an operator as attributes, called as the schema calls them.
//
// Why:  a handler names the options that it knows, and what it does not look at is an error, as with every format.
// How:  by the tables of names and types that flatc writes, so that an option is said in tflite.fbs and in its handler.

#ifndef NACRE_COMPILER_IMPORT_TFLITE_OPTIONS_H
#define NACRE_COMPILER_IMPORT_TFLITE_OPTIONS_H

#include "compiler/import/tflite/Schema.h"

#include "mlir/IR/Location.h"

namespace nacre::importer::tflite_format {

/// What the operator, which is built in or a custom one, states of its options: a built-in one that has its default is left out. Errors are emitted at `loc`.
mlir::LogicalResult readOptions(const schema::Operator &op, bool isCustom, mlir::Location loc,
                                llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);

} // namespace nacre::importer::tflite_format

#endif // NACRE_COMPILER_IMPORT_TFLITE_OPTIONS_H
