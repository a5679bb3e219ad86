// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  dropout of tensors that the user names, where the exporter has left it out.
// Why:   graphs are exported for inference, without what a network does in training alone.
// How:   those that read such a tensor read what is left of it, as behind a node of the model.

#ifndef NACRE_COMPILER_IMPORT_TRAINING_ADDEDDROPOUTS_H
#define NACRE_COMPILER_IMPORT_TRAINING_ADDEDDROPOUTS_H

#include "compiler/import/builder/OpenWeights.h"

#include "llvm/ADT/StringSet.h"

namespace nacre::importer {

class AddedDropouts {
public:
  explicit AddedDropouts(const TrainedEntry &entry) : entry(entry) {}

  /// What is left of the tensor `value`, called `name`: `value` itself where nothing is dropped. Null after an error at `nn`'s place.
  mlir::Value apply(llvm::StringRef name, mlir::Value value, NnBuilder nn);

  /// Whether all tensors that were named have been met; `known` are those that there are.
  llvm::LogicalResult check(const llvm::StringMap<mlir::Value> &known, const OpenWeights &weights,
                            mlir::Location loc) const;

private:
  const TrainedEntry &entry;
  llvm::StringSet<> met;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_TRAINING_ADDEDDROPOUTS_H
