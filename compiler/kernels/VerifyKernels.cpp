// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the post-condition of the kernels phase: the forms of docs/phases/kernels.md. With any other form, an emitter
// would fall back to slow code. This check reports an error instead that names the responsible pass.
//
// 1. Bodies: allowed operations, and the number of each.
// 2. Entries: launches match their kernels.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/VerifySerial.h"
#include "dialects/plan/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;

namespace {

constexpr StringRef formKernels = "nacre-form-kernels", assignStorages = "nacre-assign-storages";

LogicalResult blame(InFlightDiagnostic error, StringRef pass) {
  error.attachNote() << "likely a missing case in " << pass;
  return failure();
}

//===----------------------------------------------------------------------===//
// 1. Bodies
//===----------------------------------------------------------------------===//

/// True if the results of a map are sums of `dim * constant` and constants.
bool isLinear(AffineMap map) {
  return llvm::all_of(map.getResults(), [](AffineExpr expression) {
    WalkResult walk = expression.walk([](AffineExpr part) {
      AffineExprKind kind = part.getKind();
      return kind == AffineExprKind::Mod || kind == AffineExprKind::FloorDiv || kind == AffineExprKind::CeilDiv
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return !walk.wasInterrupted();
  });
}

LogicalResult verifyGeneric(linalg::GenericOp generic, plan::KernelKind kind) {
  if (!llvm::all_of(generic.getIndexingMapsArray(), isLinear))
    return blame(generic.emitOpError("must be indexed by sums of dims, in a kernel"), formKernels);
  bool mayIndex = kind == plan::KernelKind::Indexed || kind == plan::KernelKind::Scan;
  bool mayReadTables = kind == plan::KernelKind::Nest || kind == plan::KernelKind::Row;
  for (Operation &op : generic.getBody()->getOperations()) {
    bool isScalar = isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) || isa<linalg::YieldOp>(op) ||
                    (plan::isScalar(&op) && !isa<plan::LookupOp>(op));
    bool isIndexed = isa<linalg::IndexOp, tensor::ExtractOp>(op);
    bool isPosition = isa<linalg::IndexOp>(op) && kind == plan::KernelKind::Attention;
    auto read = dyn_cast<tensor::ExtractOp>(op);
    auto lookup = dyn_cast<plan::LookupOp>(op);
    bool isOfTable = (read && read.getTensor().getType().getRank() == 1 && isa<BlockArgument>(read.getTensor())) ||
                     (lookup && isa<BlockArgument>(lookup.getTable()));
    if (!isScalar && !(isIndexed && mayIndex) && !isPosition && !(isOfTable && mayReadTables))
      return blame(op.emitOpError("must not be in the body of a kernel of kind ") << stringifyKernelKind(kind),
                   formKernels);
  }
  return success();
}

template <typename Slice> LogicalResult verifySlice(Slice slice) {
  if (!ShapedType::isDynamicShape(slice.getStaticStrides()) && !ShapedType::isDynamicShape(slice.getStaticOffsets()) &&
      !ShapedType::isDynamicShape(slice.getStaticSizes()))
    return success();
  return blame(slice.emitOpError("must be static, in a kernel"), assignStorages);
}

/// Number of generics of each sort in a body, and number of loops over points.
struct Sweeps {
  unsigned reducing = 0, mapping = 0, points = 0;
};

/// True if a kernel of `kind` may consist of these sweeps. Most kinds allow a reduction and its epilogue, or one map.
/// Rows allow any sweeps. A product may follow the computation of its left operand: a map, and sums for each of its
/// rows.
bool isForm(plan::KernelKind kind, Sweeps sweeps) {
  if (kind != plan::KernelKind::Serial && sweeps.points > 0)
    return false;
  switch (kind) {
  case plan::KernelKind::Contraction:
    return sweeps.reducing >= 1 && sweeps.mapping <= 2 && (sweeps.reducing == 1 || sweeps.mapping > 0);
  case plan::KernelKind::Nest:
    // Two reductions may be maxima of windows and their codes. The map writes both.
    return sweeps.reducing <= 1 + sweeps.mapping && sweeps.mapping <= 1 && sweeps.reducing + sweeps.mapping > 0;
  case plan::KernelKind::Attention:
    return sweeps.reducing > 1;
  case plan::KernelKind::Separable:
    return sweeps.reducing == 2 && sweeps.mapping <= 2;
  case plan::KernelKind::Row:
    return sweeps.reducing > 0;
  case plan::KernelKind::Permute:
  case plan::KernelKind::Indexed:
    return sweeps.reducing == 0 && sweeps.mapping == 1;
  case plan::KernelKind::Scan:
    return sweeps.reducing == 1 && sweeps.mapping == 0;
  case plan::KernelKind::Serial:
    return sweeps.points == 1 && sweeps.reducing + sweeps.mapping == 0;
  }
  llvm_unreachable("no other kind of kernel");
}

LogicalResult verifyBody(plan::KernelOp kernel) {
  Sweeps sweeps;
  for (Operation &op : kernel.getBody().front()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      ++(generic.getNumReductionLoops() ? sweeps.reducing : sweeps.mapping);
      if (failed(verifyGeneric(generic, kernel.getKind())))
        return failure();
    } else if (auto points = dyn_cast<scf::ForallOp>(op)) {
      ++sweeps.points;
      if (std::optional<kernels::SerialFault> fault = kernels::findSerialFault(kernel, points))
        return blame(fault->at->emitOpError(fault->must), formKernels);
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      if (failed(verifySlice(slice)))
        return failure();
    } else if (auto slice = dyn_cast<tensor::InsertSliceOp>(op)) {
      if (failed(verifySlice(slice)))
        return failure();
    } else if (!isa<linalg::FillOp, tensor::EmptyOp, tensor::PadOp, arith::ConstantOp, plan::YieldOp>(op)) {
      return blame(op.emitOpError("must not be in a kernel"), formKernels);
    }
  }
  if (!isForm(kernel.getKind(), sweeps))
    return blame(kernel.emitOpError("must have the form of kind ")
                     << stringifyKernelKind(kernel.getKind()) << ", but holds " << sweeps.reducing << " reductions, "
                     << sweeps.mapping << " maps and " << sweeps.points << " loops over points",
                 formKernels);
  auto target = cast<RankedTensorType>(kernel.getOutputs().front().getType());
  if (kernel.getCutAxis() < 0 || kernel.getCutAxis() >= std::max<int64_t>(1, target.getRank()))
    return blame(kernel.emitOpError("must be cut along an axis of ") << target, formKernels);
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Entries
//===----------------------------------------------------------------------===//

LogicalResult verifyLaunch(plan::LaunchOp launch, SymbolTable &symbols) {
  auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
  if (!kernel)
    return blame(launch.emitOpError("must name a kernel, but names ") << launch.getKernelAttr(), "nacre-merge-kernels");
  SmallVector<Value> operands(launch.getInputs());
  llvm::append_range(operands, launch.getOutputs());
  if (launch.getInputs().size() != size_t(kernel.getNumInputs()) ||
      operands.size() != kernel.getBody().getNumArguments())
    return blame(launch.emitOpError("must have the operands of its kernel ") << launch.getKernelAttr(), assignStorages);
  for (auto [operand, argument] : llvm::zip_equal(operands, kernel.getBody().getArguments())) {
    auto have = dyn_cast<MemRefType>(operand.getType());
    auto want = cast<RankedTensorType>(argument.getType());
    if (!have || have.getShape() != want.getShape() || have.getElementType() != want.getElementType())
      return blame(launch.emitOpError("operand ") << argument.getArgNumber() << " must be a storage of " << want
                                                  << ", but is " << operand.getType(),
                   assignStorages);
  }
  return success();
}

LogicalResult verifyEntry(plan::EntryOp entry, SymbolTable &symbols) {
  WalkResult walk = entry.walk([&](Operation *op) {
    if (auto launch = dyn_cast<plan::LaunchOp>(op))
      return failed(verifyLaunch(launch, symbols)) ? WalkResult::interrupt() : WalkResult::advance();
    bool isOfPlan = isa<plan::PlanDialect>(op->getDialect()) && !isa<plan::OutputOp>(op);
    bool isTensor = llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
    if (isOfPlan && !isTensor)
      return WalkResult::advance();
    return failed(blame(op->emitOpError("must be gone, or on storages, after the kernels phase"), assignStorages))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

struct VerifyKernels : kernels::impl::VerifyKernelsPassBase<VerifyKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (Operation &op : *getOperation().getBody()) {
      LogicalResult verified = success();
      if (auto kernel = dyn_cast<plan::KernelOp>(op))
        verified = verifyBody(kernel);
      else if (auto entry = dyn_cast<plan::EntryOp>(op))
        verified = verifyEntry(entry, symbols);
      else if (!isa<plan::WeightOp>(op))
        verified = blame(op.emitOpError("must be gone after the kernels phase"), formKernels);
      if (failed(verified))
        return signalPassFailure();
    }
  }
};

} // namespace
