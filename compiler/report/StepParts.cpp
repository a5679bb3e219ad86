// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/report/StepParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace nacre {

static SmallVector<StringRef> split(StringRef nodes) {
  SmallVector<StringRef> names;
  nodes.split(names, ", ", /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return names;
}

StepPart partOf(StringRef nodes) {
  const SmallVector<StringRef> names = split(nodes);
  if (any_of(names, [](StringRef name) { return name.ends_with(" dX") || name.ends_with(" dW"); }))
    return StepPart::Backward;
  if (all_of(names, [](StringRef name) { return name.ends_with(" update"); }))
    return StepPart::Update;
  return StepPart::Forward;
}

StringRef partWord(StepPart part) {
  switch (part) {
  case StepPart::Forward:
    return "forward";
  case StepPart::Backward:
    return "backward";
  case StepPart::Update:
    return "update";
  }
  return "";
}

bool makesWeightGradient(StringRef nodes) {
  return any_of(split(nodes), [](StringRef name) { return name.ends_with(" dW"); });
}

} // namespace nacre
