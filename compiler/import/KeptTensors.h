// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which of the tensors that a model's nodes compute become results beside its outputs (`--keep`).
// Why:   to look at them; nothing that is imported depends on it, so no handler sees it.
// How:   entry/KeptValues.h.

#ifndef NACRE_COMPILER_IMPORT_KEPTTENSORS_H
#define NACRE_COMPILER_IMPORT_KEPTTENSORS_H

#include "compiler/import/Import.h"

namespace nacre::importer {

struct KeptTensors {
  bool all = false;
  std::vector<std::string> names; ///< as the model has them

  bool isAny() const { return all || !names.empty(); }
};

/// importModel (Import.h), with these tensors among the results. All results that nodes compute are marked `nn.kept` where there are any.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::StringRef path, const ImportOptions &options,
                                              const KeptTensors &kept, mlir::MLIRContext *context);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_KEPTTENSORS_H
