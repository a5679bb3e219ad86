// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/place/WinogradLayers.h"

#include "codegen/encoding/WinogradGrowth.h"

#include "dialects/StoredBytes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace nacre::place {

WinogradLayers::WinogradLayers(ModuleOp module, const SymbolTable &symbols, double bytes)
    : module(module), symbols(symbols), bytes(bytes) {
  module.walk([&](plan::LaunchOp launch) {
    auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
    if (!kernel->hasAttr(plan::kWinograd))
      return;
    for (auto [input, value] : llvm::enumerate(launch.getInputs()))
      if (kernel.getEncoding(input))
        classes.unionSets(kernel, symbols.lookup(value.getDefiningOp<plan::UseOp>().getWeight()));
  });
}

WinogradChoice WinogradLayers::choose(llvm::function_ref<bool(plan::LaunchOp)> isAlone) {
  llvm::SmallPtrSet<Operation *, 8> shared; // by leader: its GPU reads the same bytes
  llvm::MapVector<Operation *, codegen::GrowthOffers> offers;
  module.walk([&](plan::LaunchOp launch) {
    auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
    if (!classes.contains(kernel))
      return;
    Operation *leader = classes.getLeaderValue(kernel);
    if (!isAlone(launch))
      shared.insert(leader);
    codegen::GrowthOffers &ofClass = offers[leader];
    const auto ofKernel = plan::winogradOffersOf(kernel);
    ofClass.resize(ofKernel.size());
    for (auto [sum, offer] : llvm::zip_equal(ofClass, ofKernel)) {
      sum.tile = offer.encoding.getTile();
      sum.cycles += codegen::cyclesSaved(offer.directCycles, offer.cycles);
    }
  });
  for (auto weight : module.getOps<plan::WeightOp>())
    if (classes.contains(weight))
      for (codegen::GrowthOffer &offer : offers[classes.getLeaderValue(weight)])
        offer.bytes +=
            double(storedBytes(weight.getValue().getShapedType())) * (codegen::winogradGrowth(offer.tile) - 1);
  SmallVector<codegen::GrowthOffers> layers;
  for (auto &[leader, ofClass] : offers)
    layers.push_back(shared.contains(leader) ? codegen::GrowthOffers() : ofClass);

  llvm::DenseMap<Operation *, int64_t> tiles;
  for (auto [layer, tile] : llvm::zip_equal(offers, codegen::spendGrowth(layers, bytes)))
    tiles[layer.first] = tile;
  WinogradChoice choice;
  for (auto kernel : module.getOps<plan::KernelOp>()) {
    if (!classes.contains(kernel))
      continue;
    Operation *leader = classes.getLeaderValue(kernel);
    for (const plan::WinogradOffer &offer : plan::winogradOffersOf(kernel))
      if (offer.encoding.getTile() == tiles.lookup(leader))
        choice[kernel] = offer;
  }
  return choice;
}

} // namespace nacre::place
