// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces a serialized protobuf file to the part that protobuf should parse.
//
// A first walk computes the sizes of the rewritten messages and the memory that protobuf needs. A second walk writes
// the messages. Two walks are necessary, because lengths precede contents on the wire.

#include "compiler/import/protobuf/WireScan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LogicalResult.h"

using namespace llvm;

namespace nacre::importer {

namespace {

// Upper bounds of protobuf's allocations in bytes: its classes, the heap's overhead, and arrays that double as they
// grow.
constexpr uint64_t stringCost = 64; // size of a string without its characters
constexpr uint64_t numberCost = 24; // size of an element of a list
constexpr uint64_t placeInArray = 48;

class Walk {
public:
  Walk(StringRef file, const WireSchema &schema, uint64_t memoryBudget)
      : file(file), schema(schema), memoryBudget(memoryBudget) {}

  LogicalResult measure(uint8_t root) {
    uint64_t size;
    if (failed(walk(root, file, size)))
      return failure();
    if (size > INT32_MAX)
      return fail(file, "the model holds more than 2 GiB besides its weights");
    skeleton.bytes.reserve(size);
    return success();
  }

  void write(uint8_t root) {
    writing = true;
    nextMessage = nextPayload = 0;
    uint64_t size;
    [[maybe_unused]] LogicalResult result = walk(root, file, size);
    assert(succeeded(result) && "the first walk must have refused this file");
    assert(size == skeleton.bytes.size() && "both walks must agree on every size");
  }

  WireSkeleton skeleton;
  std::string error;

private:
  LogicalResult fail(StringRef at, const Twine &what) {
    error = ("byte " + Twine(at.data() - file.data()) + ": " + what).str();
    return failure();
  }

  LogicalResult charge(StringRef at, uint64_t bytes) {
    cost += bytes;
    if (writing || cost <= memoryBudget)
      return success();
    return fail(at, "the model must need at most " + Twine(memoryBudget) +
                        " bytes of memory besides its weights, but needs more; it has too many small messages");
  }

  void put(StringRef bytes, uint64_t &size) {
    size += bytes.size();
    if (writing)
      skeleton.bytes.append(bytes.data(), bytes.size());
  }

  void putVarint(uint64_t value, uint64_t &size) {
    SmallString<10> bytes;
    for (; value > 127; value >>= 7)
      bytes.push_back(static_cast<char>(value | 128));
    bytes.push_back(static_cast<char>(value));
    put(bytes, size);
  }

  /// Walks over one message, and adds the size of its output to `size`.
  LogicalResult walk(uint8_t message, StringRef rest, uint64_t &size);
  LogicalResult skip(StringRef start, unsigned type, StringRef &rest, StringRef &body);
  LogicalResult keep(const WireField &field, StringRef whole, StringRef body, bool isDelimited, uint64_t &size);
  LogicalResult enter(const WireField &field, StringRef body, uint64_t &size);
  LogicalResult leave(const WireField &field, StringRef body);
  void putPayloads(size_t firstPayload, uint64_t &size);

  const WireField *findField(uint8_t message, uint64_t number) const {
    for (const WireField &field : schema.fields)
      if (field.in == message && field.number == number)
        return &field;
    return nullptr;
  }

  StringRef file;
  const WireSchema &schema;
  uint64_t memoryBudget;
  uint64_t cost = 0;
  bool writing = false;
  unsigned depth = 0;
  std::vector<uint32_t> messageSizes; // in the order in which the walk meets the messages
  size_t nextMessage = 0;
  size_t nextPayload = 0;
};

LogicalResult Walk::enter(const WireField &field, StringRef body, uint64_t &size) {
  if (failed(charge(body, schema.costs[field.child] + placeInArray + sizeof(uint32_t) * 2)))
    return failure();
  if (++depth > maxWireDepth)
    return fail(body, "messages must nest at most " + Twine(maxWireDepth) + " deep, but nest deeper");
  size_t index = nextMessage++;
  putVarint(uint64_t(field.number) << 3 | WireBytes, size);
  uint64_t childSize = 0;
  if (writing) {
    putVarint(messageSizes[index], size);
    if (failed(walk(field.child, body, childSize)))
      return failure();
  } else {
    messageSizes.push_back(0);
    if (failed(walk(field.child, body, childSize)))
      return failure();
    if (childSize > INT32_MAX)
      return fail(body, "a message holds more than 2 GiB besides weights");
    messageSizes[index] = static_cast<uint32_t>(childSize);
    putVarint(childSize, size);
  }
  size += childSize;
  --depth;
  return success();
}

LogicalResult Walk::leave(const WireField &field, StringRef body) {
  ++nextPayload;
  if (writing)
    return success();
  skeleton.payloads.push_back({field.number, static_cast<uint64_t>(body.data() - file.data()), body.size()});
  return charge(body, sizeof(WirePayload) * 3);
}

void Walk::putPayloads(size_t firstPayload, uint64_t &size) {
  uint64_t bodySize = 0;
  bool wasWriting = std::exchange(writing, false);
  auto putBody = [&](uint64_t &bytes) {
    putVarint(1 << 3 | WireVarint, bytes);
    putVarint(firstPayload, bytes);
    putVarint(2 << 3 | WireVarint, bytes);
    putVarint(nextPayload, bytes);
  };
  putBody(bodySize);
  writing = wasWriting;
  putVarint(uint64_t(schema.payloadsField) << 3 | WireBytes, size);
  putVarint(bodySize, size);
  putBody(size);
}

/// Removes the value of the field that begins at `start` from the front of `rest`. Sets `body` to the content if the
/// field has a length.
LogicalResult Walk::skip(StringRef start, unsigned type, StringRef &rest, StringRef &body) {
  uint64_t number;
  switch (type) {
  case WireVarint:
    if (!takeVarint(rest, number))
      return fail(start, "a number runs past the end of its message; the file is truncated or damaged");
    return success();
  case WireFixed64:
  case WireFixed32: {
    size_t bytes = type == WireFixed64 ? 8 : 4;
    if (rest.size() < bytes)
      return fail(start, "a number runs past the end of its message; the file is truncated or damaged");
    rest = rest.drop_front(bytes);
    return success();
  }
  case WireBytes:
    if (!takeVarint(rest, number) || number > rest.size())
      return fail(start, "a field runs past the end of its message; the file is truncated or damaged");
    body = rest.take_front(number);
    rest = rest.drop_front(number);
    return success();
  default:
    return fail(start, Twine("not a field of ") + schema.name + "; the file is damaged or not " + schema.name);
  }
}

LogicalResult Walk::keep(const WireField &field, StringRef whole, StringRef body, bool isDelimited, uint64_t &size) {
  switch (field.keep) {
  case WireKeep::Refuse:
    return fail(whole, schema.refusal);
  case WireKeep::Enter:
    return isDelimited ? enter(field, body, size)
                       : fail(whole, "a message must be length-delimited; the file is damaged");
  case WireKeep::Leave:
    return isDelimited ? leave(field, body)
                       : fail(whole, "the elements of a tensor must be packed, but are stored one by one");
  case WireKeep::Copy:
  case WireKeep::Numbers:
    break;
  }
  // A number of a packed list may take one byte in the file and eight bytes in memory.
  uint64_t bytes = field.keep == WireKeep::Numbers ? numberCost * (isDelimited ? body.size() : 1)
                   : isDelimited                   ? stringCost + body.size()
                                                   : 0;
  if (failed(charge(whole, bytes + whole.size())))
    return failure();
  put(whole, size);
  return success();
}

LogicalResult Walk::walk(uint8_t message, StringRef rest, uint64_t &size) {
  size = 0;
  size_t firstPayload = nextPayload;
  bool hasPayloads = false;
  while (!rest.empty()) {
    StringRef start = rest;
    uint64_t tag;
    if (!takeVarint(rest, tag) || tag > UINT32_MAX || tag >> 3 == 0)
      return fail(start, Twine("not a field of a protobuf message; the file is damaged or not ") + schema.name);
    StringRef body;
    if (failed(skip(start, tag & 7, rest, body)))
      return failure();
    const WireField *field = findField(message, tag >> 3);
    if (!field)
      continue;
    if (failed(keep(*field, start.drop_back(rest.size()), body, (tag & 7) == WireBytes, size)))
      return failure();
    hasPayloads |= field->keep == WireKeep::Leave;
  }
  if (hasPayloads)
    putPayloads(firstPayload, size);
  return success();
}

} // namespace

Expected<WireSkeleton> scanWire(StringRef file, const WireSchema &schema, uint8_t root, uint64_t memoryBudget) {
  Walk walk(file, schema, memoryBudget);
  if (failed(walk.measure(root)))
    return createStringError(walk.error);
  walk.write(root);
  return std::move(walk.skeleton);
}

} // namespace nacre::importer
