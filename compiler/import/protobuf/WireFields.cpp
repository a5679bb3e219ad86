// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WireFields.h.

#include "compiler/import/protobuf/WireFields.h"

#include "compiler/import/protobuf/WireScan.h"

using llvm::StringRef;

namespace nacre::importer {

bool forEachField(StringRef message, llvm::function_ref<bool(const WireFieldBytes &)> visit) {
  while (!message.empty()) {
    const char *begin = message.data();
    uint64_t tag = 0;
    if (!takeVarint(message, tag) || tag >> 3 == 0 || tag >> 35 != 0)
      return false;
    WireFieldBytes field = {static_cast<uint32_t>(tag >> 3), {}, {}, 0};
    uint64_t skipped = 0;
    switch (tag & 7) {
    case 0:
      if (!takeVarint(message, field.value))
        return false;
      break;
    case 1:
      skipped = 8;
      break;
    case 2:
      if (!takeVarint(message, skipped) || skipped > message.size())
        return false;
      field.body = message.take_front(skipped);
      break;
    case 5:
      skipped = 4;
      break;
    default:
      return false;
    }
    if (skipped > message.size())
      return false;
    message = message.drop_front(skipped);
    field.whole = StringRef(begin, message.data() - begin);
    if (!visit(field))
      return false;
  }
  return true;
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
