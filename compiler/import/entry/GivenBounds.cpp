// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GivenBounds.h.

#include "compiler/import/entry/GivenBounds.h"

#include "compiler/import/messages/TypeNames.h"
#include "dialects/NearestNames.h"
#include "dialects/nn/Limits.h"

using namespace mlir;

namespace nacre::importer {

/// Largest number of sizes in a tensor; shapes have fewer.
static constexpr int64_t maxSizes = 64;

Value GivenBounds::apply(StringRef name, Value value, NnBuilder nn) {
  auto bound = bounds.find(name.str());
  if (bound == bounds.end() || !value)
    return value;
  met.insert(name);
  auto refuse = [&](const Twine &text) {
    nn.error() << "--bound must name a size that a run decides, but '" << name << "' " << text;
    return Value();
  };
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isa<IntegerType>(type.getElementType()) || type.getElementType().isInteger(1) || type.getRank() > 1 ||
      type.getNumElements() > maxSizes || nn.isOpen(value))
    return refuse("is " + describe(value) + ", not an integer or a short list of integers");
  const int64_t number = type.getNumElements();
  Value list = nn.reshape(value, number);
  SmallVector<Value> elements;
  std::string known = "is known at compile time";
  bool isDecided = false;
  for (int64_t index = 0; index < number; ++index) {
    Value element = nn.slice(list, 0, index, 1);
    if (const std::optional<int64_t> most = nn.getBound(value, index)) {
      if (!formOf(value, index).terms.empty())
        known = "is at most " + std::to_string(*most) + " in any run";
      elements.push_back(element);
      continue;
    }
    isDecided = true;
    sizes.push_back({nn.reshape(nn.cast(element, nn.types().getI64Type()), /*shape=*/{}), &*bound});
    elements.push_back(nn.giveBound(element, {bound->second, bound->first}));
  }
  if (!isDecided)
    return refuse(known + "; omit it");
  return nn.reshape(nn.concat(elements, 0), getShape(value));
}

SmallVector<Attribute> GivenBounds::addSizes(SmallVectorImpl<Value> &results, Builder &builder) {
  SmallVector<Attribute> notes;
  for (const GivenSize &given : sizes) {
    if (!given.size) // after an error
      continue;
    results.push_back(given.size);
    const nn::Limit limit{given.bound->first, given.bound->second};
    notes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(nn::limitAttr, nn::makeLimit(builder, limit))));
  }
  sizes.clear();
  return notes;
}

void GivenBounds::noteNames(const llvm::StringMap<Value> &known) {
  if (bounds.empty())
    return;
  for (const auto &value : known)
    if (isTensor(value.second) && isa<IntegerType>(getElementType(value.second)) && !getConstant(value.second))
      names.insert(value.first());
}

LogicalResult GivenBounds::check(Location loc) const {
  for (const auto &[name, most] : bounds) {
    if (shared.usedBounds.contains(name))
      continue;
    if (met.contains(name))
      return emitError(loc) << "--bound must name a size that a run decides, but '" << toPrintable(name)
                            << "' decides no size; omit it";
    return emitError(loc) << "--bound must name a tensor of integers that a node of the main graph computes, or an "
                             "input, but there is no such tensor '"
                          << toPrintable(name) << "'; the nearest names are "
                          << nearestNames(name, llvm::to_vector(names.keys()));
  }
  return success();
}

} // namespace nacre::importer
