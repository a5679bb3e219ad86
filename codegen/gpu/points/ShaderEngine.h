// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the program of a serial kernel's point in SPIR-V. One invocation executes it, with the scratch of the
//        point in its variables.

#ifndef NACRE_CODEGEN_GPU_POINTS_SHADERENGINE_H
#define NACRE_CODEGEN_GPU_POINTS_SHADERENGINE_H

#include "codegen/form/serial/SerialProgram.h"
#include "codegen/gpu/points/PointBuilder.h"

namespace nacre::codegen::gpu {

class ShaderEngine : public SerialEngine {
public:
  ShaderEngine(PointBuilder &build, KernelFunction &function);

  /// True if SPIR-V code can be emitted for an operation of a program.
  static bool knows(mlir::Operation *op);

  mlir::Value load(mlir::Value value, const Place &place, mlir::Value address) override;
  void store(mlir::Value stored, const Place &place, mlir::Value address) override;
  mlir::Value compute(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands) override;
  mlir::Value constant(mlir::TypedAttr value) override;
  mlir::Value allocate(mlir::RankedTensorType type) override;
  mlir::Type typeOf(mlir::Value value) override;
  mlir::Value carry(mlir::Value emitted, mlir::Value) override { return emitted; }
  /// Always true, because MLIR's conversion to SPIR-V leaves the results of a loop without iterations undefined.
  bool mustIterate() const override { return true; }

protected:
  PointBuilder &build;
  KernelFunction &function;

private:
  mlir::Value memoryOf(const Place &place) const;

  mlir::OpBuilder atEntry;
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_SHADERENGINE_H
