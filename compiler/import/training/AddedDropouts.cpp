// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See AddedDropouts.h.

#include "compiler/import/training/AddedDropouts.h"

#include "compiler/import/compositions/Random.h"
#include "dialects/NearestNames.h"

using namespace mlir;

namespace nacre::importer {

Value AddedDropouts::apply(StringRef name, Value value, NnBuilder nn) {
  auto ratio = entry.dropouts.find(name.str());
  if (!entry.isTraining || ratio == entry.dropouts.end() || !value)
    return value;
  met.insert(name);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isa<FloatType>(type.getElementType()) || nn.isOpen(value)) {
    nn.error() << "--dropout must name a tensor of floats whose size is known, but '" << name << "' is not";
    return {};
  }
  OpenWeights &weights = *nn.getWeights();
  return dropOutAnew(nn, value, ratio->second, weights.getSeed(), weights.getStep(), nn.takeStream());
}

LogicalResult AddedDropouts::check(const llvm::StringMap<Value> &known, const OpenWeights &weights,
                                   Location loc) const {
  for (const auto &[name, ratio] : entry.dropouts) {
    if (!entry.isTraining || met.contains(name))
      continue;
    SmallVector<StringRef> names;
    for (const auto &value : known)
      if (value.second && isa<FloatType>(getElementTypeOrSelf(value.second)) && weights.isOfInputs(value.second))
        names.push_back(value.first());
    return emitError(loc)
           << "--dropout must name a tensor of the model that is not a weight, but there is no such tensor '"
           << toPrintable(name) << "'; the nearest names are " << nearestNames(name, names);
  }
  return success();
}

} // namespace nacre::importer
