// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the body of one `plan.kernel` from a group of `nn` operators. All families of operators need the same parts:
// arguments for tensors, sweeps with a scalar body, and an epilogue of the elementwise operators in the group.
//
// The lowering of an anchor emits its work into an accumulator and then *defines* its result as a scalar function of
// tensors at maps. `emitSweep` computes any value of the group at each point of an iteration space: through elementwise
// members, down to definitions, arguments and inlined splats. Tensors outside the kernel are called host values.

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
  mlir::Operation *anchor = nullptr; ///< Null for a chain of elementwise operators.
  /// True if the anchor is the first of several operators on the same rows.
  bool isRows = false;
  /// Convolution that this kernel computes for its anchor, or null.
  mlir::Operation *depthwise = nullptr;
  llvm::SetVector<mlir::Operation *> members; ///< Members in order, including the anchor.
  mlir::Value result;                         ///< Result of the last member.
  /// Values that leave the group: `result`, all results of one operator, or those of several on parts.
  llvm::SmallVector<mlir::Value> results;
};

/// Host value inside the kernel: `scalar` of the elements of `tensors` at `maps`, whose dims are those of the value's
/// shape. Scalars go in with their storage type and come out with their compute type.
struct Definition {
  llvm::SmallVector<mlir::Value> tensors;
  llvm::SmallVector<mlir::AffineMap> maps;
  std::function<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> scalar;
};

/// Loop nest over `shape` that updates one accumulator.
struct Sweep {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<mlir::utils::IteratorType> iterators; ///< Empty if all are parallel.
  llvm::SmallVector<mlir::Value> values;                  ///< Host values with the shape of the sweep.
  llvm::SmallVector<mlir::Value> tensors;                 ///< Tensors of the body, read at `maps`.
  llvm::SmallVector<mlir::AffineMap> maps;
  mlir::Value destination;
  mlir::AffineMap destinationMap; ///< Null for the identity.
  /// Destinations of values[1], values[2], ..., which are stored unchanged, by the same map.
  llvm::SmallVector<mlir::Value> furtherDestinations;
  /// Returns the new element of the destination, given the elements of `values` (compute types), of `tensors` (storage
  /// types) and of the destination.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::ValueRange values, mlir::ValueRange tensors, mlir::Value old)>
      body;
};

class KernelBody {
public:
  /// Appends an empty kernel of `kind` to `module`, with the location of the group. With `collapseRows`, values of rank
  /// above 2 have the shape [rows, last axis].
  KernelBody(mlir::ModuleOp module, plan::KernelKind kind, mlir::StringRef name, const OperatorGroup &group,
             mlir::Location loc, bool collapseRows);

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  const OperatorGroup &getGroup() const { return group; }
  mlir::MLIRContext *getContext() { return builder.getContext(); }

  /// Returns the shape of a host value as the kernel sees it.
  llvm::SmallVector<int64_t> getShape(mlir::Value host) const;

  /// Returns the argument for a tensor that the kernel reads; `shape` overrides getShape.
  mlir::Value read(mlir::Value host, std::optional<llvm::ArrayRef<int64_t>> shape = std::nullopt);
  /// True if the anchor defined `host` or a member of the group computes it.
  bool makes(mlir::Value host) const { return definitions.contains(host) || isMember(host.getDefiningOp()); }
  /// Returns `host` in its storage type: its argument, or a tensor that members of the group compute once. If others
  /// read that tensor, too, it is a result of the kernel.
  mlir::Value readOrMake(mlir::Value host);
  /// Adds an argument for a weight that the lowering itself computes.
  mlir::Value readTable(mlir::ElementsAttr table);
  /// Returns the written storage of a result of the group.
  mlir::Value getTarget(unsigned result = 0) { return kernel.getBody().getArgument(operands.size() + result); }

  /// Returns the destination of an anchor: the target if the result needs no more work, else a temporary of the
  /// accumulator's type.
  mlir::Value getAccumulator(mlir::Value anchorResult, mlir::Type elementType, bool moreWork = false);
  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);
  mlir::Value fill(mlir::TypedAttr value, mlir::Value destination);
  mlir::Value emitSweep(const Sweep &sweep) { return emitSweepInto(sweep).front(); }
  /// Emits a sweep and returns the new contents of all its destinations.
  mlir::ValueRange emitSweepInto(const Sweep &sweep);

  void define(mlir::Value host, Definition definition) { definitions[host] = std::move(definition); }
  /// Defines `host` as the elements of `tensor`, which has its storage type or its compute type.
  void defineAs(mlir::Value host, mlir::Value tensor);
  /// Defines members that are slices of `host` as the same slices of the tensors that define it.
  void defineParts(mlir::Value host);

  /// Cuts the kernel along an axis of the first target, instead of an axis that chooseCutAxis picks.
  void setCut(int64_t axis, int64_t extent, int64_t grain);
  /// Sets the axes of the target that units must not divide.
  void setUncuttable(llvm::ArrayRef<int64_t> axes) { uncuttable.assign(axes.begin(), axes.end()); }
  /// Ends the kernel: computes the group's result into the target from the definitions. If the accumulator was the
  /// target, `accumulated` is already the result.
  mlir::LogicalResult finish(mlir::Value accumulated = {});
  /// Ends the kernel with `written`, the new contents of the targets.
  mlir::LogicalResult finishWith(mlir::ValueRange written);

  plan::KernelOp getKernel() { return kernel; }
  /// Operand of the launch: a host value, or the attribute of a table.
  using Operand = llvm::PointerUnion<mlir::Value, mlir::Attribute>;
  llvm::ArrayRef<Operand> getOperands() const { return operands; }

  /// Returns the map from points of `iteration` to elements of `operand`, which broadcasts to it.
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
  llvm::DenseMap<mlir::Value, mlir::Value> made; ///< Tensors that readOrMake computed.
  llvm::SmallVector<int64_t> uncuttable;
  bool rowsCollapsed;
  bool isDirect = false; ///< True if the accumulator is the target.
  bool isCut = false;    ///< True if the lowering has set the cut.
  bool failed = false;
};

/// Returns the element that all elements of a constant equal, or null.
mlir::TypedAttr getSplat(mlir::Value host);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_KERNELBODY_H
