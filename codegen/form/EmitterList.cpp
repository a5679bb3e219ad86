// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/EmitterList.h"

#include "llvm/ADT/STLExtras.h"

namespace nacre::codegen {

bool isEncodedBy(plan::KernelOp kernel, llvm::ArrayRef<plan::EncodingKind> encodings, bool knowsGroups) {
  return llvm::all_of(llvm::seq<unsigned>(0, kernel.getBody().getNumArguments()), [&](unsigned argument) {
    const plan::EncodingAttr encoding = kernel.getEncoding(argument);
    return !encoding || encoding.getKind() == plan::EncodingKind::Plain ||
           (llvm::is_contained(encodings, encoding.getKind()) && (knowsGroups || encoding.getK() == 1));
  });
}

} // namespace nacre::codegen
