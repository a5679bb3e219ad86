// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  which of an engine's emitters a kernel is offered to, and in which order.
// Why:   every engine has a list of emitters, and none may get a kernel whose weights it would misread.
// How:   an entry says its kind of kernel and the encodings that it knows; an emitter that declines leaves the kernel
//        to the next.

#ifndef NACRE_CODEGEN_FORM_EMITTERLIST_H
#define NACRE_CODEGEN_FORM_EMITTERLIST_H

#include "dialects/plan/PlanDialect.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace nacre::codegen {

/// Emitter: the engine's type of functions that emit.
template <typename Emitter> struct EmitterEntry {
  llvm::StringLiteral name;
  std::optional<plan::KernelKind> kind; ///< None: any.
  Emitter emit;
  llvm::ArrayRef<plan::EncodingKind> encodings = {}; ///< Of what it reads and writes, beside plain arrays.
  bool knowsGroups = false;                          ///< Panels may have several steps of the depth side by side.
};

/// Whether all arguments of `kernel` are plain or in one of these encodings. `knowsGroups`: panels may have a `k`.
bool isEncodedBy(plan::KernelOp kernel, llvm::ArrayRef<plan::EncodingKind> encodings, bool knowsGroups = false);

/// The entries that `kernel` is offered to, in their order.
template <typename Emitter>
llvm::SmallVector<EmitterEntry<Emitter>> emittersFor(plan::KernelOp kernel,
                                                     llvm::ArrayRef<EmitterEntry<Emitter>> entries) {
  llvm::SmallVector<EmitterEntry<Emitter>> candidates;
  for (const EmitterEntry<Emitter> &entry : entries)
    if (entry.kind.value_or(kernel.getKind()) == kernel.getKind() &&
        isEncodedBy(kernel, entry.encodings, entry.knowsGroups))
      candidates.push_back(entry);
  return candidates;
}

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_EMITTERLIST_H
