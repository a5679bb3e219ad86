// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  builds the body of one `plan.kernel` from a group of `nn` operators.
// Why:   every family of operators needs the same things: arguments for the tensors it reads, sweeps over them with a
//        scalar body, and an epilogue made of the elementwise operators that the group holds.
// How:   an anchor's lowering emits its work into an accumulator and then *defines* its result: as a scalar function of
//        tensors at maps. `emitSweep` computes any value of the group at each point of an iteration space, through
//        elementwise members, down to definitions, arguments and inlined splats. Tensors outside the kernel are called
//        host values.

#ifndef NACRE_COMPILER_KERNELS_BODIES_KERNELBODY_H
#define NACRE_COMPILER_KERNELS_BODIES_KERNELBODY_H

#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <functional>

namespace nacre::kernels {

/// Operators that become one kernel.
struct OperatorGroup {
  mlir::Operation *anchor = nullptr;          ///< Null for a chain of elementwise operators.
  bool isRows = false;                        ///< The anchor is the first of several operators on the same rows.
  mlir::Operation *depthwise = nullptr;       ///< The convolution that the anchor reads where it computes it, if any.
  llvm::SetVector<mlir::Operation *> members; ///< In order, the anchor included.
  mlir::Value result;                         ///< Of the last member.
  llvm::SmallVector<mlir::Value> results; ///< That leave the group: it alone, or all of an operator that has several,
                                          ///< or of several that read a product in parts.
};

/// A host value inside the kernel: `scalar` of the elements of `tensors` at `maps` (dims are those of the value's
/// shape). Scalars go in as they are stored and come out as they are computed with.
struct Definition {
  llvm::SmallVector<mlir::Value> tensors;
  llvm::SmallVector<mlir::AffineMap> maps;
  std::function<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> scalar;
};

/// A loop nest over `shape` that updates one accumulator.
struct Sweep {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<mlir::utils::IteratorType> iterators; ///< Empty: all parallel.
  llvm::SmallVector<mlir::Value> values;                  ///< Host values of this very shape.
  llvm::SmallVector<mlir::Value> tensors;                 ///< Tensors of the body, read at `maps`.
  llvm::SmallVector<mlir::AffineMap> maps;
  mlir::Value destination;
  mlir::AffineMap destinationMap;                     ///< Null: the identity.
  llvm::SmallVector<mlir::Value> furtherDestinations; ///< Of values[1] and so on, as they are, by the same map.
  /// The new element of the destination from the elements of `values` (computed types), of `tensors` (as stored) and
  /// the old one.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::ValueRange values, mlir::ValueRange tensors, mlir::Value old)>
      body;
};

class KernelBody {
public:
  /// Appends an empty kernel of `kind` to `module`. `loc` is that of the group. With `collapseRows`, values of rank above 2 are
  /// seen as [rows, last axis].
  KernelBody(mlir::ModuleOp module, plan::KernelKind kind, mlir::StringRef name, const OperatorGroup &group,
             mlir::Location loc, bool collapseRows);

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  const OperatorGroup &getGroup() const { return group; }
  mlir::MLIRContext *getContext() { return builder.getContext(); }

  /// The shape of a host value as the kernel sees it.
  llvm::SmallVector<int64_t> getShape(mlir::Value host) const;

  /// The argument for a tensor that the kernel reads; `shape` overrides getShape.
  mlir::Value read(mlir::Value host, std::optional<llvm::ArrayRef<int64_t>> shape = std::nullopt);
  /// Whether members of the group compute `host`.
  bool makes(mlir::Value host) const { return definitions.contains(host) || isMember(host.getDefiningOp()); }
  /// `host` in its storage type: the argument for it, or where members of the group compute it, what they make, once. That is a
  /// result where others read it, too.
  mlir::Value readOrMake(mlir::Value host);
  /// A weight that the lowering itself makes up.
  mlir::Value readTable(mlir::ElementsAttr table);
  /// The written storage of a result of the group.
  mlir::Value getTarget(unsigned result = 0) { return kernel.getBody().getArgument(operands.size() + result); }

  /// Where an anchor accumulates: the target if the result needs no more work, else values of the accumulator's type.
  mlir::Value getAccumulator(mlir::Value anchorResult, mlir::Type elementType, bool moreWork = false);
  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);
  mlir::Value fill(mlir::TypedAttr value, mlir::Value destination);
  mlir::Value emitSweep(const Sweep &sweep) { return emitSweepInto(sweep).front(); }
  /// What all destinations hold.
  mlir::ValueRange emitSweepInto(const Sweep &sweep);

  void define(mlir::Value host, Definition definition) { definitions[host] = std::move(definition); }
  /// `tensor` holds the elements of `host`, in its storage type or its compute type.
  void defineAs(mlir::Value host, mlir::Value tensor);
  /// What members of the group slice of `host`, which is defined as a tensor, are slices of that.
  void defineParts(mlir::Value host);

  /// Cuts the kernel along an axis of the first target, where the choice is not by the axes that can be divided.
  void setCut(int64_t axis, int64_t extent, int64_t grain);
  /// Axes of the target that units must not divide.
  void setUncuttable(llvm::ArrayRef<int64_t> axes) { uncuttable.assign(axes.begin(), axes.end()); }
  /// Ends the kernel: computes the group's result into the target from what is defined, unless the accumulator was the
  /// target, and `accumulated` is the result already.
  mlir::LogicalResult finish(mlir::Value accumulated = {});
  /// Ends the kernel with `written`, the targets' new contents.
  mlir::LogicalResult finishWith(mlir::ValueRange written);

  plan::KernelOp getKernel() { return kernel; }
  /// What the launch reads, in order: host values, or attributes of tables.
  using Operand = llvm::PointerUnion<mlir::Value, mlir::Attribute>;
  llvm::ArrayRef<Operand> getOperands() const { return operands; }

  /// The map from points of `iteration` to elements of `operand`, which broadcasts to it.
  mlir::AffineMap getBroadcastMap(llvm::ArrayRef<int64_t> operand, llvm::ArrayRef<int64_t> iteration);

private:
  void chooseCutAxis();
  mlir::Value addInput(mlir::Type type, Operand operand);
  bool isMember(mlir::Operation *op) const { return op && op != group.anchor && group.members.contains(op); }
  bool nameExtents(const Sweep &sweep, mlir::AffineMap destination, llvm::SmallVectorImpl<mlir::Value> &inputs,
                   llvm::SmallVectorImpl<mlir::AffineMap> &maps);
  void collectLeaves(mlir::Value host, llvm::SetVector<mlir::Value> &leaves, llvm::SetVector<mlir::Operation *> &inner);

  const OperatorGroup &group;
  mlir::Location loc;
  mlir::OpBuilder builder;
  plan::KernelOp kernel;
  llvm::SmallVector<Operand> operands;
  llvm::DenseMap<mlir::Value, mlir::Value> arguments;
  llvm::DenseMap<mlir::Value, Definition> definitions;
  llvm::DenseMap<mlir::Value, mlir::Value> made; ///< By readOrMake.
  llvm::SmallVector<int64_t> uncuttable;
  bool rowsCollapsed;
  bool isDirect = false; ///< The accumulator is the target.
  bool isCut = false;    ///< By its lowering.
  bool failed = false;
};

/// The element that all of a constant consists of, or null.
mlir::TypedAttr getSplat(mlir::Value host);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_KERNELBODY_H
