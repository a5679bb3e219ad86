// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/cache/KernelEntry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace nacre {

namespace {

//===----------------------------------------------------------------------===//
// Lines and code
//===----------------------------------------------------------------------===//

std::string checksumOf(StringRef code) {
  constexpr size_t bytes = 8;
  return toHex(BLAKE3::hash<bytes>(arrayRefFromStringRef(code)));
}

std::string makeEntry(json::Object figures, StringRef code) {
  figures["checksum"] = checksumOf(code);
  std::string text;
  raw_string_ostream(text) << json::Value(std::move(figures)) << '\n' << code;
  return text;
}

/// Figures of an entry, by name.
class Figures {
public:
  /// Reads the line before the code. The code must have the line's checksum.
  Figures(StringRef line, StringRef code) : root("entry") {
    if (Expected<json::Value> read = json::parse(line))
      value = std::move(*read);
    else
      consumeError(read.takeError());
    std::string checksum;
    read("checksum", checksum);
    areValid &= checksum == checksumOf(code);
  }
  explicit Figures(const json::Value &value) : value(value), root("entry") {}

  /// Sets `figure` to the figure `name`, unless it is missing.
  template <typename T> Figures &read(StringLiteral name, T &figure) {
    json::ObjectMapper map(value, root);
    areValid = areValid && map && map.map(name, figure);
    return *this;
  }
  const json::Array *array(StringRef name) const {
    return value.getAsObject() ? value.getAsObject()->getArray(name) : nullptr;
  }
  /// True if each figure that was read is there.
  bool isValid() const { return areValid; }

private:
  json::Value value = nullptr;
  json::Path::Root root;
  bool areValid = true;
};

//===----------------------------------------------------------------------===//
// Variants for GPUs
//===----------------------------------------------------------------------===//

json::Object toJson(const codegen::GpuKernelCode &code) {
  return json::Object{{"words", uint64_t(code.code.size())},
                      {"bindings", json::Array(code.bindings)},
                      {"needs", code.needs},
                      {"unitExtent", code.unitExtent},
                      {"groups", code.groups},
                      {"workgroupSize", code.workgroupSize},
                      {"sharedBytes", code.sharedBytes},
                      {"families", code.families},
                      {"shifted", code.shifted},
                      {"pieceBytes", code.pieceBytes},
                      {"flops", code.flops}};
}

/// Reads a variant, whose words are the first ones of `words`. Removes them there.
std::optional<codegen::GpuKernelCode> readVariant(const json::Value &value, StringRef &words) {
  codegen::GpuKernelCode code;
  std::vector<unsigned> bindings;
  uint64_t count = 0;
  const bool isValid = Figures(value)
                           .read("words", count)
                           .read("bindings", bindings)
                           .read("needs", code.needs)
                           .read("unitExtent", code.unitExtent)
                           .read("groups", code.groups)
                           .read("workgroupSize", code.workgroupSize)
                           .read("sharedBytes", code.sharedBytes)
                           .read("families", code.families)
                           .read("shifted", code.shifted)
                           .read("pieceBytes", code.pieceBytes)
                           .read("flops", code.flops)
                           .isValid();
  if (!isValid || count > words.size() / sizeof(uint32_t))
    return std::nullopt;
  code.bindings.assign(bindings.begin(), bindings.end());
  code.code.resize_for_overwrite(count);
  const StringRef own = words.take_front(code.code.size_in_bytes());
  llvm::copy(own, reinterpret_cast<char *>(code.code.data()));
  words = words.drop_front(own.size());
  return code;
}

} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::string toEntry(const codegen::KernelCode &code) {
  return makeEntry(json::Object{{"unitExtent", code.unitExtent},
                                {"unitsPerBlock", code.unitsPerBlock},
                                {"scratchBytes", code.scratchBytes},
                                {"unitNanoseconds", code.unitNanoseconds},
                                {"needs", code.needs},
                                {"flops", code.flops},
                                {"executedFlops", code.executedFlops},
                                {"fallback", code.fallback},
                                {"declinedBy", code.declinedBy}},
                   {code.object.data(), code.object.size()});
}

template <> std::optional<codegen::KernelCode> fromEntry(StringRef entry) {
  auto [line, object] = entry.split('\n');
  codegen::KernelCode code;
  const bool isValid = Figures(line, object)
                           .read("unitExtent", code.unitExtent)
                           .read("unitsPerBlock", code.unitsPerBlock)
                           .read("scratchBytes", code.scratchBytes)
                           .read("unitNanoseconds", code.unitNanoseconds)
                           .read("needs", code.needs)
                           .read("flops", code.flops)
                           .read("executedFlops", code.executedFlops)
                           .read("fallback", code.fallback)
                           .read("declinedBy", code.declinedBy)
                           .isValid();
  if (!isValid)
    return std::nullopt;
  code.object.assign(object.begin(), object.end());
  return code;
}

std::string toEntry(const codegen::GpuKernel &kernel) {
  json::Array variants;
  std::string words;
  for (const codegen::GpuKernelCode &code : kernel.variants) {
    variants.push_back(toJson(code));
    words.append(reinterpret_cast<const char *>(code.code.data()), code.code.size_in_bytes());
  }
  return makeEntry(json::Object{{"declined", kernel.declined}, {"variants", std::move(variants)}}, words);
}

template <> std::optional<codegen::GpuKernel> fromEntry(StringRef entry) {
  auto [line, words] = entry.split('\n');
  Figures figures(line, words);
  codegen::GpuKernel kernel;
  const json::Array *variants = figures.read("declined", kernel.declined).array("variants");
  if (!figures.isValid() || !variants)
    return std::nullopt;
  for (const json::Value &value : *variants)
    if (std::optional<codegen::GpuKernelCode> variant = readVariant(value, words))
      kernel.variants.push_back(std::move(*variant));
    else
      return std::nullopt;
  return words.empty() ? std::optional(std::move(kernel)) : std::nullopt;
}

} // namespace nacre
