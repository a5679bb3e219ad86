// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the emitters of an engine that may emit a kernel, in order.
// Why:   an emitter must never get a kernel whose weights it would misread.
// How:   an entry states its kind of kernel and the encodings that it reads. An emitter that declines leaves the kernel
//        to the next one.

#ifndef NACRE_CODEGEN_FORM_EMITTERLIST_H
#define NACRE_CODEGEN_FORM_EMITTERLIST_H

#include "dialects/plan/PlanDialect.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace nacre::codegen {

/// An emitter and the kernels that it accepts. `Emitter` is the engine's type of emitting functions.
template <typename Emitter> struct EmitterEntry {
  llvm::StringLiteral name;
  std::optional<plan::KernelKind> kind; ///< `nullopt` if it accepts any kind.
  Emitter emit;
  llvm::ArrayRef<plan::EncodingKind> encodings = {}; ///< Encodings that it reads and writes, besides plain arrays.
  bool knowsGroups = false; ///< True if it reads panels with several steps of the depth side by side.
};

/// True if all arguments of `kernel` are plain or have one of these encodings. Panels may have k > 1 only if
/// `knowsGroups`.
bool isEncodedBy(plan::KernelOp kernel, llvm::ArrayRef<plan::EncodingKind> encodings, bool knowsGroups = false);

/// Returns the entries that accept `kernel`, in order.
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
