// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/run/phone/LibraryTables.h"
#include "runtime/include/nacre/model_format.h"
#include "runtime/inspect/library_check.h"
#include "tools/run/session/EntryChoice.h"
#include "tools/run/session/Text.h"

#include <cmath>
#include <cstring>
#include <elf.h>
#include <unordered_map>

namespace nacre::run {
namespace {

constexpr std::string_view kPrefix = "nacre_model_";

/// A library as it is in memory when it is loaded at address 0. Reading damaged data sets isDamaged.
class Image {
public:
  explicit Image(std::string_view bytes) : bytes(bytes), header(row<Elf64_Ehdr>(0)) {}

  /// Returns the address of the model, or 0 if the library has none.
  uint64_t findModel() {
    uint64_t model = 0;
    eachSection([&](const Elf64_Shdr &section) {
      if (section.sh_type == SHT_RELA)
        readRelocations(section);
      if (section.sh_type == SHT_DYNSYM && model == 0)
        model = findSymbol(section);
    });
    return model;
  }

  template <typename Row> std::vector<Row> rows(uint64_t address, uint64_t count) {
    const std::string_view part = at(address);
    std::vector<Row> result;
    if (count > part.size() / sizeof(Row)) {
      isDamaged = true;
      return result;
    }
    result.resize(count);
    if (count)
      std::memcpy(result.data(), &part.front(), count * sizeof(Row));
    return result;
  }

  std::string text(uint64_t address) {
    const std::string_view part = at(address);
    const size_t end = part.find('\0');
    isDamaged |= end == part.npos;
    return std::string(part.begin(), part.begin() + (end == part.npos ? 0 : end));
  }

  /// Returns the pointer stored at an address, after relocation.
  uint64_t pointer(uint64_t address) const {
    const auto found = pointers.find(address);
    return found == pointers.end() ? 0 : found->second;
  }

  bool isDamaged = false;

private:
  template <typename Row> Row row(uint64_t offset) {
    Row result{};
    isDamaged |= offset > bytes.size() || bytes.size() - offset < sizeof(Row);
    if (!isDamaged)
      std::memcpy(&result, bytes.data() + offset, sizeof(Row));
    return result;
  }

  template <typename Use> void eachSection(Use use) {
    for (unsigned i = 0; i < header.e_shnum && !isDamaged; ++i)
      use(row<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
  }

  void readRelocations(const Elf64_Shdr &section) {
    const uint32_t relative = header.e_machine == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size && !isDamaged; at += sizeof(Elf64_Rela)) {
      const auto relocation = row<Elf64_Rela>(section.sh_offset + at);
      if (ELF64_R_TYPE(relocation.r_info) == relative)
        pointers[relocation.r_offset] = uint64_t(relocation.r_addend);
    }
  }

  uint64_t findSymbol(const Elf64_Shdr &section) {
    const auto names = row<Elf64_Shdr>(header.e_shoff + uint64_t(section.sh_link) * sizeof(Elf64_Shdr));
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size && !isDamaged; at += sizeof(Elf64_Sym)) {
      const auto symbol = row<Elf64_Sym>(section.sh_offset + at);
      const uint64_t name = names.sh_offset + symbol.st_name;
      if (symbol.st_value && name < bytes.size() && bytes.substr(name, kPrefix.size()) == kPrefix)
        return symbol.st_value;
    }
    return 0;
  }

  /// Returns the bytes from an address to the end of its segment.
  std::string_view at(uint64_t address) {
    for (unsigned i = 0; i < header.e_phnum && !isDamaged; ++i) {
      const auto segment = row<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz &&
          segment.p_offset <= bytes.size() && segment.p_filesz <= bytes.size() - segment.p_offset)
        return bytes.substr(segment.p_offset, segment.p_filesz).substr(address - segment.p_vaddr);
    }
    isDamaged = true;
    return {};
  }

  std::string_view bytes;
  Elf64_Ehdr header;
  std::unordered_map<uint64_t, uint64_t> pointers;
};

/// Addresses of the blobs that rows refer to by offsets.
struct Blobs {
  uint64_t strings, dims;

  uint64_t dim(uint64_t index) const { return dims + index * sizeof(int64_t); }
};

Quantization quantizationOf(Image &image, const Blobs &blobs, const nacre_tensor &tensor, const Dims &dims) {
  if (!std::isnan(tensor.scale))
    return {tensor.scale, tensor.zero_point, {}, 0};
  Quantization quantization = {0, 0, {}, 0};
  const uint64_t first = uint32_t(tensor.zero_point);
  for (int64_t axis : image.rows<int64_t>(blobs.dim(first), 1)) {
    quantization.channelAxis = uint32_t(axis);
    image.isDamaged |= axis < 0 || uint64_t(axis) >= dims.size();
    if (!image.isDamaged)
      quantization.channels = image.rows<nacre_channel_info>(blobs.dim(first + 1), uint64_t(dims[axis]));
  }
  return quantization;
}

Port readPort(Image &image, const Blobs &blobs, const nacre_tensor &tensor) {
  Port port;
  port.name = image.text(blobs.strings + tensor.name);
  const Dims dims = image.rows<int64_t>(blobs.dim(tensor.first_dim), tensor.rank);
  const std::optional<size_t> count = countElements(dims);
  if (!count || !findElementType(int(tensor.element_type))) {
    image.isDamaged = true;
    return port;
  }
  port.tensor = {nacre_element_type(tensor.element_type), dims, nullptr, *count};
  port.quantization = quantizationOf(image, blobs, tensor, dims);
  return port;
}

void readPorts(Image &image, const Blobs &blobs, uint64_t address, uint32_t count, bool areOutputs,
               std::vector<Port> &ports) {
  for (const nacre_tensor &tensor : image.rows<nacre_tensor>(address, count)) {
    ports.push_back(readPort(image, blobs, tensor));
    if (!areOutputs || tensor.first_count == NACRE_NO_COUNTS)
      continue;
    const auto counts = image.rows<int64_t>(blobs.dim(tensor.first_count), tensor.rank);
    for (size_t axis = 0; axis < counts.size() && axis < 32; ++axis)
      ports.back().openAxes |= uint32_t(counts[axis] >= 0) << axis;
  }
}

/// Reads the tables of all entries, and chooses one of them.
Outcome readEntry(Image &image, uint64_t address, const Options &options, LibraryTables &tables) {
  const auto model = image.rows<nacre_model_table>(address, 1);
  if (model.empty())
    return std::nullopt; // isDamaged is set
  const nacre_model_table &table = model.front();
  if (table.format_version != NACRE_FORMAT_VERSION)
    return usageFailure("it was compiled by another version of nacre-compile; compile the model again");
  const Blobs blobs = {image.pointer(address + offsetof(nacre_model_table, strings)),
                       image.pointer(address + offsetof(nacre_model_table, dims))};
  tables.target = image.text(blobs.strings + table.target);
  tables.hasApartWeights = table.weights_layout != 0;
  const uint64_t first = image.pointer(address + offsetof(nacre_model_table, entries));
  const auto rows = image.rows<nacre_entry>(first, table.entry_count);
  std::vector<EntryInputs> entries(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    entries[i].name = image.text(blobs.strings + rows[i].name);
    readPorts(image, blobs, image.pointer(first + i * sizeof(nacre_entry) + offsetof(nacre_entry, inputs)),
              rows[i].input_count, false, entries[i].inputs);
    image.isDamaged |= rows[i].hidden_outputs > rows[i].output_count;
  }
  if (image.isDamaged || rows.empty())
    return std::nullopt;
  size_t chosen;
  if (Outcome failure = chooseEntry(entries, options, chosen))
    return failure;
  tables.entry = entries[chosen].name;
  tables.inputs = std::move(entries[chosen].inputs);
  readPorts(image, blobs, image.pointer(first + chosen * sizeof(nacre_entry) + offsetof(nacre_entry, outputs)),
            rows[chosen].output_count - rows[chosen].hidden_outputs, true, tables.outputs);
  return std::nullopt;
}

} // namespace

Outcome readLibraryTables(const std::string &path, const Options &options, LibraryTables &tables) {
  nacre_library_facts facts;
  const int verdict = nacre_library_check(path.c_str(), &facts);
  if (verdict == NACRE_LIBRARY_UNREADABLE)
    return usageFailure("cannot read '" + path + "': " + std::strerror(facts.system_error));
  if (verdict != NACRE_LIBRARY_GOOD && verdict != NACRE_LIBRARY_OTHER_MACHINE)
    return usageFailure("'" + path + "' " + facts.reason);
  MappedFile file;
  if (Outcome failure = file.open(path))
    return failure;
  Image image(file.bytes());
  const uint64_t model = image.findModel();
  if (model == 0 && !image.isDamaged)
    return usageFailure("'" + path + "' must be a .so made by nacre-compile, but exports no nacre_model_<name>");
  if (!image.isDamaged)
    if (Outcome failure = readEntry(image, model, options, tables))
      return usageFailure("'" + path + "': " + failure->text);
  if (image.isDamaged)
    return usageFailure("'" + path + "' is damaged: its tables are not complete; compile the model again");
  for (std::vector<Port> *ports : {&tables.inputs, &tables.outputs})
    for (Port &port : *ports) {
      std::vector<char> &block = tables.memory.emplace_back(port.tensor.bytes());
      port.data = block.data();
      port.tensor.data = block.data();
    }
  return std::nullopt;
}

} // namespace nacre::run
