// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs states into the panels that choose-encodings gave them, in all entries.
// Why: a trained weight is then read in the same way as a constant one. Neither `main` nor the forward pass of training
//      has to reorder it first.
// How: 1. the memory of a state becomes the memory of its panels, row by row. Its initial value becomes a weight in the
//         same panels;
//      2. contractions read and write the state in panels. Elementwise launches get a kernel over rows of panels;
//      3. every other launch reads a row-major copy. If operands of an elementwise launch are not in panels, they are
//         copied into or out of panels.

#include "compiler/encode/Passes.h"
#include "compiler/encode/panels/ElementwiseKernels.h"
#include "compiler/encode/panels/PanelCopies.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace nacre::encode {
#define GEN_PASS_DEF_PACKSTATESPASS
#include "compiler/encode/Passes.h.inc"
} // namespace nacre::encode

using namespace mlir;

namespace nacre::encode {

namespace {

class EntryPacker {
public:
  EntryPacker(plan::EntryOp entry, PanelCopies &copies, SymbolTable &symbols)
      : entry(entry), copies(copies), symbols(symbols) {}

  void run() {
    for (auto storage : entry.getBody().front().getOps<plan::StorageOp>())
      if (auto encoding = storage->getAttrOfType<plan::EncodingAttr>(plan::kPanels))
        pack(storage, encoding);
    if (packed.empty())
      return;
    SmallVector<plan::LaunchOp> launches;
    entry.walk([&](plan::LaunchOp launch) { launches.push_back(launch); });
    for (plan::LaunchOp launch : launches)
      rewrite(launch);
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. Memory
  //===--------------------------------------------------------------------===//

  void pack(plan::StorageOp storage, plan::EncodingAttr encoding) {
    auto type = cast<MemRefType>(storage.getResult().getType());
    const Panels panels(type, encoding);
    packed.insert({storage.getResult(), {type, panels, encoding}});
    if (storage.getRole() == plan::Role::State)
      storage.setExternalTypeAttr(TypeAttr::get(storage.getTypeOfModel()));
    else
      storage->removeAttr(plan::kPanels);
    storage.getResult().setType(panels.getMemory());
    if (auto initial = storage->getAttrOfType<FlatSymbolRefAttr>(plan::kInitial))
      symbols.lookup<plan::WeightOp>(initial.getValue()).setEncodingAttr(encoding);
  }

  //===--------------------------------------------------------------------===//
  // 2. and 3. Launches
  //===--------------------------------------------------------------------===//

  struct Packed {
    MemRefType type; ///< Type before packing, which kernels see.
    Panels panels;
    plan::EncodingAttr encoding;
  };

  /// Returns the packed memory that contains an operand, or null if the operand is not packed.
  const Packed *find(Value operand) const {
    auto found = packed.find(plan::rootOf(operand));
    return found == packed.end() ? nullptr : &found->second;
  }

  void rewrite(plan::LaunchOp launch) {
    const Packed *first = nullptr;
    for (Value operand : launch->getOperands())
      if (const Packed *one = find(operand); one && !first)
        first = one;
    if (!first)
      return;
    auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
    if (isElementwise(kernel))
      rewriteElementwise(launch, kernel, *first);
    else
      rewriteReader(launch, kernel);
  }

  void rewriteElementwise(plan::LaunchOp launch, plan::KernelOp kernel, const Packed &like) {
    OpBuilder before(launch), behind(launch->getContext());
    behind.setInsertionPointAfter(launch);
    const unsigned inputs = launch.getInputs().size();
    for (OpOperand &operand : launch->getOpOperands()) {
      const unsigned number = operand.getOperandNumber();
      if (!isMapped(kernel, number) || packed.count(operand.get()))
        continue;
      // Before panels are filled from a view of packed memory, the view must be copied to row-major order.
      Value plain = number < inputs ? inOrder(before, launch, operand.get()) : operand.get();
      Value panels = allocate(like.panels.getMemory(), launch.getLoc());
      if (number < inputs)
        copies.intoPanels(before, launch.getLoc(), plain, like.panels, panels);
      else
        copies.outOfPanels(behind, launch.getLoc(), panels, like.panels, plain);
      operand.set(panels);
    }
    launch.setKernelAttr(copies.overPanels(kernel, like.panels));
  }

  void rewriteReader(plan::LaunchOp launch, plan::KernelOp kernel) {
    OpBuilder builder(launch);
    for (OpOperand &operand : launch->getOpOperands()) {
      if (!find(operand.get()))
        continue;
      const unsigned number = operand.getOperandNumber();
      assert((number < launch.getInputs().size() || kernel.getEncoding(number)) &&
             "what is in panels is written elementwise, or by tiles");
      if (isPackedFromPanels(kernel) && isWhole(operand.get())) {
        launch.setKernelAttr(copies.fromPanels(kernel, find(operand.get())->encoding));
      } else if (!kernel.getEncoding(number)) {
        operand.set(inOrder(builder, launch, operand.get()));
        continue;
      }
      operand.set(plan::ViewOp::create(builder, launch.getLoc(), typeIn(operand.get()), plan::rootOf(operand.get()),
                                       Value(),
                                       /*offset=*/0, /*step=*/0));
    }
  }

  /// True if the kernel only packs its input and can read it from panels. It must read the whole input, and walk the
  /// columns by one loop that is not the last one.
  static bool isPackedFromPanels(plan::KernelOp kernel) {
    Operation &first = kernel.getBody().front().front();
    auto move = dyn_cast<linalg::GenericOp>(first);
    if (kernel.getKind() != plan::KernelKind::Permute || !kernel.getEncoding(kernel.getNumInputs()) || !move ||
        !isa<BlockArgument>(move.getInputs().front()))
      return false;
    AffineMap read = move.getIndexingMapsArray().front();
    auto columns = dyn_cast<AffineDimExpr>(read.getResult(read.getNumResults() - 1));
    auto isOther = [&](AffineExpr rows) { return !rows.isFunctionOfDim(columns.getPosition()); };
    return columns && columns.getPosition() + 1 != read.getNumDims() &&
           llvm::all_of(read.getResults().drop_back(), isOther);
  }

  /// Returns the type with which kernels read an operand.
  MemRefType typeIn(Value operand) const {
    auto found = packed.find(operand);
    return found == packed.end() ? cast<MemRefType>(operand.getType()) : found->second.type;
  }

  /// True if an operand covers its whole storage with the same number of columns.
  bool isWhole(Value operand) const {
    MemRefType type = typeIn(operand), whole = typeIn(plan::rootOf(operand));
    return type.getNumElements() == whole.getNumElements() && type.getRank() > 0 &&
           type.getShape().back() == whole.getShape().back();
  }

  /// Returns the operand. If it is in panels, returns a row-major copy.
  Value inOrder(OpBuilder &builder, plan::LaunchOp launch, Value operand) {
    SmallVector<plan::ViewOp> views;
    Value root = operand;
    for (; auto view = root.getDefiningOp<plan::ViewOp>(); root = view.getSource())
      views.push_back(view);
    auto found = packed.find(root);
    if (found == packed.end())
      return operand;
    // Insert the copy before the loops around the launch, because these do not change the state.
    OpBuilder outside(launch->getContext());
    outside.setInsertionPoint(entry.getBody().front().findAncestorOpInBlock(*launch));
    Value value = allocate(found->second.type, launch.getLoc());
    copies.outOfPanels(outside, launch.getLoc(), root, found->second.panels, value);
    for (plan::ViewOp view : llvm::reverse(views))
      value = plan::ViewOp::create(builder, view.getLoc(), view.getType(), value, view.getCounter(), view.getOffset(),
                                   view.getStep());
    return value;
  }

  Value allocate(MemRefType type, Location loc) {
    OpBuilder builder = OpBuilder::atBlockBegin(&entry.getBody().front());
    return plan::StorageOp::create(builder, loc, type, plan::Role::Temporary, StringAttr(), IntegerAttr(), TypeAttr(),
                                   IntegerAttr(), DenseI64ArrayAttr());
  }

  plan::EntryOp entry;
  PanelCopies &copies;
  SymbolTable &symbols;
  DenseMap<Value, Packed> packed;
};

struct PackStates : impl::PackStatesPassBase<PackStates> {
  using PackStatesPassBase::PackStatesPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    PanelCopies copies(getOperation(), symbols);
    for (auto entry : getOperation().getOps<plan::EntryOp>())
      EntryPacker(entry, copies, symbols).run();
    copies.eraseReplaced();
  }
};

} // namespace

} // namespace nacre::encode
