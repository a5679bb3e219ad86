// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that a model becomes: those of the model itself, or those of a model that is trained as the options say
// (TrainedEntries.h).

#ifndef NACRE_COMPILER_DRIVER_MODELENTRIES_H
#define NACRE_COMPILER_DRIVER_MODELENTRIES_H

#include "compiler/driver/EntryImports.h"
#include "compiler/driver/PlanSearch.h"
#include "compiler/driver/SessionMemory.h"
#include "compiler/options/CompilerOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <optional>
#include <string>

namespace nacre {

/// Returns true if a model asks for gradients itself.
bool asksForGradients(mlir::ModuleOp module);
/// Writes the gradients that a model asks for.
mlir::LogicalResult writeGradients(mlir::ModuleOp module);

/// The entries of a model as it is. It may ask for gradients, or train itself.
class ModelEntries {
public:
  /// Returns the entries that `options` ask for. Both arguments must outlive them.
  static std::unique_ptr<ModelEntries> create(const CompilerOptions &options, mlir::MLIRContext &context);
  virtual ~ModelEntries() = default;

  /// Adds to `importOptions` what import() needs, and checks the options. Returns false after an error.
  virtual bool prepareImport(importer::ImportOptions &importOptions);
  /// Returns the limit of memory, of the options or else of the model.
  virtual std::optional<MemoryLimit> findLimit(const importer::Model &model) const;
  /// Returns the entries of `choice`. `importOptions` are prepared. Null after an error.
  virtual mlir::OwningOpRef<mlir::ModuleOp> import(EntryImports &imports, const importer::ImportOptions &importOptions,
                                                   const Choice &choice);
  /// Adds the steps of training to entries whose gradients are written.
  virtual mlir::LogicalResult addSteps(mlir::ModuleOp module, const Choice &choice);
  /// Returns the batch that steps may take in parts, once steps were added; 1 if they may not.
  virtual int64_t getDividedBatch() const { return 1; }
  /// Returns the end of an error about `limit`, which `missing` exceeds: where memory goes, and how to need less.
  virtual std::string adviseOnMemory(const MemoryLimit &limit, const Trial &missing, int64_t scratchBytes) const;

protected:
  /// Imports one entry. If it `repeats` another one, only errors are said.
  mlir::OwningOpRef<mlir::ModuleOp> importEntry(EntryImports &imports, const importer::ImportOptions &importOptions,
                                                const importer::KeptTensors &kept, bool repeats);
  /// Moves the functions of `entry` to the end of `module`, which may be null.
  static void append(mlir::OwningOpRef<mlir::ModuleOp> &module, mlir::OwningOpRef<mlir::ModuleOp> entry);
  ModelEntries(const CompilerOptions &options, mlir::MLIRContext &context) : options(options), context(context) {}
  mlir::LogicalResult fail(const llvm::Twine &message) const;

  const CompilerOptions &options;
  mlir::MLIRContext &context;
};

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_MODELENTRIES_H
