// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the body of one `plan.kernel` from a group of `nn` operators. All families of operators need the same parts:
// arguments for tensors, sweeps with a scalar body, and an epilogue from the elementwise operators of the group.
//
// The lowering of an anchor first emits its work into an accumulator. Then it *defines* its result as a scalar function
// of tensors at maps. `emitSweep` computes any value of the group at each point of an iteration space. It follows
// elementwise members down to definitions, arguments and inlined splats. Tensors outside the kernel are called host
// values.

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
  /// True if the anchor is the first of several operators that reduce or read the same rows.
  bool isRows = false;
  /// Depthwise convolution that this kernel computes as the operand of its anchor, or null.
  mlir::Operation *depthwise = nullptr;
  llvm::SetVector<mlir::Operation *> members; ///< Members in order, including the anchor.
  mlir::Value result;                         ///< Result of the last member.
  /// Values that leave the group: `result`, all results of one operator, or the results of several operators on parts.
  llvm::SmallVector<mlir::Value> results;
};

/// Definition of a host value inside the kernel: `scalar` of the elements of `tensors` at `maps`. The dims of the maps
/// are the axes of the value. `scalar` takes elements in their storage type and returns a value in its compute type.
struct Definition {
  llvm::SmallVector<mlir::Value> tensors;
  llvm::SmallVector<mlir::AffineMap> maps;
  std::function<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> scalar;
};

/// Loop nest over `shape` that updates one destination.
struct Sweep {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<mlir::utils::IteratorType> iterators; ///< Empty if all are parallel.
  llvm::SmallVector<mlir::Value> values;                  ///< Host values with the shape of the sweep.
  llvm::SmallVector<mlir::Value> tensors;                 ///< Tensors of the body, read at `maps`.
  llvm::SmallVector<mlir::AffineMap> maps;
  mlir::Value destination;
  mlir::AffineMap destinationMap; ///< Null for the identity.
  /// Destinations of values[1], values[2], ... These values are stored unchanged, at the same map as the first
  /// destination.
  llvm::SmallVector<mlir::Value> furtherDestinations;
  /// Returns the new element of the destination. The arguments are elements of `values` (in compute types), of
  /// `tensors` (in storage types), and the old element of the destination.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::ValueRange values, mlir::ValueRange tensors, mlir::Value old)>
      body;
};

class KernelBody {
public:
  /// Appends an empty kernel of `kind` to `module`, with the location of the group. If `collapseRows` is true, values
  /// of rank above 2 get the shape [rows, last axis].
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
  /// True if the anchor has defined `host`, or if a member of the group computes it.
  bool makes(mlir::Value host) const { return definitions.contains(host) || isMember(host.getDefiningOp()); }
  /// Returns `host` in its storage type: its argument, or a tensor that members of the group compute once. If operators
  /// outside of the group read that tensor, it is also a result of the kernel.
  mlir::Value readOrMake(mlir::Value host);
  /// Adds an argument for a weight that the lowering itself has computed.
  mlir::Value readTable(mlir::ElementsAttr table);
  /// Returns the written argument for the result with index `result`.
  mlir::Value getTarget(unsigned result = 0) { return kernel.getBody().getArgument(operands.size() + result); }

  /// Returns the destination of an anchor. This is the target if the result needs no more work. Otherwise, it is a
  /// temporary of the accumulator's type.
  mlir::Value getAccumulator(mlir::Value anchorResult, mlir::Type elementType, bool moreWork = false);
  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);
  mlir::Value fill(mlir::TypedAttr value, mlir::Value destination);
  mlir::Value emitSweep(const Sweep &sweep) { return emitSweepInto(sweep).front(); }
  /// Emits a sweep and returns the new contents of all its destinations.
  mlir::ValueRange emitSweepInto(const Sweep &sweep);

  void define(mlir::Value host, Definition definition) { definitions[host] = std::move(definition); }
  /// Defines `host` as the elements of `tensor`, whose type is the storage type or the compute type of `host`.
  void defineAs(mlir::Value host, mlir::Value tensor);
  /// Defines members that slice `host` as the same slices of the tensors that define `host`.
  void defineParts(mlir::Value host);

  /// Sets the cut axis of the kernel, an axis of the first target. Otherwise, chooseCutAxis picks one.
  void setCut(int64_t axis, int64_t extent, int64_t grain);
  /// Sets the axes of the target that units must not divide.
  void setUncuttable(llvm::ArrayRef<int64_t> axes) { uncuttable.assign(axes.begin(), axes.end()); }
  /// Ends the kernel: computes the group's result into the target from the definitions. If the accumulator is the
  /// target, `accumulated` is already the result.
  mlir::LogicalResult finish(mlir::Value accumulated = {});
  /// Ends the kernel with `written`, the new contents of all targets.
  mlir::LogicalResult finishWith(mlir::ValueRange written);

  plan::KernelOp getKernel() { return kernel; }
  /// Operand of the launch: a host value, or a table as an attribute.
  using Operand = llvm::PointerUnion<mlir::Value, mlir::Attribute>;
  llvm::ArrayRef<Operand> getOperands() const { return operands; }

  /// Returns the map from points of a space of shape `iteration` to elements of a tensor of shape `operand`, with
  /// broadcasting.
  mlir::AffineMap getBroadcastMap(llvm::ArrayRef<int64_t> operand, llvm::ArrayRef<int64_t> iteration);

private:
  void chooseCutAxis();
  mlir::Value addInput(mlir::Type type, Operand operand);
  bool isMember(mlir::Operation *op) const { return op && op != group.anchor && group.members.contains(op); }
  bool nameExtents(const Sweep &sweep, mlir::AffineMap destination, llvm::SmallVectorImpl<mlir::Value> &inputs,
                   llvm::SmallVectorImpl<mlir::AffineMap> &maps);
  /// Scalar of the result of a member, computed from scalars of `operands`. Quantizations and reads of tables skip
  /// members before them.
  struct MemberStep {
    llvm::SmallVector<mlir::Value> operands;
    std::function<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> emit;
  };
  MemberStep stepOf(mlir::Operation *member);
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

/// Returns the value of all elements of a constant, or null if they differ.
mlir::TypedAttr getSplat(mlir::Value host);

} // namespace nacre::kernels

#endif // NACRE_COMPILER_KERNELS_BODIES_KERNELBODY_H
