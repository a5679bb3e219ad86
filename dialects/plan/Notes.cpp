// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/plan/Notes.h"

#include "mlir/IR/Builders.h"
#include <cassert>
#include <limits>

using namespace mlir;

namespace nacre::plan {

constexpr StringLiteral kCpu = "cpu", kGpu = "gpu";

Engine engineOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto engine = op->getAttrOfType<StringAttr>(kEngine))
      return engine == kCpu ? Engine::Cpu : Engine::Gpu;
  return Engine::Any;
}

void setEngine(Operation *op, Engine engine) {
  if (engine == Engine::Any)
    op->removeAttr(kEngine);
  else
    op->setAttr(kEngine, StringAttr::get(op->getContext(), engine == Engine::Cpu ? kCpu : kGpu));
}

void copyEngine(Operation *from, Operation *to) {
  if (Attribute engine = from->getAttr(kEngine))
    to->setAttr(kEngine, engine);
}

void setOverwritten(KernelOp kernel, unsigned input) {
  kernel->setAttr(kOverwritten, Builder(kernel).getI64IntegerAttr(input));
}

std::optional<unsigned> overwrittenBy(KernelOp kernel) {
  auto input = kernel->getAttrOfType<IntegerAttr>(kOverwritten);
  return input ? std::optional(unsigned(input.getInt())) : std::nullopt;
}

constexpr StringLiteral kTile = "tile", kDirectCycles = "direct_cycles", kCycles = "cycles";

void setWinograd(KernelOp kernel, const WinogradNote &note) {
  Builder builder(kernel);
  kernel->setAttr(kWinograd, builder.getDictionaryAttr(
                                 {builder.getNamedAttr(kTile, builder.getI64IntegerAttr(note.tile)),
                                  builder.getNamedAttr(kDirectCycles, builder.getI64IntegerAttr(note.directCycles)),
                                  builder.getNamedAttr(kCycles, builder.getI64IntegerAttr(note.cycles))}));
}

std::optional<WinogradNote> winogradOf(KernelOp kernel) {
  auto note = kernel->getAttrOfType<DictionaryAttr>(kWinograd);
  if (!note)
    return std::nullopt;
  return WinogradNote{note.getAs<IntegerAttr>(kTile).getInt(), note.getAs<IntegerAttr>(kDirectCycles).getInt(),
                      note.getAs<IntegerAttr>(kCycles).getInt()};
}

void setProductRate(KernelOp kernel, double rate) {
  assert(rate > 0 && rate <= std::numeric_limits<double>::max() && "a rate is a ratio of times");
  if (rate == 1)
    kernel->removeAttr(kProductRate);
  else
    kernel->setAttr(kProductRate, Builder(kernel).getF64FloatAttr(rate));
}

double productRateOf(KernelOp kernel) {
  auto rate = kernel->getAttrOfType<FloatAttr>(kProductRate);
  return rate ? rate.getValueAsDouble() : 1;
}

void setPairsFit(KernelOp kernel) { kernel->setAttr(kPairsFit, UnitAttr::get(kernel.getContext())); }

void setHalfSums(KernelOp kernel, int64_t steps) {
  assert(steps > 0 && "a sum has steps");
  kernel->setAttr(kHalfSums, Builder(kernel).getI64IntegerAttr(steps));
}

int64_t halfSumsOf(KernelOp kernel) {
  auto steps = kernel->getAttrOfType<IntegerAttr>(kHalfSums);
  return steps ? steps.getInt() : 0;
}

void setPredictedSnr(StorageOp output, double decibels) {
  output->setAttr(kPredictedSnr, Builder(output).getF64FloatAttr(decibels));
}

std::optional<double> predictedSnrOf(StorageOp output) {
  auto decibels = output->getAttrOfType<FloatAttr>(kPredictedSnr);
  return decibels ? std::optional(decibels.getValueAsDouble()) : std::nullopt;
}

void setWideProduct(LaunchOp launch) { launch->setAttr(kWideProduct, UnitAttr::get(launch.getContext())); }

void copyNotes(LaunchOp from, LaunchOp to) {
  copyEngine(from, to);
  if (hasWideProduct(from))
    setWideProduct(to);
}

constexpr StringLiteral kArgument = "argument", kStored = "stored";

void setRightDecode(KernelOp kernel, const RightDecodeNote &note) {
  Builder builder(kernel);
  kernel->setAttr(kRightDecode,
                  builder.getDictionaryAttr({builder.getNamedAttr(kArgument, builder.getI64IntegerAttr(note.argument)),
                                             builder.getNamedAttr(kStored, TypeAttr::get(note.stored))}));
}

std::optional<RightDecodeNote> rightDecodeOf(KernelOp kernel) {
  auto note = kernel->getAttrOfType<DictionaryAttr>(kRightDecode);
  if (!note)
    return std::nullopt;
  return RightDecodeNote{unsigned(note.getAs<IntegerAttr>(kArgument).getInt()),
                         note.getAs<TypeAttr>(kStored).getValue()};
}

void setEntryWeight(EntryOp entry, double weight) {
  if (weight == 1)
    entry->removeAttr(kEntryWeight);
  else
    entry->setAttr(kEntryWeight, Builder(entry.getContext()).getF64FloatAttr(weight));
}

double entryWeightOf(EntryOp entry) {
  auto weight = entry->getAttrOfType<FloatAttr>(kEntryWeight);
  return weight ? weight.getValueAsDouble() : 1;
}

constexpr StringLiteral kSavedBytes = "saved_bytes", kLargestRelativeError = "largest_relative_error",
                        kRelativeError = "relative_error";

void setWeightRounding(WeightOp weight, const WeightRounding &rounding) {
  Builder builder(weight);
  weight->setAttr(
      kRounding,
      builder.getDictionaryAttr(
          {builder.getNamedAttr(kSavedBytes, builder.getI64IntegerAttr(rounding.savedBytes)),
           builder.getNamedAttr(kLargestRelativeError, builder.getF64FloatAttr(rounding.largestRelativeError)),
           builder.getNamedAttr(kRelativeError, builder.getF64FloatAttr(rounding.relativeError))}));
}

std::optional<WeightRounding> weightRoundingOf(WeightOp weight) {
  auto row = weight->getAttrOfType<DictionaryAttr>(kRounding);
  if (!row)
    return std::nullopt;
  return WeightRounding{row.getAs<IntegerAttr>(kSavedBytes).getInt(),
                        row.getAs<FloatAttr>(kLargestRelativeError).getValueAsDouble(),
                        row.getAs<FloatAttr>(kRelativeError).getValueAsDouble()};
}

} // namespace nacre::plan
