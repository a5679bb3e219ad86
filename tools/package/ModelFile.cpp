// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/package/ModelFile.h"

#include "runtime/include/nacre/weights_format.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Path.h"

#include <unordered_map>

using namespace llvm;
using namespace llvm::object;

namespace nacre::tools {
namespace {

using Elf = ELF64LE;
constexpr StringLiteral kPrefix = "nacre_model_";

/// A library as it is in memory when it is loaded at address 0. Reading damaged data sets isDamaged().
class Image {
public:
  explicit Image(const ELFFile<Elf> &file) : file(file) {}

  Error readRelocations() {
    auto sections = file.sections();
    if (!sections)
      return sections.takeError();
    for (const auto &section : *sections) {
      if (section.sh_type != ELF::SHT_RELA)
        continue;
      auto relocations = file.relas(section);
      if (!relocations)
        return relocations.takeError();
      for (const auto &relocation : *relocations)
        if (relocation.getType(false) == file.getRelativeRelocationType())
          pointers[relocation.r_offset] = uint64_t(relocation.r_addend);
    }
    return Error::success();
  }

  /// Returns the `count` rows at an address. If they are not in the file, returns no rows and marks the image as
  /// damaged.
  template <typename Row> SmallVector<Row> rows(uint64_t address, uint64_t count) {
    SmallVector<Row> result;
    const std::optional<ArrayRef<uint8_t>> bytes = at(address);
    if (!bytes || count > bytes->size() / sizeof(Row)) {
      damaged = damaged || count != 0;
      return result;
    }
    result.resize_for_overwrite(count);
    if (count)
      std::memcpy(result.data(), bytes->data(), count * sizeof(Row));
    return result;
  }

  std::string text(uint64_t address) {
    const std::optional<ArrayRef<uint8_t>> bytes = at(address);
    const auto *end = bytes ? llvm::find(*bytes, 0) : nullptr;
    if (!bytes || end == bytes->end()) {
      damaged = true;
      return {};
    }
    return std::string(bytes->begin(), end);
  }

  /// Returns the pointer stored at an address, after relocation.
  uint64_t pointer(uint64_t address) const {
    const auto found = pointers.find(address);
    return found == pointers.end() ? 0 : found->second;
  }

  bool isDamaged() const { return damaged; }

private:
  /// Returns the bytes from an address to the end of its segment.
  std::optional<ArrayRef<uint8_t>> at(uint64_t address) const {
    auto headers = file.program_headers();
    if (!headers) {
      consumeError(headers.takeError());
      return std::nullopt;
    }
    for (const auto &header : *headers)
      if (header.p_type == ELF::PT_LOAD && address >= header.p_vaddr && address - header.p_vaddr < header.p_filesz &&
          header.p_offset <= file.getBufSize() && header.p_filesz <= file.getBufSize() - header.p_offset)
        return ArrayRef(file.base() + header.p_offset, header.p_filesz).drop_front(address - header.p_vaddr);
    return std::nullopt;
  }

  ELFFile<Elf> file;
  std::unordered_map<uint64_t, uint64_t> pointers; // not a DenseMap, which reserves two keys, because any number may be
                                                   // a key
  bool damaged = false;
};

/// Returns the address of the only symbol nacre_model_<name>.
Expected<uint64_t> findModel(const ELFObjectFile<Elf> &object) {
  for (const ELFSymbolRef symbol : object.getDynamicSymbolIterators()) {
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    Expected<uint64_t> address = symbol.getAddress();
    if (!address)
      return address.takeError();
    if (name->starts_with(kPrefix) && *address)
      return *address;
  }
  return createStringError("it has no symbol nacre_model_<name>; give libraries that nacre-compile wrote");
}

/// Addresses of the blobs that rows refer to by offsets.
struct Blobs {
  uint64_t strings, dims;
};

std::vector<TensorOfFile> readTensors(Image &image, const Blobs &blobs, uint64_t address, uint32_t count) {
  std::vector<TensorOfFile> tensors;
  for (const nacre_tensor &tensor : image.rows<nacre_tensor>(address, count))
    tensors.push_back({image.text(blobs.strings + tensor.name), tensor.element_type,
                       image.rows<int64_t>(blobs.dims + uint64_t(tensor.first_dim) * sizeof(int64_t), tensor.rank)});
  return tensors;
}

Error readModel(Image &image, uint64_t address, ModelFile &model) {
  SmallVector<nacre_model_table> tables = image.rows<nacre_model_table>(address, 1);
  if (tables.empty())
    return createStringError("its tables are damaged; compile the model again");
  const nacre_model_table &table = tables.front();
  if (table.format_version != NACRE_FORMAT_VERSION)
    return createStringError("it was compiled by another version of nacre-compile; compile the model again");

  const Blobs blobs = {image.pointer(address + offsetof(nacre_model_table, strings)),
                       image.pointer(address + offsetof(nacre_model_table, dims))};
  model.name = image.text(blobs.strings + table.name);
  model.target = image.text(blobs.strings + table.target);
  model.weightsLayout = table.weights_layout;
  const uint64_t entries = image.pointer(address + offsetof(nacre_model_table, entries));
  for (const auto &[index, row] : enumerate(image.rows<nacre_entry>(entries, table.entry_count))) {
    const uint64_t at = entries + index * sizeof(nacre_entry);
    const uint32_t outputs = row.output_count - std::min(row.output_count, row.hidden_outputs);
    model.entries.push_back(
        {image.text(blobs.strings + row.name),
         readTensors(image, blobs, image.pointer(at + offsetof(nacre_entry, inputs)), row.input_count),
         readTensors(image, blobs, image.pointer(at + offsetof(nacre_entry, outputs)), outputs)});
  }
  if (image.isDamaged() || model.entries.empty())
    return createStringError("its tables are damaged; compile the model again");
  return Error::success();
}

Error readFrom(ModelFile &model) {
  auto object = ELFObjectFile<Elf>::create(*model.bytes);
  if (!object) {
    consumeError(object.takeError());
    return createStringError("it is not a 64-bit shared library");
  }
  Expected<uint64_t> address = findModel(*object);
  if (!address)
    return address.takeError();
  Image image(object->getELFFile());
  if (Error error = image.readRelocations())
    return error;
  return readModel(image, *address, model);
}

} // namespace

Expected<ModelFile> readModelFile(StringRef path) {
  ModelFile model;
  model.path = path.str();
  auto bytes = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!bytes)
    return createStringError("'" + path + "' cannot be read: " + bytes.getError().message());
  model.bytes = std::move(*bytes);
  if (Error error = readFrom(model))
    return createStringError("'" + path + "' is not a model: " + toString(std::move(error)));
  return model;
}

std::string besideLibrary(const ModelFile &model, StringRef extension, bool keepsPrefix) {
  StringRef stem = sys::path::stem(model.path);
  if (!keepsPrefix)
    stem.consume_front("lib");
  SmallString<128> path = sys::path::parent_path(model.path);
  sys::path::append(path, stem + extension);
  return path.str().str();
}

Expected<std::unique_ptr<MemoryBuffer>> readWeightsFile(const ModelFile &model) {
  const std::string path = besideLibrary(model, ".weights", /*keepsPrefix=*/true);
  auto bytes = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!bytes)
    return createStringError("the weights of '" + model.path + "' cannot be read from '" + path +
                             "': " + bytes.getError().message() +
                             "; copy that file, too, or deliver it otherwise and pass --weights=none");
  nacre_weights_header head{};
  std::memcpy(&head, (*bytes)->getBufferStart(), std::min(sizeof head, (*bytes)->getBufferSize()));
  if (std::memcmp(head.magic, NACRE_WEIGHTS_MAGIC, sizeof head.magic) != 0 || head.bytes != (*bytes)->getBufferSize())
    return createStringError("'" + path + "' is not a whole weights file; compile the model again");
  if (head.layout != model.weightsLayout)
    return createStringError("'" + path + "' does not fit '" + model.path + "'; compile both again");
  return std::move(*bytes);
}

} // namespace nacre::tools
