// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports of a model's entries. Each is made once, however many plans are tried.

#ifndef NACRE_COMPILER_DRIVER_ENTRYIMPORTS_H
#define NACRE_COMPILER_DRIVER_ENTRYIMPORTS_H

#include "compiler/import/Import.h"

#include <functional>
#include <map>
#include <string>
#include <utility>

namespace nacre {

class EntryImports {
public:
  /// Imports what the options ask for. Returns null after an error.
  using Import =
      std::function<mlir::OwningOpRef<mlir::ModuleOp>(const importer::ImportOptions &, const importer::KeptTensors &)>;

  /// Unless `keeps`, an entry is imported each time and not kept, which needs less memory.
  EntryImports(Import import, bool keeps) : import(std::move(import)), keeps(keeps) {}

  /// Returns the entry that `options` name, with the shapes or the batch that they name. Null after an error. Kept
  /// imports share constants, which phases would free, so copy the module first (ModuleCopies.h).
  mlir::OwningOpRef<mlir::ModuleOp> get(const importer::ImportOptions &options, const importer::KeptTensors &kept);

private:
  const Import import;
  const bool keeps;
  std::map<std::pair<std::string, int64_t>, mlir::OwningOpRef<mlir::ModuleOp>>
      imported; ///< Modules by entry, with its suffix, and batch.
};

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_ENTRYIMPORTS_H
