// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/RightDecode.h"

#include "dialects/plan/Notes.h"

using namespace mlir;

namespace nacre::codegen {

std::optional<RightDecode> readRightDecode(plan::KernelOp kernel, const Access &access, Type factor) {
  if (std::optional<plan::RightDecodeNote> note = plan::rightDecodeOf(kernel);
      note && note->argument == access.argument)
    return RightDecode{note->stored};
  return access.elementType == factor ? std::nullopt : std::optional(RightDecode{access.elementType});
}

} // namespace nacre::codegen
