// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ELF structures are as in the System V ABI, "gABI", chapters 4 and 5. Both targets are 64-bit and little endian.

#include "codegen/package/WeightsSection.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace llvm::ELF;

namespace nacre::package {

//===----------------------------------------------------------------------===//
// 1. The placeholder
//===----------------------------------------------------------------------===//

static constexpr char sectionName[] = ".nacre_weights", noteName[] = ".note.nacre";

/// Returns an ELF object. If `isPlaceholder`, its weights are added after the link (NOBITS). Otherwise they follow the
/// end of the object.
static std::string weightsObject(bool arm64, StringRef symbol, uint64_t bytes, bool isPlaceholder) {
  enum Section : unsigned { Null, Weights, Symbols, SymbolNames, SectionNames, Note, Count };
  static const char sectionNames[] = "\0.nacre_weights\0.symtab\0.strtab\0.shstrtab\0.note.nacre";
  constexpr unsigned nameOf[Count] = {0, 1, 16, 24, 32, 42};
  std::string symbolNames = std::string(1, '\0') + symbol.str() + '\0';
  // The alignment differs from the build ID's alignment, so that the linker gives the note a separate program header.
  // The text has the same offset with both alignments of notes.
  struct {
    uint32_t nameBytes = 12, textBytes = 8, type = 1;
    char name[12] = "Nacre model", text[8] = "weights";
  } note;

  Elf64_Ehdr header{};
  Elf64_Shdr sections[Count] = {};
  Elf64_Sym symbols[2] = {};
  std::memcpy(header.e_ident, "\177ELF\2\1\1", 7);
  header.e_type = ET_REL;
  header.e_machine = arm64 ? EM_AARCH64 : EM_X86_64;
  header.e_version = 1;
  header.e_ehsize = sizeof header;
  header.e_shoff = sizeof header;
  header.e_shentsize = sizeof sections[0];
  header.e_shnum = Count;
  header.e_shstrndx = SectionNames;

  std::string object(sizeof header + sizeof sections, '\0');
  auto append = [&](Section section, unsigned type, const void *data, size_t size, uint64_t alignment) {
    object.resize(alignTo(object.size(), alignment));
    sections[section].sh_type = type;
    sections[section].sh_offset = object.size();
    sections[section].sh_size = size;
    sections[section].sh_addralign = alignment;
    object.append(static_cast<const char *>(data), size);
  };
  for (unsigned section = Null; section < Count; ++section)
    sections[section].sh_name = nameOf[section];

  sections[Weights].sh_type = isPlaceholder ? SHT_NOBITS : SHT_PROGBITS;
  // A placeholder is writable, so that the linker puts it after .bss.
  sections[Weights].sh_flags = SHF_ALLOC | (isPlaceholder ? unsigned(SHF_WRITE) : 0u);
  sections[Weights].sh_size = bytes;
  sections[Weights].sh_addralign = pageSize;

  symbols[1].st_name = 1;
  symbols[1].setBindingAndType(STB_GLOBAL, STT_OBJECT);
  symbols[1].st_other = STV_HIDDEN;
  symbols[1].st_shndx = Weights;
  symbols[1].st_size = bytes;
  append(Symbols, SHT_SYMTAB, symbols, sizeof symbols, 8);
  sections[Symbols].sh_link = SymbolNames;
  sections[Symbols].sh_info = 1;
  sections[Symbols].sh_entsize = sizeof symbols[0];
  append(SymbolNames, SHT_STRTAB, symbolNames.data(), symbolNames.size(), 1);
  append(SectionNames, SHT_STRTAB, sectionNames, sizeof sectionNames, 1);
  append(Note, SHT_NOTE, &note, sizeof note, 8);
  sections[Note].sh_flags = SHF_ALLOC;

  object.resize(alignTo(object.size(), isPlaceholder ? 1 : pageSize));
  sections[Weights].sh_offset = object.size();
  std::memcpy(object.data(), &header, sizeof header);
  std::memcpy(object.data() + sizeof header, sections, sizeof sections);
  return object;
}

std::string weightsPlaceholder(bool arm64, StringRef symbol, uint64_t bytes) {
  return weightsObject(arm64, symbol, bytes, /*isPlaceholder=*/true);
}

std::string weightsObjectHead(bool arm64, StringRef symbol, uint64_t bytes) {
  return weightsObject(arm64, symbol, bytes, /*isPlaceholder=*/false);
}

//===----------------------------------------------------------------------===//
// 2. After the link
//===----------------------------------------------------------------------===//

Expected<uint64_t> attachWeights(const std::string &path) {
  auto fail = [&](const Twine &what) {
    return createStringError("cannot attach the weights to '" + path + "': " + what);
  };
  int file = sys::RetryAfterSignal(-1, ::open, path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0)
    return fail(sys::StrError());
  scope_exit closeFile([&] { close(file); });
  struct stat status;
  if (fstat(file, &status))
    return fail(sys::StrError());
  size_t linkedBytes = size_t(status.st_size);
  void *mapping = mmap(nullptr, linkedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapping == MAP_FAILED)
    return fail(sys::StrError());
  scope_exit unmap([&] { munmap(mapping, linkedBytes); });

  char *image = static_cast<char *>(mapping);
  auto *header = reinterpret_cast<Elf64_Ehdr *>(image);
  MutableArrayRef<Elf64_Phdr> segments(reinterpret_cast<Elf64_Phdr *>(image + header->e_phoff), header->e_phnum);
  MutableArrayRef<Elf64_Shdr> sections(reinterpret_cast<Elf64_Shdr *>(image + header->e_shoff), header->e_shnum);
  const char *names = image + sections[header->e_shstrndx].sh_offset;

  auto find = [&](const char *name) {
    return find_if(sections, [&](Elf64_Shdr &s) { return !std::strcmp(names + s.sh_name, name); });
  };
  auto *weights = find(sectionName), *note = find(noteName);
  if (weights == sections.end() || note == sections.end())
    return fail("it lacks a section .nacre_weights or .note.nacre");
  Elf64_Phdr *last = nullptr, *spare = nullptr;
  for (Elf64_Phdr &segment : segments) {
    if (segment.p_type == PT_LOAD)
      last = &segment;
    if (segment.p_type == PT_NOTE && segment.p_offset == note->sh_offset && segment.p_filesz == note->sh_size)
      spare = &segment;
  }
  if (!last || !spare || weights->sh_addr < last->p_vaddr + last->p_filesz ||
      weights->sh_addr + weights->sh_size != last->p_vaddr + last->p_memsz)
    return fail("the linker did not place the weights last, or their note next to another note");

  uint64_t offset = alignTo(linkedBytes, pageSize);
  Elf64_Phdr load{};
  load.p_type = PT_LOAD;
  load.p_flags = PF_R;
  load.p_offset = offset;
  load.p_vaddr = load.p_paddr = weights->sh_addr;
  load.p_filesz = load.p_memsz = weights->sh_size;
  load.p_align = pageSize;
  last->p_memsz = weights->sh_addr - last->p_vaddr;
  if (last->p_memsz == 0) {
    // The segment contains only the weights, so its header is replaced. Loadable segments stay in the order of their
    // addresses.
    *last = load;
  } else {
    *spare = load;
  }
  weights->sh_type = SHT_PROGBITS;
  weights->sh_flags = SHF_ALLOC;
  weights->sh_offset = offset;
  if (ftruncate(file, off_t(offset + weights->sh_size)))
    return fail(sys::StrError());
  return offset;
}

} // namespace nacre::package
