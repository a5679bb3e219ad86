// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  Selects intermediate tensors that become results in addition to the outputs (`--keep`).
// Why:   To inspect them. The import does not depend on this, so no handler sees it.
// How:   See entry/KeptValues.h.

#ifndef NACRE_COMPILER_IMPORT_KEPTTENSORS_H
#define NACRE_COMPILER_IMPORT_KEPTTENSORS_H

#include "compiler/import/Import.h"

namespace nacre::importer {

struct KeptTensors {
  bool all = false;
  std::vector<std::string> names; ///< names in the model

  bool isAny() const { return all || !names.empty(); }
};

/// Like importModel (Import.h), with these tensors among the results. If there are any, results of nodes are marked `nn.kept`.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::StringRef path, const ImportOptions &options,
                                              const KeptTensors &kept, mlir::MLIRContext *context);

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_KEPTTENSORS_H
