// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StateFile.h. The parts of this file are:
// 1. Reads the header.
// 2. Verifies the checksum, which covers everything except its own digits.

#include "compiler/import/files/StateFile.h"

#include "compiler/import/files/Checksum.h"
#include "dialects/NestedJson.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer {

namespace {

constexpr uint64_t lengthBytes = 8, mostHeaderBytes = 8 << 20;

InFlightDiagnostic refuse(Location loc) { return emitError(loc) << "the state must be a whole safetensors file, but "; }

uint64_t bytesOf(StringRef type) {
  unsigned bits = 0;
  if (type == "BOOL" || type.starts_with("F8"))
    return 1;
  return type.drop_until(llvm::isDigit).getAsInteger(10, bits) ? 0 : bits / 8;
}

//===----------------------------------------------------------------------===//
// 1. The header
//===----------------------------------------------------------------------===//

std::optional<StateTensor> readTensor(const llvm::json::Object &row, StringRef data) {
  std::optional<StringRef> type = row.getString("dtype");
  const llvm::json::Array *shape = row.getArray("shape"), *offsets = row.getArray("data_offsets");
  if (!type || !shape || !offsets || offsets->size() != 2)
    return std::nullopt;
  StateTensor tensor{type->str(), {}, {}};
  uint64_t bytes = bytesOf(*type);
  for (const llvm::json::Value &dim : *shape) {
    std::optional<int64_t> size = dim.getAsInteger();
    if (!size || *size < 0)
      return std::nullopt;
    bytes = llvm::SaturatingMultiply(bytes, uint64_t(*size));
    tensor.shape.push_back(*size);
  }
  std::optional<int64_t> begin = (*offsets)[0].getAsInteger(), end = (*offsets)[1].getAsInteger();
  if (!begin || !end || *begin < 0 || *end < *begin || uint64_t(*end) > data.size() || uint64_t(*end - *begin) != bytes)
    return std::nullopt;
  tensor.bytes = data.slice(*begin, *end);
  return tensor;
}

//===----------------------------------------------------------------------===//
// 2. The checksum
//===----------------------------------------------------------------------===//

bool isChecksumRight(StringRef header, StringRef data, StringRef digits) {
  uint32_t expected = 0;
  const size_t at = header.find("\"crc32c\":\"" + digits.str() + "\"");
  if (digits.size() != 8 || at == StringRef::npos || digits.getAsInteger(16, expected))
    return false;
  const size_t begin = at + StringRef("\"crc32c\":\"").size();
  const uint32_t before = computeCrc32c(header.take_front(begin));
  return computeCrc32c(data, computeCrc32c(header.drop_front(begin + digits.size() + 1), before)) == expected;
}

} // namespace

FailureOr<StateFile> readStateFile(FileBytes bytes, Location loc) {
  StringRef all = bytes->getBuffer();
  const uint64_t length = all.size() < lengthBytes ? UINT64_MAX : llvm::support::endian::read64le(all.data());
  if (length > mostHeaderBytes || length > all.size() - lengthBytes)
    return refuse(loc) << "it ends within its header, or the header exceeds 8 MiB";
  StringRef header = all.substr(lengthBytes, length), data = all.drop_front(lengthBytes + length);
  llvm::Expected<llvm::json::Value> parsed = parseJson(header);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return refuse(loc) << "its header is damaged";
  }
  const llvm::json::Object *rows = parsed->getAsObject();
  if (!rows)
    return refuse(loc) << "its header is damaged";
  StateFile file;
  for (const auto &[key, value] : *rows) {
    const llvm::json::Object *row = value.getAsObject();
    if (key == "__metadata__") {
      std::optional<StringRef> digits = row ? row->getString("crc32c") : std::nullopt;
      const bool needsSum = row && row->getString("format") == StringRef("nacre");
      if (!row || (needsSum && !digits) || (digits && !isChecksumRight(header, data, *digits)))
        return refuse(loc) << "its checksum does not match";
      continue;
    }
    std::optional<StateTensor> tensor = row ? readTensor(*row, data) : std::nullopt;
    if (!tensor)
      return refuse(loc) << "its header is damaged at '" << StringRef(key) << "'";
    file.tensors[key.str()] = std::move(*tensor);
  }
  file.file = std::move(bytes);
  return file;
}

std::optional<StringRef> ownerOf(StringRef name) {
  auto [owner, kept] = name.rsplit('#');
  return name.contains('#') ? std::optional(owner) : std::nullopt;
}

} // namespace nacre::importer
