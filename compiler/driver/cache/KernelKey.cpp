// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/cache/KernelKey.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <link.h>

using namespace llvm;

namespace nacre {

namespace {

/// Hash of a sequence of values.
class KeyHash {
public:
  template <typename T> std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>> add(T value) {
    hash.update(ArrayRef(reinterpret_cast<const uint8_t *>(&value), sizeof value));
  }
  /// Adds the length, too, so that the border between two texts counts.
  void add(StringRef text) {
    add(uint64_t(text.size()));
    hash.update(text);
  }

  // Structured bindings name each member, so that a new one does not compile before it is part of the key.
  void add(const codegen::VectorUnit &unit) {
    const auto &[registers, bytes, masks, sideBySide, hasMultiplyAdd, convertsHalves] = unit;
    addAll(registers, bytes, masks, sideBySide, hasMultiplyAdd, convertsHalves);
  }
  void add(const codegen::MachineModel &model) {
    const auto &[name, gigahertz, l1, l1Way, l2, last, ofL2, ofFar, ofFarProducts, ofMemory, ofScattered, flops,
                 instructions, chained, row, point, iteration, function, launch] = model;
    addAll(StringRef(name), gigahertz, l1, l1Way, l2, last, ofL2, ofFar, ofFarProducts, ofMemory, ofScattered, flops,
           instructions, chained, row, point, iteration, function, launch);
  }
  void add(const codegen::Target &target) {
    const auto &[name, triple, cpu, features, tuneCpu, vectors, arm64, inOrder, needs, model, mayPlayGpu] = target;
    addAll(StringRef(name), StringRef(triple), StringRef(cpu), StringRef(features), StringRef(tuneCpu), vectors, arm64,
           inOrder, needs, model, mayPlayGpu);
  }
  void add(const codegen::GpuOptions &options) {
    const auto &[precision, accuracy, mayBePlayed, mayBePhone, tile, pieceBytes] = options;
    addAll(precision, accuracy, mayBePlayed, mayBePhone, StringRef(tile), pieceBytes);
  }
  template <typename... T> void addAll(const T &...values) { (add(values), ...); }

  std::string finish() {
    constexpr size_t bytes = 20;
    return toHex(hash.final<bytes>(), /*LowerCase=*/true);
  }

private:
  BLAKE3 hash;
};

template <typename Options> std::string hashAll(StringRef compiler, StringRef kernel, const Options &options) {
  KeyHash hash;
  hash.addAll(compiler, kernel, options);
  return hash.finish();
}

/// Returns the GNU build ID in the notes of a loaded object; empty without such a note.
ArrayRef<uint8_t> findBuildId(const dl_phdr_info &object) {
  constexpr uint64_t alignment = 4;
  for (const auto &segment : ArrayRef(object.dlpi_phdr, object.dlpi_phnum)) {
    if (segment.p_type != PT_NOTE)
      continue;
    const auto *at =
        reinterpret_cast<const uint8_t *>(object.dlpi_addr + segment.p_vaddr); // NOLINT(performance-no-int-to-ptr)
    const uint8_t *end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
      const uint8_t *name = at + sizeof *note, *content = name + alignTo(note->n_namesz, alignment);
      const bool isGnu = StringRef(reinterpret_cast<const char *>(name), note->n_namesz) == StringRef("GNU", 4);
      if (isGnu && note->n_type == NT_GNU_BUILD_ID)
        return {content, note->n_descsz};
      at = content + alignTo(note->n_descsz, alignment);
    }
  }
  return {};
}

/// Adds a line about a loaded object to the text `data`, for dl_iterate_phdr.
int addObject(dl_phdr_info *object, size_t, void *data) {
  auto &text = *static_cast<std::string *>(data);
  const StringRef path = object->dlpi_name;
  if (path.starts_with("linux-vdso")) // It has no file, and belongs to the system's kernel.
    return 0;
  text += sys::path::filename(path).str() + " ";
  if (ArrayRef<uint8_t> id = findBuildId(*object); !id.empty())
    text += toHex(id);
  else if (auto file = MemoryBuffer::getFile(path.empty() ? "/proc/self/exe" : path))
    text += toHex(BLAKE3::hash(arrayRefFromStringRef((*file)->getBuffer())));
  text += "\n";
  return 0;
}

} // namespace

std::string describeCompiler() {
  std::string text;
  dl_iterate_phdr(addObject, &text);
  return text;
}

std::string keyOf(StringRef compiler, StringRef kernel, const codegen::Target &target) {
  return hashAll(compiler, kernel, target);
}

std::string keyOf(StringRef compiler, StringRef kernel, const codegen::GpuOptions &options) {
  return hashAll(compiler, kernel, options);
}

} // namespace nacre
