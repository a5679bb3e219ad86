// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the emitters of an engine that may emit a kernel, in the order in which they are tried.
// Why:   an emitter must never get a kernel whose weights it would misread.
// How:   an entry states the kind of kernel and the encodings that its emitter reads. If an emitter declines a kernel,
//        the next one gets it.

#ifndef NACRE_CODEGEN_FORM_EMITTERLIST_H
#define NACRE_CODEGEN_FORM_EMITTERLIST_H

#include "dialects/plan/PlanDialect.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace nacre::codegen {

/// An emitter and the kernels that it accepts. `Emitter` is the type of the engine's emitting functions.
template <typename Emitter> struct EmitterEntry {
  llvm::StringLiteral name;
  std::optional<plan::KernelKind> kind; ///< `nullopt` if the emitter accepts any kind.
  Emitter emit;
  /// Encodings that the emitter reads and writes, besides plain arrays.
  llvm::ArrayRef<plan::EncodingKind> encodings = {};
  bool knowsGroups = false; ///< True if the emitter reads panels with several steps of the depth side by side.
};

/// True if every argument of `kernel` is plain or has one of `encodings`. Panels may only have k > 1 if `knowsGroups`
/// is true.
bool isEncodedBy(plan::KernelOp kernel, llvm::ArrayRef<plan::EncodingKind> encodings, bool knowsGroups = false);

/// Returns the entries that accept `kernel`, in the order of `entries`.
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
