// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries of a model that is trained as the options say: a run, a training step, an evaluation, and the whole batch
// if a step takes it in parts. They are one module over the same weights.

#ifndef NACRE_COMPILER_DRIVER_TRAINEDENTRIES_H
#define NACRE_COMPILER_DRIVER_TRAINEDENTRIES_H

#include "compiler/driver/ModelEntries.h"

#include <string>
#include <vector>

namespace nacre {

class TrainedEntries : public ModelEntries {
public:
  /// `options.training` must be there.
  TrainedEntries(const CompilerOptions &options, mlir::MLIRContext &context) : ModelEntries(options, context) {}

  bool prepareImport(importer::ImportOptions &importOptions) override;
  std::optional<MemoryLimit> findLimit(const importer::Model &model) const override;
  mlir::OwningOpRef<mlir::ModuleOp> import(EntryImports &imports, const importer::ImportOptions &importOptions,
                                           const Choice &choice) override;
  mlir::LogicalResult addSteps(mlir::ModuleOp module, const Choice &choice) override;
  int64_t getDividedBatch() const override { return undivided.empty() ? wholeBatch : 1; }
  std::string adviseOnMemory(const MemoryLimit &limit, const Trial &missing, int64_t scratchBytes) const override;

private:
  /// Returns what the user can change so that the batch can be divided, from imported entries; empty if it can.
  std::string findUndivided(mlir::ModuleOp module) const;

  std::vector<std::string> watched; ///< Tensors that losses read.
  int64_t wholeBatch = 1;
  std::string undivided; ///< Hint for the user how steps can take the batch in parts; empty if they can.
};

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_TRAINEDENTRIES_H
