// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a `plan.entry` on tensors: inputs, weights and launches. Maps the values of a function to values of the entry.
// Forming kernels and lowering regions both append to an entry. ModulePlan holds the weights and names that all entries
// share; EntryBuilder appends to one entry.

#ifndef NACRE_COMPILER_KERNELS_ENTRIES_ENTRYBUILDER_H
#define NACRE_COMPILER_KERNELS_ENTRIES_ENTRYBUILDER_H

#include "compiler/kernels/bodies/KernelBody.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace nacre::kernels {

class ModulePlan {
public:
  explicit ModulePlan(mlir::ModuleOp module) : module(module) {}

  mlir::ModuleOp getModule() { return module; }
  /// Returns an unused kernel name that begins with `stem`.
  std::string makeKernelName(mlir::StringRef stem);
  /// Returns the weight that holds `value` in its storage type. Equal attributes share a weight.
  mlir::FailureOr<plan::WeightOp> getWeight(mlir::ElementsAttr value, mlir::Location loc);
  /// Returns the weight that holds the initial value of a state. No kernel reads this weight, so it is never packed.
  mlir::FailureOr<plan::WeightOp> getInitial(mlir::StringRef variable, mlir::ElementsAttr value, mlir::Location loc);

private:
  mlir::FailureOr<plan::WeightOp> addWeight(mlir::ElementsAttr value, mlir::Location loc);

  mlir::ModuleOp module;
  llvm::StringMap<unsigned> kernelCounts;
  llvm::DenseMap<mlir::Attribute, plan::WeightOp> weights;
  llvm::StringMap<plan::WeightOp> initials; ///< Weights with initial values, by name of the variable.
  unsigned numWeights = 0;
  int64_t splatBytes = 0; ///< Total size in bytes of weights that repeat one value.
  plan::WeightOp lastWeight;
};

class EntryBuilder {
public:
  EntryBuilder(ModulePlan &plan, mlir::StringRef name, mlir::Location loc);

  plan::EntryOp getEntry() { return entry; }
  mlir::OpBuilder &getBuilder() { return builder; }
  ModulePlan &getPlan() { return plan; }

  void map(mlir::Value host, mlir::Value value) { values[host] = value; }
  /// Returns the entry's tensor for a value of the function. Reports an error and returns null if a constant cannot be
  /// read.
  mlir::Value lookup(mlir::Value host);
  mlir::Value use(mlir::ElementsAttr value, mlir::Location loc);
  mlir::Value reshape(mlir::Value value, mlir::ArrayRef<int64_t> shape, mlir::Location loc);

  /// Adds a temporary storage to the entry.
  mlir::Value allocate(mlir::MemRefType type, mlir::Location loc);

  /// Launches a finished kernel and maps the results of its group.
  mlir::LogicalResult launch(KernelBody &body);

private:
  ModulePlan &plan;
  plan::EntryOp entry;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::Operation *, mlir::Value> uses;
};

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_ENTRIES_ENTRYBUILDER_H
