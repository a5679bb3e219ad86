// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a protobuf message field by field. This is for code that needs only a few fields, or that has no LLVM, such as
// nacre-run. A field is a view of the message's bytes, llvm::StringRef or std::string_view. The code needs only the
// standard library.

#ifndef NACRE_COMPILER_IMPORT_PROTOBUF_WIRE_H
#define NACRE_COMPILER_IMPORT_PROTOBUF_WIRE_H

#include <cstdint>
#include <cstring>

namespace nacre::importer {

enum WireType : unsigned { WireVarint = 0, WireFixed64 = 1, WireBytes = 2, WireFixed32 = 5 };

/// Removes one base-128 number from the front of `bytes`. Returns false if `bytes` does not begin with one.
template <typename Bytes> bool takeVarint(Bytes &bytes, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes = bytes.substr(1);
    value |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128)
      return true;
  }
  return false;
}

/// Removes the content of a field or of a packed element from the front of `bytes`. Stores the bits of a number in
/// `value`, and the bytes in `body`. Returns false if `bytes` is too short.
template <typename Bytes> bool takeContent(Bytes &bytes, WireType type, uint64_t &value, Bytes &body) {
  uint64_t size = type == WireFixed64 ? 8 : 4;
  switch (type) {
  case WireVarint:
    return takeVarint(bytes, value);
  case WireBytes:
    if (!takeVarint(bytes, size))
      return false;
    [[fallthrough]];
  case WireFixed64:
  case WireFixed32:
    if (size > bytes.size())
      return false;
    body = bytes.substr(0, size);
    bytes = bytes.substr(size);
    value = 0;
    if (type != WireBytes)
      std::memcpy(&value, body.data(), size); // little endian
    return true;
  }
  return false;
}

template <typename Bytes> struct FieldView {
  uint32_t number;
  WireType type;
  Bytes whole;        ///< bytes of the field, including its tag
  Bytes body;         ///< content of the field if it is a message, a string or bytes
  uint64_t value = 0; ///< bits of the field if it is a number
};

/// Calls `visit` for each field until it returns false. Returns false if `visit` does, or if the message is damaged.
template <typename Bytes, typename Visit> bool walkFields(Bytes message, Visit visit) {
  while (!message.empty()) {
    const char *begin = message.data();
    uint64_t tag = 0;
    if (!takeVarint(message, tag) || tag >> 3 == 0 || tag >> 35 != 0)
      return false;
    FieldView<Bytes> field = {static_cast<uint32_t>(tag >> 3), WireType(tag & 7), {}, {}};
    if (!takeContent(message, field.type, field.value, field.body))
      return false;
    field.whole = Bytes(begin, message.data() - begin);
    if (!visit(field))
      return false;
  }
  return true;
}

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_PROTOBUF_WIRE_H
