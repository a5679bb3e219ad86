// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that the user sets for inputs.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_INPUTVALUES_H
#define NACRE_COMPILER_IMPORT_ENTRY_INPUTVALUES_H

#include "compiler/import/model/GraphView.h"

#include <set>

namespace nacre::importer {

/// Reads the value of an input: numbers separated by commas, or the path of a .npy file or of one that `model` reads.
/// It must agree with `type`; one number without a known shape is a scalar, several are 1-D.
mlir::FailureOr<mlir::ElementsAttr> readInputValue(llvm::StringRef text, const DeclaredType &type, ModelView &model,
                                                   mlir::Location loc);

/// How an error asks for the values of several inputs that decide shapes.
std::string askForValues(llvm::ArrayRef<llvm::StringRef> inputs);

/// Returns what the message about an unknown `name` says about the inputs of a model: some that are required, and the nearest of all.
std::string describeInputs(llvm::StringRef name, const std::set<llvm::StringRef> &names,
                           const std::set<llvm::StringRef> &required);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_INPUTVALUES_H
