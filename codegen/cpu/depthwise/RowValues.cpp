// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/depthwise/RowValues.h"

#include "codegen/cpu/contraction/PanelWalk.h"

using namespace mlir;

namespace nacre::codegen::cpu {

RowValues::RowValues(KernelFunction &function, VectorBuilder &build)
    : function(function), build(build), bytesBefore(function.scratchBytes), bytes(bytesBefore), mostBytes(bytesBefore) {
}

void RowValues::clear() {
  kept.clear();
  bytes = bytesBefore;
}

unsigned RowValues::keep(Value vector, bool inRegister) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (inRegister || !type) {
    kept.push_back({vector, type, true});
    return kept.size() - 1;
  }
  function.scratchBytes = bytes;
  Value scratch = allocateScratch(function, build, type.getNumElements(), type.getElementType());
  bytes = function.scratchBytes;
  function.scratchBytes = mostBytes = std::max(mostBytes, bytes);
  const unsigned lanes = type.getNumElements();
  build.store(vector, scratch, build.index(0), {0, lanes, lanes});
  kept.push_back({scratch, type, false});
  return kept.size() - 1;
}

Value RowValues::get(unsigned number, Value place) {
  const Kept &value = kept[number];
  if (value.inRegister)
    return value.value;
  const unsigned lanes = value.type.getNumElements();
  return build.load(value.value, place, {0, lanes, lanes});
}

Value RowValues::makePlace() {
  const bool isNeeded = llvm::any_of(kept, [](const Kept &value) { return !value.inRegister; });
  return isNeeded ? build.hidden(build.index(0)) : Value();
}

} // namespace nacre::codegen::cpu
