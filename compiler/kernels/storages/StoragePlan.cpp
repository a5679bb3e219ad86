// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/storages/StoragePlan.h"
#include "codegen/MachineModel.h"
#include "compiler/kernels/storages/LoopViews.h"
#include "compiler/kernels/storages/Overwritten.h"
#include "compiler/kernels/storages/StorageBuilder.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/plan/Notes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nacre;
using namespace nacre::kernels;

namespace {

class StoragePlanner : private StorageBuilder {
public:
  explicit StoragePlanner(SymbolTable &kernels) : kernels(kernels) {}

  StoragePlan run(ArrayRef<Operation *> operations) {
    states = findOverwritableStates(operations);
    for (Operation *op : llvm::reverse(operations))
      placeBackwards(op);
    for (Operation *op : operations)
      deriveForwards(op);
    return std::move(*this);
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. Backwards: results at the places of their uses
  //===--------------------------------------------------------------------===//

  /// Places `value`, an operand of `reader`, at `place`. Returns false if the value already has a place or cannot lie
  /// there.
  bool tryPlace(Operation *reader, Value value, const Place &place) {
    Operation *op = value.getDefiningOp();
    bool isComputed = isa<plan::LaunchOp>(op) || isa<nn::NnDialect>(op->getDialect());
    // Existing memory is written in each iteration, or by one branch, so its writer must be in the block of `reader`.
    const bool isGiven = bool(storages[place.storage].memory);
    if (isGiven && op->getBlock() != reader->getBlock())
      return false;
    return isComputed && startsAligned(place) && places.try_emplace(value, place).second;
  }

  void placeBackwards(Operation *op) {
    if (auto output = dyn_cast<plan::OutputOp>(op)) {
      Value value = output.getValue();
      Value state = findOverwrittenState(output, states);
      if (state ? tryPlace(op, value, getGivenMemory(state)) : becomesOutput(output))
        return;
      int storage = addStorage(getShape(value), getElementType(value), output.getLoc(), /*isDense=*/true);
      storages[storage].output = output;
      Place place = Place::whole(storage, getShape(value));
      if (!tryPlace(op, value, place))
        copies[op].push_back({value, place, place, {}, {}});
    } else if (auto store = dyn_cast<plan::StoreOp>(op)) {
      Place place = getGivenMemory(store.getMemory());
      if (store.getLate() || !tryPlace(op, store.getValue(), place))
        copies[op].push_back({store.getValue(), place, place, {}, {}});
    } else if (auto concat = dyn_cast<nn::ConcatOp>(op)) {
      Place whole = places.try_emplace(concat.getResult(), addTemporaryUnlessPlaced(concat.getResult())).first->second;
      Sizes starts(getShape(concat.getResult()).size(), 0);
      for (Value operand : concat.getOperands()) {
        Place part = whole.slice(starts, getShape(operand));
        if (!tryPlace(op, operand, part))
          copies[op].push_back({operand, part, part, {}, {}});
        starts[concat.getAxis()] += getShape(operand)[concat.getAxis()];
      }
    } else if (auto interleave = dyn_cast<nn::InterleaveOp>(op)) {
      placeInterleaved(interleave);
    } else if (auto reshapeOp = dyn_cast<nn::ReshapeOp>(op)) {
      auto placed = places.find(reshapeOp.getResult());
      if (placed == places.end())
        return;
      std::optional<Place> view = reshape(placed->second, getShape(reshapeOp.getOperand()));
      if (!view || !tryPlace(op, reshapeOp.getOperand(), *view))
        copies[op].push_back({reshapeOp.getOperand(), placed->second, placed->second, {}, {}});
    } else if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
      for (Value result : launch.getResults())
        places.try_emplace(result, addTemporaryUnlessPlaced(result));
      placeOverwritten(launch);
    }
  }

  /// Places an input of `launch` where the result will be, if the kernel may overwrite it and nothing else reads it.
  void placeOverwritten(plan::LaunchOp launch) {
    auto kernel = kernels.lookup<plan::KernelOp>(launch.getKernel());
    std::optional<unsigned> input = findOverwritten(launch, kernel);
    const Place place = places.at(launch->getResult(0));
    // Other operators may still need the old contents of existing memory.
    if (input && !storages[place.storage].memory && place.isWhole() &&
        tryPlace(launch, launch.getInputs()[*input], place))
      plan::setOverwritten(kernel, *input);
  }

  /// Turns the memory of branches or iterations into an output. The output must be all of this memory, and the memory
  /// must not be another output already.
  bool becomesOutput(plan::OutputOp output) {
    auto view = output.getValue().getDefiningOp<plan::ViewOp>();
    auto memory = view ? view.getSource().getDefiningOp<plan::StorageOp>() : plan::StorageOp();
    if (!memory || !isa<MemRefType>(memory.getType()) || getShape(memory) != getShape(view) ||
        output->hasAttr(plan::kBecomesState))
      return false;
    PlannedStorage &storage = storages[getGivenMemory(memory).storage];
    if (storage.output)
      return false;
    storage.output = output;
    return true;
  }

  /// Places the operands inside the result. The writer of the first one also fills the halo of the whole region, which
  /// partly lies between the others. So it must run first. If the first operand is copied, all operands are copied.
  void placeInterleaved(nn::InterleaveOp interleave) {
    Place whole =
        places.try_emplace(interleave.getResult(), addTemporaryUnlessPlaced(interleave.getResult())).first->second;
    ArrayRef<int64_t> strides = interleave.getStrides();
    bool firstIsPlaced = false;
    for (auto [number, operand] : llvm::enumerate(interleave.getOperands())) {
      Sizes first(strides.size());
      int64_t left = number;
      for (size_t axis = strides.size(); axis-- > 0; left /= strides[axis])
        first[axis] = left % strides[axis];
      Place part = whole.every(strides, first, getShape(operand));
      const bool isPlaced = (number == 0 || firstIsPlaced) && tryPlace(interleave, operand, part);
      if (number == 0) {
        firstIsPlaced = isPlaced;
        regions[operand] = whole;
      }
      if (!isPlaced)
        copies[interleave].push_back({operand, part, number == 0 ? whole : part, {}, {}});
    }
  }

  //===--------------------------------------------------------------------===//
  // 2. Forwards: views, or copies
  //===--------------------------------------------------------------------===//

  void deriveForwards(Operation *op) {
    if (auto storage = dyn_cast<plan::StorageOp>(op)) {
      places[storage.getResult()] = getGivenMemory(storage.getResult());
    } else if (auto use = dyn_cast<plan::UseOp>(op)) {
      places[use.getResult()] = getGivenMemory(use.getResult());
    } else if (auto view = dyn_cast<plan::ViewOp>(op)) {
      deriveView(view);
    } else if (auto reshapeOp = dyn_cast<nn::ReshapeOp>(op)) {
      deriveReshape(reshapeOp);
    } else if (auto slice = dyn_cast<nn::SliceOp>(op)) {
      deriveSlice(slice);
    } else if (auto pad = dyn_cast<nn::PadOp>(op)) {
      derivePad(pad);
    } else if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
      spreadPixels(launch);
    } else if (isa<plan::ForOp, plan::WhileOp, plan::IfOp, plan::ConditionOp>(op)) {
      deriveControl(op);
    }
  }

  void deriveReshape(nn::ReshapeOp op) {
    Value operand = op.getOperand(), result = op.getResult();
    if (places.contains(result) && !copies.contains(op))
      return;
    std::optional<Place> view = reshape(places.at(operand), getShape(result));
    if (!view) {
      // The elements of the operand are not consecutive, so they must be copied.
      Place dense = Place::whole(addStorage(getShape(operand), getElementType(operand), op.getLoc(), /*isDense=*/true),
                                 getShape(operand));
      std::vector<PlannedCopy> &list = copies[op];
      list.insert(list.begin(), {operand, dense, dense, {}, {}});
      view = dense.reshape(getShape(result));
    }
    if (!places.try_emplace(result, *view).second)
      copies[op].back().part = *view;
  }

  /// Adds a gap after each pixel of a contraction's input. Pixels that are 4 KiB apart map to the same few sets of the
  /// L1 cache. Without the gap, a tile of 14 such pixels ran at a quarter of its speed.
  void spreadPixels(plan::LaunchOp launch) {
    if (launch->getNumResults() == 0 ||
        kernels.lookup<plan::KernelOp>(launch.getKernel()).getKind() != plan::KernelKind::Contraction)
      return;
    Value tensor = launch.getInputs().front();
    // With a gap, a reshape or a loop over the rows would have to copy the tensor.
    if (llvm::any_of(tensor.getUsers(), llvm::IsaPred<nn::ReshapeOp, plan::ViewOp>))
      return;
    const Place &input = places.at(tensor);
    if (input.sizes.empty() || input.sizes.back() == llvm::product_of(input.sizes))
      return; // There is only one pixel.
    PlannedStorage &storage = storages[input.storage];
    StorageShape &layout = storage.layout;
    if (layout.isDense || input.base != 0 || input.shape != layout.shape || input.sizes.back() != layout.shape.back())
      return;
    int64_t elementBytes = bytesOfElement(storage.elementType), bytes = layout.shape.back() * elementBytes;
    if (bytes >= 1024 && llvm::isPowerOf2_64(bytes))
      layout.gap = codegen::kLineBytes / elementBytes;
  }

  //===--------------------------------------------------------------------===//
  // Loops and conditionals
  //===--------------------------------------------------------------------===//

  /// Makes the operands of the loop or branch `op` dense, and the tensors whose rows its iterations read.
  void deriveControl(Operation *op) {
    for (Value control : op->getOperands())
      controls[op] = makeDense(op, control);
    DenseMap<Value, Place> dense;
    for (Region &region : op->getRegions())
      for (Value counter : region.getArguments())
        for (Operation *user : counter.getUsers()) {
          Value all = user->getOperand(0);
          if (!isa<RankedTensorType>(all.getType()))
            continue;
          auto [known, isNew] = dense.try_emplace(all);
          if (isNew)
            known->second = makeDense(op, all);
          rows[user].of = known->second;
        }
  }

  /// Derives the place of a view: memory as a tensor, or a row of a tensor. Memory that depends on a loop counter
  /// becomes a separate storage.
  void deriveView(plan::ViewOp view) {
    if (!isTensorView(view))
      return;
    Value source = view.getSource(), result = view.getResult();
    if (isa<MemRefType>(source.getType())) {
      places[result] = getGivenMemory(source);
    } else {
      auto [row, isNew] = rows.try_emplace(view);
      if (isNew)
        row->second.of = makeDense(view, source);
      row->second.storage = addStorage(getShape(result), getElementType(result), view.getLoc(), /*isDense=*/true);
      storages.back().isRow = true;
      places[result] = Place::whole(row->second.storage, getShape(result));
    }
    if (!movesTooFar(view))
      return;
    Place copy = addTemporary(result);
    copies[view].push_back({Value(), copy, copy, {}, places[result]});
    places[result] = copy;
  }

  void deriveSlice(nn::SliceOp slice) {
    Place part = places.at(slice.getOperand()).slice(slice.getStarts(), slice.getSizes());
    auto placed = places.find(slice.getResult());
    if (placed == places.end() && startsAligned(part)) {
      places[slice.getResult()] = part;
      return;
    }
    if (placed == places.end())
      placed = places.try_emplace(slice.getResult(), addTemporary(slice.getResult())).first;
    copies[slice].push_back({Value(), placed->second, placed->second, {}, part});
  }

  void derivePad(nn::PadOp pad) {
    Value operand = pad.getOperand(), result = pad.getResult();
    TypedAttr value = pad.getValue();
    if (auto placed = places.find(result); placed != places.end()) {
      Place whole = placed->second;
      PlannedStorage &storage = storages[whole.storage];
      if (storage.fill && storage.fill != value) {
        // The storage has a halo with another constant, so the operand is copied to separate, padded memory first.
        Place padded = addTemporary(result);
        copies[pad].push_back({operand, padded.slice(pad.getLow(), getShape(operand)), padded, value, {}});
        copies[pad].push_back({Value(), whole, whole, {}, padded});
        return;
      }
      // The border around the box becomes the halo, if the storage gets a halo.
      storage.fill = value;
      copies[pad].push_back({operand, whole.slice(pad.getLow(), getShape(operand)), whole, value, {}});
      return;
    }
    // If another pad has already copied the tensor, that copy may also serve this pad.
    for (const Place *place : std::initializer_list<const Place *>{&places.at(operand), findPaddedCopy(pad)})
      if (place && growHalo(*place, pad))
        return;
    Place copy = addTemporary(operand);
    if (growHalo(copy, pad)) {
      copies[pad].push_back({operand, copy, copy, {}, {}});
      paddedCopies[operand] = {pad->getBlock(), copy};
      return;
    }
    Place whole = addTemporary(result);
    storages[whole.storage].fill = value; // A pad with another constant needs separate memory.
    copies[pad].push_back({operand, whole.slice(pad.getLow(), getShape(operand)), whole, value, {}});
    places[result] = whole;
  }

  /// Returns the place of a copy that another pad made of the operand and that always runs before `pad`, or null.
  const Place *findPaddedCopy(nn::PadOp pad) {
    auto found = paddedCopies.find(pad.getOperand());
    return found != paddedCopies.end() && found->second.first->findAncestorOpInBlock(*pad) ? &found->second.second
                                                                                           : nullptr;
  }

  bool growHalo(const Place &place, nn::PadOp pad) {
    PlannedStorage &storage = storages[place.storage];
    if (storage.fill && storage.fill != pad.getValue())
      return false;
    std::optional<Place> grown = growIntoHalo(storage.layout, place, pad.getLow(), pad.getHigh());
    if (!grown)
      return false;
    storage.fill = pad.getValue();
    places[pad.getResult()] = *grown;
    return true;
  }

  SymbolTable &kernels;
  llvm::StringMap<Value> states;
  DenseMap<Value, std::pair<Block *, Place>> paddedCopies;
};

} // namespace

StoragePlan kernels::planStorages(ArrayRef<Operation *> operations, SymbolTable &kernels) {
  return StoragePlanner(kernels).run(operations);
}
