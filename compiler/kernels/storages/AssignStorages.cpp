// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives every tensor of an entry a storage and a place in it, and rewrites kernels and launches to storages. The
// runtime knows only memory, so this pass decides which tensors share it.
//
// 1. The plan defines the place of each tensor, and the remaining copies (StoragePlan.h).
// 2. Storages are created.
// 3. Kernels and launches are rewritten to read and write parts of storages, and copies are launched.

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/storages/AlikeParts.h"
#include "compiler/kernels/storages/KernelStorages.h"
#include "compiler/kernels/storages/LoopViews.h"
#include "compiler/kernels/storages/Overwritten.h"
#include "compiler/kernels/storages/StoragePlan.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/Limits.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/codes/Quantization.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace nacre::kernels {
#define GEN_PASS_DEF_ASSIGNSTORAGESPASS
#include "compiler/kernels/Passes.h.inc"
} // namespace nacre::kernels

using namespace mlir;
using namespace nacre;
using namespace nacre::kernels;

namespace {

bool becomesState(plan::OutputOp output) { return output->hasAttr(plan::kBecomesState); }

ArrayRef<int64_t> getShape(Value value) { return cast<ShapedType>(value.getType()).getShape(); }

class StorageAssigner : private StoragePlan {
public:
  StorageAssigner(plan::EntryOp entry, SymbolTable &kernels, unsigned &numCopies)
      : entry(entry), kernels(kernels), numCopies(numCopies) {
    entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != entry)
        operations.push_back(op);
      if (auto output = dyn_cast<plan::OutputOp>(op))
        writesState |= becomesState(output);
    });
  }

  void run() {
    static_cast<StoragePlan &>(*this) = planStorages(operations, kernels);
    createStorages();
    countParts();
    for (Operation *op : operations)
      rewrite(op);
    assignStates();
    for (Operation *op : llvm::reverse(operations))
      if (isa<nn::NnDialect>(op->getDialect()) || isa<plan::OutputOp, plan::StoreOp>(op) || isTensorView(op) ||
          replaced.contains(op))
        op->erase();
  }

private:
  //===--------------------------------------------------------------------===//
  // 2. Storages
  //===--------------------------------------------------------------------===//

  void createStorages() {
    OpBuilder builder = OpBuilder::atBlockBegin(&entry.getBody().front());
    for (PlannedStorage &storage : storages) {
      auto type = MemRefType::get(storage.layout.getMemoryShape(), storage.elementType);
      if (storage.isRow)
        continue;
      Value given = storage.memory;
      if (plan::OutputOp output = storage.output; output && !becomesState(output)) {
        plan::Role role = output.getIsCount() ? plan::Role::Count : plan::Role::Output;
        storage.memory =
            plan::StorageOp::create(builder, storage.loc, type, role, output.getNameAttr(), output.getIndexAttr(),
                                    output.getExternalTypeAttr(), IntegerAttr(), output.getCountsAttr());
        for (StringRef name : {nn::quantizationAttr, nn::limitAttr})
          if (Attribute note = output->getAttr(name))
            storage.memory.getDefiningOp()->setAttr(name, note);
        if (given) {
          given.replaceAllUsesWith(storage.memory);
          replaced.insert(given.getDefiningOp());
        }
      } else if (given) {
        storage.memory = recreateOnMemory(builder, given, type);
      } else {
        storage.memory = plan::StorageOp::create(builder, storage.loc, type, plan::Role::Temporary, StringAttr(),
                                                 IntegerAttr(), TypeAttr(), IntegerAttr(), DenseI64ArrayAttr());
      }
    }
  }

  /// Returns an input or a weight as memory, instead of as a tensor.
  Value recreateOnMemory(OpBuilder &builder, Value tensor, MemRefType type) {
    if (isa<MemRefType>(tensor.getType()))
      return tensor;
    Operation *memory = builder.clone(*tensor.getDefiningOp());
    memory->getResult(0).setType(type);
    replaced.insert(tensor.getDefiningOp());
    return memory->getResult(0);
  }

  //===--------------------------------------------------------------------===//
  // 3. Kernels and launches
  //===--------------------------------------------------------------------===//

  /// Returns the operand by which a launch accesses `place`: its storage, or a view of the storage under another shape.
  Value getOperand(OpBuilder &builder, Location loc, const Place &place) {
    const PlannedStorage &storage = storages[place.storage];
    if (place.base == 0 && place.shape == storage.layout.shape)
      return storage.memory;
    assert(storage.layout.isDense && "only a dense storage is seen under another shape, or from another element on");
    auto type = MemRefType::get(place.shape, storage.elementType);
    return plan::ViewOp::create(builder, loc, type, storage.memory, Value(), place.base, /*step=*/0);
  }

  /// Calls `use` with the box in memory that corresponds to `place`.
  void withBox(const Place &place, llvm::function_ref<void(MemoryBox)> use) {
    const StorageShape &layout = storages[place.storage].layout;
    bool isOwnShape = place.base == 0 && place.shape == layout.shape;
    Sizes memory = isOwnShape ? layout.getMemoryShape() : place.shape;
    Sizes offsets(place.offsets);
    if (isOwnShape)
      for (size_t axis = 0; axis < offsets.size(); ++axis)
        offsets[axis] += layout.low[axis];
    use({memory, offsets, place.sizes, place.steps});
  }

  void read(plan::KernelOp kernel, unsigned index, const Place &place) {
    withBox(place, [&](MemoryBox box) { readFromBox(kernel, index, box); });
  }

  void write(plan::KernelOp kernel, unsigned index, const Place &place, const Place &region, TypedAttr fill) {
    withBox(place, [&](MemoryBox box) {
      withBox(region, [&](MemoryBox outer) {
        const bool isSame = box.sizes == outer.sizes && box.steps == outer.steps;
        writeIntoBox(kernel, index, box, outer, isSame ? TypedAttr() : fill);
      });
    });
  }

  void launchCopy(OpBuilder &builder, Location loc, const PlannedCopy &copy) {
    if (llvm::is_contained(copy.region.sizes, 0))
      return;
    // A copy has no `plan.engine` attribute. The engine of the entry computes it.
    const Place source = getOwnStart(entry, copy.part ? *copy.part : places.at(copy.source));
    const PlannedStorage &target = storages[copy.box.storage];
    const bool isAlone = !copy.fill && copy.region.sizes == copy.box.sizes;
    const Place box = isAlone ? getOwnStart(entry, copy.box) : copy.box;
    const Place region = getWrittenRegion(target.layout, isAlone ? box : copy.region);
    OpBuilder atKernels(kernels.getOp()->getContext());
    atKernels.setInsertionPoint(entry);
    auto type = RankedTensorType::get(copy.box.sizes, target.elementType);
    plan::KernelOp kernel = makeCopyKernel(atKernels, loc, ("copy_" + Twine(numCopies++)).str(), type);
    kernels.insert(kernel);
    read(kernel, 0, source);
    write(kernel, 0, box, region, copy.fill ? copy.fill : target.fill);
    Value from = getOperand(builder, loc, source), to = getOperand(builder, loc, box);
    plan::LaunchOp::create(builder, loc, TypeRange(), FlatSymbolRefAttr::get(kernel.getSymNameAttr()), from, to,
                           DenseI64ArrayAttr(), DenseI64ArrayAttr());
  }

  void rewrite(Operation *op) {
    OpBuilder builder(op);
    if (auto row = rows.find(op); row != rows.end())
      createRow(builder, cast<plan::ViewOp>(op), row->second);
    if (auto found = copies.find(op); found != copies.end())
      for (const PlannedCopy &copy : found->second)
        launchCopy(builder, op->getLoc(), copy);
    if (auto launch = dyn_cast<plan::LaunchOp>(op))
      rewriteLaunch(builder, launch);
    else if (auto control = controls.find(op); control != controls.end())
      op->setOperand(0, getOperand(builder, op->getLoc(), control->second));
  }

  void createRow(OpBuilder &builder, plan::ViewOp view, const PlannedRow &row) {
    PlannedStorage &storage = storages[row.storage];
    auto type = MemRefType::get(storage.layout.shape, storage.elementType);
    storage.memory = plan::ViewOp::create(builder, view.getLoc(), type, storages[row.of.storage].memory,
                                          view.getCounter(), row.of.base + view.getOffset(), view.getStep());
  }

  /// Counts the slices of storages that launches and copies on the CPU use, so that many alike slices share a kernel.
  void countParts() {
    for (Operation *op : operations) {
      if (auto launch = dyn_cast<plan::LaunchOp>(op); launch && plan::isOnCpu(launch))
        for (ValueRange values : {ValueRange(launch.getInputs()), ValueRange(launch.getResults())})
          for (Value value : values)
            parts.count(places.at(value));
      if (auto found = copies.find(op); found != copies.end() && plan::isOnCpu(entry))
        for (const PlannedCopy &copy : found->second) {
          parts.count(copy.part ? *copy.part : places.at(copy.source));
          parts.count(copy.box);
        }
    }
  }

  /// Returns the place by which `user` accesses a slice. If many slices are alike, this is memory that begins with the
  /// slice. GPUs can bind memory only at few offsets, so slices there stay as they are, with one exception: in training
  /// steps, aligned slices become separate memory, so that launches on different slices can run simultaneously.
  Place getOwnStart(Operation *user, const Place &place) {
    PlannedStorage &storage = storages[place.storage];
    const bool isAlike = plan::isOnCpu(user) && parts.areMany(place);
    if (!(isAlike || isForSideBySide(user, place)) || !storage.memory.getDefiningOp<plan::StorageOp>() ||
        storage.layout.hasHalo() || storage.layout.gap)
      return place;
    storage.layout.isDense = true;
    return beginWithPart(place);
  }

  /// True if `user` runs on the GPU in a training step, and can bind the slice separately and read it by vectors.
  bool isForSideBySide(Operation *user, const Place &place) const {
    constexpr int64_t vectorBytes = 16;
    return writesState && plan::isOnGpu(user) && !place.isWhole() && place.isContiguous() &&
           place.getFirstElement() * bytesOfElement(storages[place.storage].elementType) % vectorBytes == 0;
  }

  /// Returns rows of a temporary as a separate place, so that kernels for different rows are equal. This concerns the
  /// CPU's products of blocks of rows (nacre-block-rows) and their normalizations to bytes. GPUs can bind memory only
  /// at few offsets, so rows stay slices there.
  Place getOwnRows(plan::LaunchOp launch, plan::KernelOp kernel, const Place &place) {
    PlannedStorage &storage = storages[place.storage];
    auto memory = storage.memory.getDefiningOp<plan::StorageOp>();
    const bool isOfBytes = kernel.getKind() == plan::KernelKind::Row && storage.elementType.isInteger(8);
    const bool isDivided = kernel.getKind() == plan::KernelKind::Contraction || isOfBytes;
    const bool isAlone = plan::isOnCpu(launch) && isDivided && memory && memory.getRole() == plan::Role::Temporary;
    if (!isAlone || place.isWhole() || place.sizes.size() != 2 || !place.isContiguous() || storage.layout.hasHalo() ||
        storage.layout.gap || place.getFirstElement() * bytesOfElement(storage.elementType) % 64 != 0)
      return place;
    storage.layout.isDense = true;
    return place.seenAs(place.sizes);
  }

  void rewriteLaunch(OpBuilder &builder, plan::LaunchOp launch) {
    auto kernel = kernels.lookup<plan::KernelOp>(launch.getKernel());
    replaced.insert(launch);
    auto isEmpty = [](Value result) { return llvm::is_contained(getShape(result), 0); };
    if (launch->getNumResults() > 0 && llvm::all_of(launch.getResults(), isEmpty)) {
      kernels.erase(kernel);
      return; // The result is empty.
    }
    SmallVector<Value> inputs;
    for (auto [index, input] : llvm::enumerate(launch.getInputs())) {
      const Place place = getOwnStart(launch, getOwnRows(launch, kernel, places.at(input)));
      read(kernel, index, place);
      inputs.push_back(getOperand(builder, launch.getLoc(), place));
    }
    SmallVector<Value> outputs;
    for (auto [index, result] : llvm::enumerate(launch.getResults())) {
      auto region = regions.find(result);
      const Place placed = getOwnRows(launch, kernel, places.at(result));
      const Place place = region == regions.end() ? getOwnStart(launch, placed) : placed;
      const PlannedStorage &storage = storages[place.storage];
      write(kernel, index, place, getWrittenRegion(storage.layout, region == regions.end() ? place : region->second),
            storage.fill);
      outputs.push_back(getOperand(builder, launch.getLoc(), place));
    }
    auto onStorages = plan::LaunchOp::create(builder, launch.getLoc(), TypeRange(), launch.getKernelAttr(), inputs,
                                             outputs, DenseI64ArrayAttr(), DenseI64ArrayAttr());
    plan::copyNotes(launch, onStorages);
  }

  /// Copies the new values of states at the end of the entry, after everything that reads the old values.
  void assignStates() {
    OpBuilder builder = OpBuilder::atBlockEnd(&entry.getBody().front());
    const llvm::StringMap<Value> states = findStates(operations);
    for (auto [number, storage] : llvm::enumerate(storages))
      if (storage.output && becomesState(storage.output)) {
        const Place &state = places.at(states.at(storage.output.getName()));
        launchCopy(builder, storage.output.getLoc(),
                   {Value(), state, state, {}, Place::whole(int(number), storage.layout.shape)});
      }
  }

  plan::EntryOp entry;
  SymbolTable &kernels;
  unsigned &numCopies;
  SmallVector<Operation *> operations;
  DenseSet<Operation *> replaced;
  AlikeParts parts;
  bool writesState = false;
};

struct AssignStorages : kernels::impl::AssignStoragesPassBase<AssignStorages> {
  void runOnOperation() override {
    SymbolTable kernels(getOperation());
    unsigned copies = 0;
    for (auto entry : getOperation().getOps<plan::EntryOp>())
      StorageAssigner(entry, kernels, copies).run();
    numCopies += copies;
  }
};

} // namespace
