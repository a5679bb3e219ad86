// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How: launches are walked in the order of a run. Inputs are normal numbers without noise. KernelNoise.h computes the
//      moments of a kernel's results from those of its operands.

#include "compiler/encode/noise/EntryNoise.h"

#include "compiler/encode/noise/KernelNoise.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/plan/Notes.h"

#include <cmath>

using namespace mlir;
using namespace nacre;
using namespace nacre::encode;

namespace {

std::shared_ptr<const WeightNumbers> readWeight(plan::WeightOp weight) {
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(weight.getValue());
  if (failed(view) || !isa<FloatType>(view->getElementType()))
    return nullptr;
  auto numbers = std::make_shared<WeightNumbers>();
  numbers->isRounded = view->getElementType().isF16();
  const int64_t count = view->getType().getNumElements();
  constexpr int64_t chunk = 4096;
  double read[chunk];
  numbers->numbers.reserve(count);
  for (int64_t begin = 0; begin < count; begin += chunk) {
    const int64_t size = std::min(chunk, count - begin);
    view->read(begin, 1, size, read);
    numbers->numbers.insert(numbers->numbers.end(), read, read + size);
  }
  return numbers;
}

/// Moments of the storages of an entry.
class EntryNoise {
public:
  EntryNoise(plan::EntryOp entry, const SymbolTable &symbols) : entry(entry), symbols(symbols) {}

  void run(llvm::MapVector<plan::StorageOp, double> &decibels) {
    for (auto launch : entry.getBody().getOps<plan::LaunchOp>())
      run(launch);
    for (auto output : entry.getBody().getOps<plan::StorageOp>()) {
      auto found = storages.find(output.getResult());
      if (output.getRole() != plan::Role::Output || found == storages.end())
        continue;
      const Moments all = found->second.moments->merged();
      if (all.noisePower() > 0 && all.power() > 0 && std::isfinite(all.power() / all.noisePower()))
        decibels[output] = 10 * std::log10(all.power() / all.noisePower());
    }
  }

private:
  static ArrayRef<int64_t> shapeOf(Value value) { return cast<ShapedType>(value.getType()).getShape(); }

  void run(plan::LaunchOp launch) {
    auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
    std::vector<TensorNoise> arguments;
    for (Value input : launch.getInputs())
      arguments.push_back(read(input));
    for (Value output : launch.getOutputs())
      arguments.push_back(read(output));
    const std::vector<TensorMoments> results = KernelNoise(kernel, draws).run(arguments);
    for (auto [output, result] : llvm::zip_equal(launch.getOutputs(), results))
      write(output, result);
  }

  TensorNoise read(Value value) {
    if (auto view = value.getDefiningOp<plan::ViewOp>()) {
      TensorNoise tensor = read(view.getSource());
      if (tensor.moments)
        return TensorNoise::get(tensor.moments->reshaped(shapeOf(value), view.getOffset()));
      if (shapeOf(value) == shapeOf(view.getSource()) || hasAllElements(view)) {
        tensor.shape = llvm::to_vector<4>(shapeOf(value));
        return tensor;
      }
      return TensorNoise::get(TensorMoments::uniform(shapeOf(value), kUnknown));
    }
    if (auto use = value.getDefiningOp<plan::UseOp>()) {
      TensorNoise tensor;
      tensor.shape = llvm::to_vector<4>(shapeOf(value));
      tensor.weight = readWeight(symbols.lookup<plan::WeightOp>(use.getWeight()));
      return tensor.weight ? tensor : TensorNoise::get(TensorMoments::uniform(shapeOf(value), kUnknown));
    }
    auto found = storages.find(value);
    return found != storages.end() ? found->second : TensorNoise::get(TensorMoments::uniform(shapeOf(value), kUnknown));
  }

  static bool hasAllElements(plan::ViewOp view) {
    return view.getOffset() == 0 && cast<ShapedType>(view.getType()).getNumElements() ==
                                        cast<ShapedType>(view.getSource().getType()).getNumElements();
  }

  void write(Value value, const TensorMoments &moments) {
    auto view = value.getDefiningOp<plan::ViewOp>();
    if (!view) {
      storages[value] = TensorNoise::get(moments);
      return;
    }
    const ArrayRef<int64_t> shape = shapeOf(view.getSource());
    if (hasAllElements(view))
      return write(view.getSource(), moments.reshaped(shape));
    // Parts of a storage are computed in the same way. They share channels, if their last axes are equal.
    TensorMoments all = TensorMoments::uniform(shape, moments.merged());
    if (!shape.empty() && !moments.shape.empty() && shape.back() == moments.shape.back()) {
      SmallVector<bool> shared(moments.shape.size(), true);
      shared.back() = false;
      const TensorMoments channels = moments.sharedAlong(shared);
      all.kept.back() = channels.kept.back();
      all.numbers = channels.numbers;
    }
    write(view.getSource(), all);
  }

  static constexpr Moments kUnknown = {0, 1, 0, 0, 1};
  plan::EntryOp entry;
  const SymbolTable &symbols;
  Draws draws;
  llvm::DenseMap<Value, TensorNoise> storages;
};

/// True if the entry only computes outputs from inputs, on the CPU. Noise in a state grows from run to run.
bool isPredictable(plan::EntryOp entry) {
  return plan::isOnCpu(entry) && llvm::all_of(entry.getBody().getOps(), [](Operation &op) {
           if (auto storage = dyn_cast<plan::StorageOp>(op))
             return storage.getRole() != plan::Role::State;
           return op.getNumRegions() == 0;
         });
}

} // namespace

llvm::MapVector<plan::StorageOp, double> encode::predictNoise(ModuleOp module) {
  const SymbolTable symbols(module);
  llvm::MapVector<plan::StorageOp, double> decibels;
  for (auto entry : module.getOps<plan::EntryOp>())
    if (isPredictable(entry))
      EntryNoise(entry, symbols).run(decibels);
  return decibels;
}
