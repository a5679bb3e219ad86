// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WireFields.h.

#include "compiler/import/protobuf/WireFields.h"

using llvm::StringRef;

namespace nacre::importer {

bool forEachField(StringRef message, llvm::function_ref<bool(const WireFieldBytes &)> visit) {
  return walkFields(message, visit);
}

void WirePieces::addTag(uint32_t number, uint64_t length) {
  std::string tag;
  for (uint64_t value : {uint64_t(number) << 3 | 2, length}) {
    for (; value >= 128; value >>= 7)
      tag.push_back(static_cast<char>(value | 128));
    tag.push_back(static_cast<char>(value));
  }
  pieces.push_back(saver.save(tag));
}

void WirePieces::add(uint32_t number, StringRef body) {
  addTag(number, body.size());
  pieces.push_back(body);
}

void WirePieces::add(uint32_t number, const WirePieces &message) {
  addTag(number, message.size());
  pieces.append(message.pieces);
}

uint64_t WirePieces::size() const {
  uint64_t size = 0;
  for (StringRef piece : pieces)
    size += piece.size();
  return size;
}

} // namespace nacre::importer
