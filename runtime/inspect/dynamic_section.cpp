// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements dynamic_section.h.
// How: checks 1. the entries and their tags; 2. the targets to which entries point; 3. symbols, counted by their hash
//         table; 4. relocations.

#include "runtime/inspect/dynamic_section.h"

namespace nacre::inspect {
namespace {

enum Tag : uint64_t {
  kEnd = 0,
  kNeeded = 1,
  kJumpBytes = 2,
  kJumpSlots = 3,
  kHash = 4,
  kStrings = 5,
  kSymbols = 6,
  kRelocations = 7,
  kRelocationBytes = 8,
  kRelocationEntry = 9,
  kStringBytes = 10,
  kSymbolEntry = 11,
  kInit = 12,
  kFini = 13,
  kSoname = 14,
  kRpath = 15,
  kShortRelocations = 17,
  kJumpKind = 20,
  kTextRelocations = 22,
  kJumpRelocations = 23,
  kInitArray = 25,
  kFiniArray = 26,
  kInitArrayBytes = 27,
  kFiniArrayBytes = 28,
  kRunpath = 29,
  kRelativeBytes = 35,
  kRelatives = 36,
  kRelativeEntry = 37,
  kTagCount = 38,
  kGnuHash = 0x6ffffef5,
  kRelativeCount = 0x6ffffff9
};

struct Entry {
  uint64_t tag, value;
};

struct Symbol {
  uint32_t name;
  unsigned char kind, visibility;
  uint16_t section;
  uint64_t value, bytes;
};

struct Relocation {
  uint64_t place;
  uint32_t kind, symbol;
  int64_t addend;
};

constexpr uint64_t kMostEntries = 1024;
constexpr char kPrefix[] = "nacre_model_";
constexpr uint64_t kPrefixBytes = sizeof kPrefix - 1;

#if defined(__aarch64__)
constexpr uint32_t kRelative = 1027;
#else
constexpr uint32_t kRelative = 8;
#endif

/// Reads the rows of a table in blocks of some hundred rows.
template <typename Row> class Rows {
public:
  Rows(const ElfFile &file, uint64_t address) : file(file), address(address) {}

  const Row *at(uint64_t index) {
    if (index < first || index - first >= count) {
      for (count = kMost, first = index; count != 0; count /= 2)
        if (file.read_loaded(address + first * sizeof(Row), rows, count * sizeof(Row)))
          break;
    }
    return count != 0 ? &rows[index - first] : nullptr;
  }

private:
  static constexpr uint64_t kMost = 128;

  const ElfFile &file;
  uint64_t address, first = 0, count = 0;
  Row rows[kMost];
};

class DynamicSection {
public:
  DynamicSection(const ElfFile &file, nacre_library_facts &facts, Reason &reason)
      : file(file), facts(facts), reason(reason) {}

  bool check() {
    return read_entries() && check_entries() && check_strings() && check_symbols() &&
           check_relocations(kRelocations, kRelocationBytes, relative_count) &&
           check_relocations(kJumpRelocations, kJumpBytes, 0);
  }

private:
  bool has(Tag tag) const { return present >> tag & 1; }

  // --- 1. Entries

  bool read_entries() {
    const Segment *dynamic = nullptr;
    for (const Segment &segment : file)
      if (segment.type == Segment::Dynamic) {
        if (dynamic)
          return refuse(reason, "it has two tables for the loader");
        dynamic = &segment;
      }
    if (!dynamic)
      return refuse(reason, "it has no table for the loader");
    Rows<Entry> entries(file, dynamic->address);
    for (uint64_t index = 0; index < kMostEntries; ++index) {
      const Entry *entry =
          fits(index * sizeof(Entry), sizeof(Entry), dynamic->memory_bytes) ? entries.at(index) : nullptr;
      if (!entry)
        break;
      if (entry->tag == kEnd)
        return true;
      if (!take(*entry))
        return false;
    }
    return refuse(reason, "the table for the loader has no end");
  }

  bool take(const Entry &entry) {
    if (entry.tag < kTagCount) {
      present |= uint64_t(1) << entry.tag;
      values[entry.tag] = entry.value;
    } else if (entry.tag == kGnuHash) {
      gnu_hash = entry.value;
    } else if (entry.tag == kRelativeCount) {
      relative_count = entry.value;
    }
    const bool is_name = entry.tag == kNeeded || entry.tag == kSoname || entry.tag == kRpath || entry.tag == kRunpath;
    if (is_name && entry.value > last_name)
      last_name = entry.value;
    return true;
  }

  // --- 2. Targets of the entries

  /// True if a table is absent, or is in a segment and has whole rows. If `kind` is given, the entry with this tag must
  /// exist and have the value `right_kind`.
  bool check_table(Tag table, Tag bytes, uint64_t row_bytes, Tag kind = kEnd, uint64_t right_kind = 0) {
    if (!has(table) && !has(bytes))
      return true;
    const bool is_good = has(table) && has(bytes) && file.find_load(values[table], values[bytes], /*from_file=*/true) &&
                         values[bytes] % row_bytes == 0 && (kind == kEnd || (has(kind) && values[kind] == right_kind));
    return is_good || refuse(reason, "a table of the loader is not within a loaded segment");
  }

  bool check_function(Tag function) {
    const Segment *load = has(function) ? file.find_load(values[function], 1, /*from_file=*/true) : nullptr;
    return !has(function) || (load && load->flags & Segment::Executable) ||
           refuse(reason, "its first or last function is not in its code");
  }

  bool check_entries() {
    constexpr uint64_t kRela = 7; // DT_RELA: the kind of relocations that the entry for jumps (DT_PLTREL) must name.
    if (!has(kStrings) || !has(kSymbols) || !has(kSymbolEntry) || values[kSymbolEntry] != sizeof(Symbol) ||
        has(kShortRelocations) || has(kJumpKind) != has(kJumpRelocations))
      return refuse(reason, "the table for the loader lacks an entry");
    constexpr uint64_t kWord = sizeof(uint64_t), kRow = sizeof(Relocation);
    return check_table(kStrings, kStringBytes, 1) &&
           check_table(kRelocations, kRelocationBytes, kRow, kRelocationEntry, kRow) &&
           check_table(kJumpRelocations, kJumpBytes, kRow, kJumpKind, kRela) &&
           check_table(kRelatives, kRelativeBytes, kWord, kRelativeEntry, kWord) &&
           check_table(kInitArray, kInitArrayBytes, kWord) && check_table(kFiniArray, kFiniArrayBytes, kWord) &&
           check_function(kInit) && check_function(kFini) &&
           (!has(kJumpSlots) || file.find_load(values[kJumpSlots], sizeof(uint64_t[3]), /*from_file=*/false) ||
            refuse(reason, "its table of jumps is not within a loaded segment"));
  }

  bool check_strings() {
    char last = 1;
    const uint64_t bytes = values[kStringBytes];
    if (bytes == 0 || last_name >= bytes || !file.read_loaded(values[kStrings] + bytes - 1, &last, 1) || last != 0)
      return refuse(reason, "its names do not end");
    return true;
  }

  // --- 3. Symbols

  /// Sets `count` to the number of symbols, found by the chains of the hash table. Returns false if a chain does not
  /// end within the file.
  bool count_by_gnu_hash(uint64_t &count) {
    struct Head {
      uint32_t buckets, first, filter_words, shift;
    } head;
    if (!file.read_loaded(gnu_hash, &head, sizeof head) || head.buckets == 0 || head.filter_words == 0 ||
        (head.filter_words & (head.filter_words - 1)) != 0)
      return false;
    const uint64_t buckets_at = gnu_hash + sizeof head + uint64_t(head.filter_words) * sizeof(uint64_t);
    const uint64_t chains_at = buckets_at + uint64_t(head.buckets) * sizeof(uint32_t);
    Rows<uint32_t> buckets(file, buckets_at), chains(file, chains_at);
    uint64_t last = 0;
    for (uint64_t index = 0; index < head.buckets; ++index) {
      const uint32_t *bucket = buckets.at(index);
      if (!bucket || (*bucket != 0 && *bucket < head.first))
        return false;
      last = *bucket > last ? *bucket : last;
    }
    if (last == 0) // The library exports no symbol.
      return true;
    for (;; ++last) {
      const uint32_t *chain = chains.at(last - head.first);
      if (!chain)
        return false;
      if (*chain & 1)
        break;
    }
    count = last + 1;
    return true;
  }

  bool count_by_hash(uint64_t &count) {
    uint32_t head[2]; // Number of buckets, number of symbols.
    if (!file.read_loaded(values[kHash], head, sizeof head) || head[0] == 0)
      return false;
    count = head[1];
    return file.find_load(values[kHash], (2 + uint64_t(head[0]) + head[1]) * sizeof(uint32_t), /*from_file=*/true);
  }

  bool check_symbols() {
    uint64_t count = 0;
    if (gnu_hash != 0 ? !count_by_gnu_hash(count) : has(kHash) && !count_by_hash(count))
      return refuse(reason, "its hash table of symbols does not end");
    Rows<Symbol> symbols(file, values[kSymbols]);
    for (uint64_t index = 0; index < count; ++index) {
      const Symbol *symbol = symbols.at(index);
      if (!symbol || symbol->name >= values[kStringBytes])
        return refuse(reason, "its table of symbols is not within a loaded segment");
      if (symbol->section != 0 && facts.symbol[0] == 0 && !take_symbol(*symbol))
        return false;
    }
    return true;
  }

  bool take_symbol(const Symbol &symbol) {
    constexpr uint64_t kHeadBytes = 16; // Size of nacre_model.
    const uint64_t left = values[kStringBytes] - symbol.name;
    const uint64_t bytes = left < sizeof facts.symbol ? left : sizeof facts.symbol;
    char name[sizeof facts.symbol];
    if (bytes <= kPrefixBytes || !file.read_loaded(values[kStrings] + symbol.name, name, bytes) ||
        !runtime::equal_bytes(name, kPrefix, kPrefixBytes))
      return true;
    // The model may be in memory that the file has no bytes for, because some programs create their model when they
    // start.
    if (!file.find_load(symbol.value, kHeadBytes, /*from_file=*/false))
      return refuse(reason, "its model is not within a loaded segment");
    name[bytes - 1] = 0;
    runtime::copy_text(facts.symbol, sizeof facts.symbol, name);
    return true;
  }

  // --- 4. Relocations

  /// Checks the relocations of a table. The loader treats the first `relatives` of them as relative relocations,
  /// regardless of their kind.
  bool check_relocations(Tag table, Tag bytes, uint64_t relatives) {
    const uint64_t count = has(table) ? values[bytes] / sizeof(Relocation) : 0;
    if (relatives > count)
      return refuse(reason, "it has fewer relocations than it says");
    Rows<Relocation> relocations(file, values[table]);
    for (uint64_t index = 0; index < count; ++index) {
      const Relocation *relocation = relocations.at(index);
      if (!relocation || (index < relatives && relocation->kind != kRelative) || !fits_place(*relocation))
        return refuse(reason, "a relocation is not within a writable segment");
      if (!file.find_load(values[kSymbols] + relocation->symbol * sizeof(Symbol), sizeof(Symbol), /*from_file=*/true))
        return refuse(reason, "a relocation names a symbol that does not exist");
    }
    return true;
  }

  bool fits_place(const Relocation &relocation) const {
    const Segment *load = file.find_load(relocation.place, sizeof(uint64_t), /*from_file=*/false);
    return relocation.kind == 0 || (load && (load->flags & Segment::Writable || has(kTextRelocations)));
  }

  const ElfFile &file;
  nacre_library_facts &facts;
  Reason &reason;
  uint64_t present = 0, values[kTagCount] = {}, gnu_hash = 0, relative_count = 0, last_name = 0;
};

} // namespace

bool check_dynamic_section(const ElfFile &file, nacre_library_facts &facts, Reason &reason) {
  return DynamicSection(file, facts, reason).check();
}

} // namespace nacre::inspect
