// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports of a model's entries. Each is made once, however many plans are tried.

#ifndef NACRE_COMPILER_DRIVER_ENTRYIMPORTS_H
#define NACRE_COMPILER_DRIVER_ENTRYIMPORTS_H

#include "compiler/import/Import.h"

#include <map>
#include <string>
#include <utility>

namespace nacre {

class EntryImports {
public:
  /// `model` must outlive this. Unless `keeps`, an entry is imported each time and not kept, which needs less memory.
  EntryImports(importer::Model &model, bool keeps) : model(model), keeps(keeps) {}

  /// Returns the entry that `options` name, with the batch that they name. Null after an error. Kept imports share
  /// constants, which phases would free, so copy the module first (ModuleCopies.h).
  mlir::OwningOpRef<mlir::ModuleOp> get(const importer::ImportOptions &options, const importer::KeptTensors &kept);

private:
  importer::Model &model;
  const bool keeps;
  std::map<std::pair<std::string, int64_t>, mlir::OwningOpRef<mlir::ModuleOp>>
      imported; ///< Modules by entry and batch.
};

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_ENTRYIMPORTS_H
