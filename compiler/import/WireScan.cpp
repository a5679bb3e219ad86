// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces a serialized ONNX file to the part that protobuf should parse.
//
// How:  1. the table of fields,
//       2. one walk that measures (sizes of rewritten messages, memory that protobuf will take),
//       3. the same walk again, writing: lengths come before contents on the wire, hence two walks.

#include "compiler/import/WireScan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LogicalResult.h"

using namespace llvm;

namespace nacre::importer {

bool takeVarint(StringRef &bytes, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    auto byte = static_cast<uint8_t>(bytes.front());
    bytes = bytes.drop_front();
    value |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128)
      return true;
  }
  return false;
}

namespace {

//===----------------------------------------------------------------------===//
// 1. The fields
//===----------------------------------------------------------------------===//

enum class Message : uint8_t {
  Model,
  OperatorSet,
  Graph,
  Node,
  Attribute,
  Tensor,
  SparseTensor,
  Entry,
  ValueInfo,
  Type,
  TensorType,
  Shape,
  Dimension,
};

enum class Keep : uint8_t {
  Copy,    ///< a number or a string
  Numbers, ///< a list of numbers, packed or not
  Enter,   ///< a message of the table
  Leave,   ///< elements of a tensor: stay in the file
  Refuse,  ///< a feature that nothing writes and the reader does not have
};

struct Field {
  Message in;
  uint8_t number;
  Keep keep;
  Message child = Message::Entry;
};

/// Fields that are not listed are dropped: texts for people, what the importer computes by itself, and subgraphs, whose
/// operators are not supported. No message is inside one of its own kind, so nesting is no deeper than this table.
constexpr Field fields[] = {
    {Message::Model, 1, Keep::Copy},                          // ir_version
    {Message::Model, 7, Keep::Enter, Message::Graph},         // graph
    {Message::Model, 8, Keep::Enter, Message::OperatorSet},   // opset_import
    {Message::OperatorSet, 1, Keep::Copy},                    // domain
    {Message::OperatorSet, 2, Keep::Copy},                    // version
    {Message::Graph, 1, Keep::Enter, Message::Node},          // node
    {Message::Graph, 2, Keep::Copy},                          // name
    {Message::Graph, 5, Keep::Enter, Message::Tensor},        // initializer
    {Message::Graph, 11, Keep::Enter, Message::ValueInfo},    // input
    {Message::Graph, 12, Keep::Enter, Message::ValueInfo},    // output
    {Message::Graph, 15, Keep::Enter, Message::SparseTensor}, // sparse_initializer
    {Message::Node, 1, Keep::Copy},                           // input
    {Message::Node, 2, Keep::Copy},                           // output
    {Message::Node, 3, Keep::Copy},                           // name
    {Message::Node, 4, Keep::Copy},                           // op_type
    {Message::Node, 5, Keep::Enter, Message::Attribute},      // attribute
    {Message::Node, 7, Keep::Copy},                           // domain
    {Message::Attribute, 1, Keep::Copy},                      // name
    {Message::Attribute, 2, Keep::Copy},                      // f
    {Message::Attribute, 3, Keep::Copy},                      // i
    {Message::Attribute, 4, Keep::Copy},                      // s
    {Message::Attribute, 5, Keep::Enter, Message::Tensor},    // t
    {Message::Attribute, 7, Keep::Numbers},                   // floats
    {Message::Attribute, 8, Keep::Numbers},                   // ints
    {Message::Attribute, 9, Keep::Copy},                      // strings
    {Message::Attribute, 20, Keep::Copy},                     // type
    {Message::Tensor, 1, Keep::Numbers},                      // dims
    {Message::Tensor, 2, Keep::Copy},                         // data_type
    {Message::Tensor, 3, Keep::Refuse},                       // segment
    {Message::Tensor, 4, Keep::Leave},                        // float_data
    {Message::Tensor, 5, Keep::Leave},                        // int32_data
    {Message::Tensor, 7, Keep::Leave},                        // int64_data
    {Message::Tensor, 8, Keep::Copy},                         // name
    {Message::Tensor, 9, Keep::Leave},                        // raw_data
    {Message::Tensor, 10, Keep::Leave},                       // double_data
    {Message::Tensor, 11, Keep::Leave},                       // uint64_data
    {Message::Tensor, 13, Keep::Enter, Message::Entry},       // external_data
    {Message::Tensor, 14, Keep::Copy},                        // data_location
    {Message::SparseTensor, 1, Keep::Enter, Message::Tensor}, // values
    {Message::Entry, 1, Keep::Copy},                          // key
    {Message::Entry, 2, Keep::Copy},                          // value
    {Message::ValueInfo, 1, Keep::Copy},                      // name
    {Message::ValueInfo, 2, Keep::Enter, Message::Type},      // type
    {Message::Type, 1, Keep::Enter, Message::TensorType},     // tensor_type
    {Message::TensorType, 1, Keep::Copy},                     // elem_type
    {Message::TensorType, 2, Keep::Enter, Message::Shape},    // shape
    {Message::Shape, 1, Keep::Enter, Message::Dimension},     // dim
    {Message::Dimension, 1, Keep::Copy},                      // dim_value
    {Message::Dimension, 2, Keep::Copy},                      // dim_param
};

const Field *findField(Message message, uint64_t number) {
  for (const Field &field : fields)
    if (field.in == message && field.number == number)
      return &field;
  return nullptr;
}

enum WireType : unsigned { Varint = 0, Fixed64 = 1, Delimited = 2, Fixed32 = 5 };

constexpr unsigned segmentField = 3;

// Upper bounds of what protobuf allocates: its classes, the heap's overhead, and arrays that grow by doubling.
constexpr uint64_t stringCost = 64; // its characters come on top
constexpr uint64_t numberCost = 24; // an element of a list

uint64_t getCost(Message message) {
  constexpr uint64_t placeInArray = 48;
  switch (message) {
  case Message::Attribute:
  case Message::Tensor:
  case Message::Graph:
    return 256 + placeInArray;
  case Message::Node:
    return 128 + placeInArray;
  default:
    return 48 + placeInArray;
  }
}

//===----------------------------------------------------------------------===//
// 2. and 3. The walk
//===----------------------------------------------------------------------===//

class Walk {
public:
  Walk(StringRef file, uint64_t memoryBudget) : file(file), memoryBudget(memoryBudget) {}

  LogicalResult measure(Message root) {
    uint64_t size;
    if (failed(walk(root, file, size)))
      return failure();
    if (size > INT32_MAX)
      return fail(file, "the model holds more than 2 GiB besides its weights");
    skeleton.bytes.reserve(size);
    return success();
  }

  void write(Message root) {
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
                        " bytes of memory besides its weights, but needs more; it holds too many small messages");
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

  /// Walks one message, adding what it writes to `size`.
  LogicalResult walk(Message message, StringRef rest, uint64_t &size);
  LogicalResult enter(const Field &field, StringRef body, uint64_t &size);
  LogicalResult leave(const Field &field, StringRef body);
  void putSegment(size_t firstPayload, uint64_t &size);

  StringRef file;
  uint64_t memoryBudget;
  uint64_t cost = 0;
  bool writing = false;
  std::vector<uint32_t> messageSizes; // in the order the walk meets the messages
  size_t nextMessage = 0;
  size_t nextPayload = 0;
};

LogicalResult Walk::enter(const Field &field, StringRef body, uint64_t &size) {
  if (failed(charge(body, getCost(field.child) + sizeof(uint32_t) * 2)))
    return failure();
  size_t index = nextMessage++;
  putVarint(uint64_t(field.number) << 3 | Delimited, size);
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
  return success();
}

LogicalResult Walk::leave(const Field &field, StringRef body) {
  ++nextPayload;
  if (writing)
    return success();
  skeleton.payloads.push_back({field.number, static_cast<uint64_t>(body.data() - file.data()), body.size()});
  return charge(body, sizeof(WirePayload) * 3);
}

void Walk::putSegment(size_t firstPayload, uint64_t &size) {
  uint64_t bodySize = 0;
  bool wasWriting = std::exchange(writing, false);
  auto putBody = [&](uint64_t &bytes) {
    putVarint(1 << 3 | Varint, bytes);
    putVarint(firstPayload, bytes);
    putVarint(2 << 3 | Varint, bytes);
    putVarint(nextPayload, bytes);
  };
  putBody(bodySize);
  writing = wasWriting;
  putVarint(segmentField << 3 | Delimited, size);
  putVarint(bodySize, size);
  putBody(size);
}

LogicalResult Walk::walk(Message message, StringRef rest, uint64_t &size) {
  size = 0;
  size_t firstPayload = nextPayload;
  while (!rest.empty()) {
    StringRef start = rest;
    uint64_t tag, number;
    if (!takeVarint(rest, tag) || tag > UINT32_MAX || tag >> 3 == 0)
      return fail(start, "not a field of a protobuf message; the file is damaged or not an ONNX model");
    const Field *field = findField(message, tag >> 3);
    StringRef body;
    switch (tag & 7) {
    case Varint:
      if (!takeVarint(rest, number))
        return fail(start, "a number runs past the end of its message; the file is truncated or damaged");
      break;
    case Fixed64:
    case Fixed32: {
      size_t bytes = (tag & 7) == Fixed64 ? 8 : 4;
      if (rest.size() < bytes)
        return fail(start, "a number runs past the end of its message; the file is truncated or damaged");
      rest = rest.drop_front(bytes);
      break;
    }
    case Delimited:
      if (!takeVarint(rest, number) || number > rest.size())
        return fail(start, "a field runs past the end of its message; the file is truncated or damaged");
      body = rest.take_front(number);
      rest = rest.drop_front(number);
      break;
    default:
      return fail(start, "not a field of an ONNX model; the file is damaged or not an ONNX model");
    }
    if (!field)
      continue;

    bool isDelimited = (tag & 7) == Delimited;
    switch (field->keep) {
    case Keep::Refuse:
      return fail(start, "a tensor split into segments is not supported; store it in one piece");
    case Keep::Enter:
    case Keep::Leave:
      if (!isDelimited)
        return fail(start, field->keep == Keep::Enter
                               ? "a message must be length-delimited; the file is damaged"
                               : "the elements of a tensor must be packed, but are written one by one");
      if (failed(field->keep == Keep::Enter ? enter(*field, body, size) : leave(*field, body)))
        return failure();
      break;
    case Keep::Copy:
    case Keep::Numbers: {
      // A packed number may take one byte on the wire and eight in memory.
      uint64_t bytes = field->keep == Keep::Numbers ? numberCost * (isDelimited ? body.size() : 1)
                       : isDelimited                ? stringCost + body.size()
                                                    : 0;
      if (failed(charge(start, bytes + (rest.data() - start.data()))))
        return failure();
      put(start.drop_back(rest.size()), size);
      break;
    }
    }
  }
  if (message == Message::Tensor && nextPayload != firstPayload)
    putSegment(firstPayload, size);
  return success();
}

} // namespace

Expected<WireSkeleton> scanWire(StringRef file, WireRoot root, uint64_t memoryBudget) {
  Message message = root == WireRoot::Model ? Message::Model : Message::Tensor;
  Walk walk(file, memoryBudget);
  if (failed(walk.measure(message)))
    return createStringError(walk.error);
  walk.write(message);
  return std::move(walk.skeleton);
}

} // namespace nacre::importer
