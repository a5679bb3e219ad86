// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements elf_file.h.
// How: compares each offset and size with the size of the file or of the structure around it, before using it.

#include "runtime/inspect/elf_file.h"
#include "runtime/src/system_call.h"

namespace nacre::inspect {
namespace {

using runtime::restarted_call;

#if defined(__aarch64__)
constexpr long kSeek = 62;
constexpr uint16_t kMachineHere = 183;
#else
constexpr long kSeek = 8;
constexpr uint16_t kMachineHere = 62;
#endif
constexpr long kFromEnd = 2;     // SEEK_END
constexpr long kNoSuchFile = -2; // -ENOENT
constexpr uint16_t kSharedLibrary = 3;
constexpr uint64_t kMostAddresses = uint64_t(1) << 47; // Size of a process's address space.
constexpr uint64_t kMostAlignment = uint64_t(1) << 30;
constexpr uint64_t kLargestPage = 1 << 16;

const char *name_machine(uint16_t machine) {
  return machine == 183 ? "arm64" : machine == 62 ? "x86-64" : "another machine";
}

bool is_power_of_two(uint64_t number) { return (number & (number - 1)) == 0; }

} // namespace

bool refuse(Reason &reason, const char *what) {
  reason << "is damaged: " << what << "; copy or download it again";
  return false;
}

ElfFile::~ElfFile() {
  if (file >= 0)
    runtime::close_opened(file);
}

bool ElfFile::refuse_cut(uint64_t needed, Reason &reason) const {
  reason << "is incomplete: it must have at least " << needed << " bytes, but has " << bytes
         << "; copy or download it again";
  return false;
}

bool ElfFile::read(uint64_t offset, void *to, uint64_t wanted) const {
  if (!fits(offset, wanted, bytes))
    return false;
  for (uint64_t done = 0; done < wanted;) {
    const long got = restarted_call(runtime::kPread, file, runtime::address(to) + long(done), long(wanted - done),
                                    long(offset + done));
    if (got <= 0)
      return false;
    done += uint64_t(got);
  }
  return true;
}

const Segment *ElfFile::find_load(uint64_t address, uint64_t wanted, bool from_file) const {
  for (const Segment &segment : *this)
    if (segment.type == Segment::Load && address >= segment.address &&
        fits(address - segment.address, wanted, from_file ? segment.file_bytes : segment.memory_bytes))
      return &segment;
  return nullptr;
}

bool ElfFile::read_loaded(uint64_t address, void *to, uint64_t wanted) const {
  const Segment *load = find_load(address, wanted, /*from_file=*/true);
  return load && read(load->offset + (address - load->address), to, wanted);
}

nacre_library_verdict ElfFile::open(const char *path, bool any_machine, nacre_library_facts &facts, Reason &reason) {
  file = runtime::open_file(path, runtime::kReadOnly | runtime::kNoWaiting);
  const long end = file < 0 ? file : restarted_call(kSeek, file, 0, kFromEnd);
  bytes = end < 0 ? 0 : uint64_t(end);
  char first = 0;
  const long got =
      end <= 0 ? end : restarted_call(runtime::kPread, file, runtime::address(&first), 1); // A folder can be opened,
                                                                                           // but reading it fails.
  if (got < 0) {
    facts.system_error = int32_t(-got);
    reason << "cannot be read: ";
    got == kNoSuchFile ? reason << "there is no such file" : reason << "system error " << uint64_t(-got);
    return NACRE_LIBRARY_UNREADABLE;
  }
  if (!read(0, &header, sizeof header) || !runtime::equal_bytes(header.identity, "\177ELF\2\1", 6) ||
      header.type != kSharedLibrary) {
    reason << "must be a .so made by nacre-compile, but is not a shared library";
    return NACRE_LIBRARY_UNKNOWN_FORMAT;
  }
  if (!any_machine && header.machine != kMachineHere) {
    reason << "must be for " << name_machine(kMachineHere) << ", but is for " << name_machine(header.machine);
    return NACRE_LIBRARY_OTHER_MACHINE;
  }
  return check_tables(reason) ? NACRE_LIBRARY_GOOD : NACRE_LIBRARY_DAMAGED;
}

bool ElfFile::check_tables(Reason &reason) {
  if (header.identity[6] != 1 || header.version != 1)
    return refuse(reason, "its header names an unknown version of the format");
  if (header.segment_bytes != sizeof(Segment) || header.segment_count == 0 || header.segment_count > kMostSegments)
    return refuse(reason, "its header describes no table of segments");
  const uint64_t table_bytes = header.segment_count * sizeof(Segment);
  if (!fits(header.segments, table_bytes, bytes))
    return header.segments < kMostAddresses ? refuse_cut(header.segments + table_bytes, reason)
                                            : refuse(reason, "its table of segments is outside of the file");
  const uint64_t section_table = uint64_t(header.section_count) * header.section_bytes;
  // The loader does not read sections. But the linker writes their table last, so its position shows whether the end of
  // the file is missing.
  if (header.sections != 0 && !fits(header.sections, section_table, bytes))
    return header.sections < kMostAddresses ? refuse_cut(header.sections + section_table, reason)
                                            : refuse(reason, "its table of sections is outside of the file");
  if (!read(header.segments, segments, table_bytes))
    return refuse(reason, "it cannot be read to its end");
  count = header.segment_count;
  uint64_t previous_end = 0;
  for (const Segment &segment : *this)
    if (segment.type == Segment::Load && !check_load(segment, previous_end, reason))
      return false;
  for (const Segment &segment : *this)
    if (!check_part(segment, reason))
      return false;
  return previous_end != 0 || refuse(reason, "it has no contents to load");
}

bool ElfFile::check_load(const Segment &load, uint64_t &previous_end, Reason &reason) const {
  if (load.file_bytes > load.memory_bytes || !fits(load.address, load.memory_bytes, kMostAddresses) ||
      load.address < previous_end || (load.flags & (Segment::Readable | Segment::Executable)) == 0 ||
      load.alignment > kMostAlignment || !is_power_of_two(load.alignment) ||
      (load.alignment > 1 && (load.address - load.offset) % load.alignment != 0))
    return refuse(reason, "its segments contradict each other");
  if (!fits(load.offset, load.file_bytes, bytes))
    return load.offset < kMostAddresses ? refuse_cut(load.offset + load.file_bytes, reason)
                                        : refuse(reason, "a segment is outside of the file");
  previous_end = load.address + load.memory_bytes;
  return true;
}

bool ElfFile::check_part(const Segment &part, Reason &reason) const {
  const char *what = "a part is not within a loaded segment";
  if (part.type == Segment::ReadOnlyLater) {
    // The linker may round up the end of this part to a page. Only its first byte must be in a loaded segment, because
    // that segment may end before the page does.
    const Segment *load = find_load(part.address, 1, /*from_file=*/false);
    if (!load || !(load->flags & Segment::Writable) ||
        !fits(part.address, part.memory_bytes, load->address + load->memory_bytes + kLargestPage))
      return refuse(reason, what);
    return true;
  }
  if (part.type == Segment::Headers && part.offset != header.segments)
    return refuse(reason, "its table of segments is in two places");
  const bool is_read = part.type == Segment::Dynamic || part.type == Segment::Note || part.type == Segment::Headers ||
                       part.type == Segment::UnwindTable || part.type == Segment::Property ||
                       part.type == Segment::ThreadLocal;
  const uint64_t read_bytes = part.type == Segment::ThreadLocal     ? part.file_bytes
                              : part.file_bytes > part.memory_bytes ? part.file_bytes
                                                                    : part.memory_bytes;
  if (!is_read || read_bytes == 0)
    return true;
  const Segment *load = find_load(part.address, read_bytes, /*from_file=*/true);
  if (!load || part.offset - load->offset != part.address - load->address || !is_power_of_two(part.alignment))
    return refuse(reason, what);
  return true;
}

} // namespace nacre::inspect
