// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that the user sets for inputs.

#ifndef NACRE_COMPILER_IMPORT_ENTRY_INPUTVALUES_H
#define NACRE_COMPILER_IMPORT_ENTRY_INPUTVALUES_H

#include "compiler/import/model/GraphView.h"

#include <set>

namespace nacre::importer {

/// Reads the value of an input from `text`. That is comma-separated numbers, the path of a .npy file, or the path of a
/// file that `model` reads. The value must match `type`. If `type` has no shape, one number is a scalar, and several
/// numbers are 1-D.
mlir::FailureOr<mlir::ElementsAttr> readInputValue(llvm::StringRef text, const DeclaredType &type, ModelView &model,
                                                   mlir::Location loc);

/// Returns the part of an error that asks the user to set `inputs`, because their values decide shapes.
std::string askForValues(llvm::ArrayRef<llvm::StringRef> inputs);

/// Returns the part of a message about an unknown `name` that suggests other names: some `required` inputs, and the
/// name in `names` that is nearest to `name`.
std::string describeInputs(llvm::StringRef name, const std::set<llvm::StringRef> &names,
                           const std::set<llvm::StringRef> &required);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_ENTRY_INPUTVALUES_H
