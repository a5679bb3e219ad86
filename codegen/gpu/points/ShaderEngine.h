// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the program of a serial kernel's point in SPIR-V. An invocation runs it, with the point's scratch in its
//        variables.

#ifndef NACRE_CODEGEN_GPU_POINTS_SHADERENGINE_H
#define NACRE_CODEGEN_GPU_POINTS_SHADERENGINE_H

#include "codegen/form/SerialProgram.h"
#include "codegen/gpu/points/PointBuilder.h"

namespace nacre::codegen::gpu {

class ShaderEngine : public SerialEngine {
public:
  ShaderEngine(PointBuilder &build, KernelFunction &function);

  /// True if an operation of a program can be emitted in SPIR-V.
  static bool knows(mlir::Operation *op);

  mlir::Value load(mlir::Value value, const Place &place, mlir::Value address) override;
  void store(mlir::Value stored, const Place &place, mlir::Value address) override;
  mlir::Value compute(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands) override;
  mlir::Value constant(mlir::TypedAttr value) override;
  mlir::Value allocate(mlir::RankedTensorType type) override;
  mlir::Type typeOf(mlir::Value value) override;
  mlir::Value carry(mlir::Value emitted, mlir::Value) override { return emitted; }
  /// True, because upstream's conversion to SPIR-V leaves the results of a loop without iterations undefined.
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
