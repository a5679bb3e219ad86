// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the keys that a row of attention can see, as an attribute of the operation that finishes the scores.
// Why:   this operation sets the scores of other keys to -inf. An emitter that knows the bounds need not compute them,
//        and prices count only the keys that are computed.

#ifndef NACRE_DIALECTS_PLAN_KEYBOUNDS_H
#define NACRE_DIALECTS_PLAN_KEYBOUNDS_H

#include "dialects/plan/Notes.h"

#include "mlir/IR/Builders.h"
#include <optional>

namespace nacre::plan {

/// Row i sees the keys from i + offset - `before` to i + offset + `behind`. A bound that is left out is no limit.
struct KeyBounds {
  std::optional<int64_t> before, behind;
  int64_t offset = 0;                 ///< Used if `offsetInput` is left out
  std::optional<int64_t> offsetInput; ///< Index of the operation's input that is the offset, an i32
};

inline void setKeyBounds(mlir::Operation *op, const KeyBounds &bounds) {
  mlir::Builder builder(op->getContext());
  mlir::NamedAttrList list;
  auto set = [&](llvm::StringRef name, std::optional<int64_t> number) {
    if (number)
      list.set(name, builder.getI64IntegerAttr(*number));
  };
  set("before", bounds.before);
  set("after", bounds.behind);
  set("offset", bounds.offset);
  set("offset_input", bounds.offsetInput);
  op->setAttr(kKeyBounds, list.getDictionary(op->getContext()));
}

/// Number of rows of a block, and of keys of a chunk. A block computes all chunks of which at least one row sees a key.
/// An emitter may use other numbers, as its tiles require.
constexpr int64_t kRowsOfBlock = 32, kKeysOfChunk = 64;

/// Returns the part of all scores that is computed, by blocks and chunks. If the offset is an input, this is an upper
/// bound.
double computedPart(const KeyBounds &bounds, int64_t rows, int64_t keys);

/// Returns the bounds on `op`, or `nullopt` if rows see all keys.
inline std::optional<KeyBounds> getKeyBounds(mlir::Operation *op) {
  auto list = op->getAttrOfType<mlir::DictionaryAttr>(kKeyBounds);
  if (!list)
    return std::nullopt;
  auto get = [&](llvm::StringRef name) {
    auto number = list.getAs<mlir::IntegerAttr>(name);
    return number ? std::optional(number.getInt()) : std::nullopt;
  };
  return KeyBounds{get("before"), get("after"), get("offset").value_or(0), get("offset_input")};
}

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_KEYBOUNDS_H
