// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. Match each profile with the report launch by launch, to check that they belong to the same library.
//       2. Store rows with equal keys as columns: otherwise keys would take most of the bytes.
//       3. Assemble the page. Every `<` of the data is escaped, whatever a model calls its nodes.

#include "tools/ReportPage.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

extern "C" {
#define DECLARATIONS
#include "tools/report/PageParts.inc"
}

using namespace llvm;

namespace nacre::tools {

//===----------------------------------------------------------------------===//
// 1. Files
//===----------------------------------------------------------------------===//

static StringRef textOf(const json::Object &object, StringRef key) { return object.getString(key).value_or(""); }

static Error checkReport(const JsonFile &report) {
  const json::Object *top = report.value.getAsObject();
  for (StringRef key : {"entries", "launches"})
    if (!top || !top->getArray(key))
      return createStringError(report.path + ": must be a report of nacre-compile --report=<file>.json, but has no '" +
                               key + "'");
  if (top->getArray("entries")->empty())
    return createStringError(report.path + ": has no entry, because the compilation ended early");
  for (StringRef key : {"entries", "launches"})
    for (const json::Value &row : *top->getArray(key))
      if (!row.getAsObject() || (key == "launches" && !row.getAsObject()->getArray("reads")))
        return createStringError(report.path + ": is a report of another version; compile the model again");
  return Error::success();
}

/// Returns the launches of one entry, in order.
static std::vector<const json::Object *> launchesOf(const json::Object &report, StringRef entry) {
  std::vector<const json::Object *> rows;
  for (const json::Value &row : *report.getArray("launches"))
    if (textOf(*row.getAsObject(), "entry") == entry)
      rows.push_back(row.getAsObject());
  return rows;
}

static std::string describe(const json::Object &launch) {
  return formatv("'{0}' by {1}", textOf(launch, "nodes"), textOf(launch, "kernel"));
}

static Error checkProfile(const JsonFile &profile, const JsonFile &report) {
  const json::Object *top = profile.value.getAsObject();
  for (StringRef key : {"entry", "launches"})
    if (!top || !top->get(key))
      return createStringError(profile.path + ": must be a profile of nacre-run --profile=<file>, but has no '" + key +
                               "'");
  const StringRef entry = textOf(*top, "entry");
  SmallVector<StringRef> known;
  for (const json::Value &row : *report.value.getAsObject()->getArray("entries"))
    known.push_back(textOf(*row.getAsObject(), "name"));
  if (!is_contained(known, entry))
    return createStringError(profile.path + ": belongs to entry '" + entry + "', which " + report.path +
                             " lacks; it has: " + join(known, ", "));
  const std::vector<const json::Object *> launches = launchesOf(*report.value.getAsObject(), entry);
  const json::Array *measured = top->getArray("launches");
  const std::string advice = "; profile the library that was compiled with this report";
  if (!measured || measured->size() != launches.size())
    return createStringError(formatv("{0}: must have {1} launches like {2}, but has {3}{4}", profile.path,
                                     launches.size(), report.path, measured ? measured->size() : 0, advice));
  for (size_t number = 0; number < launches.size(); ++number) {
    const json::Object *row = (*measured)[number].getAsObject();
    if (!row || !row->getInteger("least_ns"))
      return createStringError(formatv("{0}: launch {1} has no time 'least_ns'", profile.path, number + 1));
    if (describe(*row) != describe(*launches[number]))
      return createStringError(formatv("{0}: launch {1} is {2}, but {3} in {4}{5}", profile.path, number + 1,
                                       describe(*row), describe(*launches[number]), report.path, advice));
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// 2. Columns
//===----------------------------------------------------------------------===//

static void writePacked(raw_ostream &os, const json::Value &value);

/// Returns the sorted keys of rows; empty if not all rows are objects, or if there are too few to save bytes.
static std::vector<StringRef> keysOfRows(const json::Array &rows) {
  std::vector<StringRef> keys;
  StringSet<> seen;
  for (const json::Value &row : rows) {
    const json::Object *object = row.getAsObject();
    if (!object)
      return {};
    for (const auto &[key, value] : *object)
      if (seen.insert(key).second)
        keys.push_back(key);
  }
  llvm::sort(keys); // objects are unordered
  return rows.size() > 1 ? keys : std::vector<StringRef>();
}

static void writeRows(raw_ostream &os, const json::Array &rows, ArrayRef<StringRef> keys) {
  ListSeparator comma(",");
  os << "{\"$keys\":[";
  for (StringRef key : keys)
    os << comma << json::Value(key);
  os << "],\"$rows\":[";
  ListSeparator rowComma(",");
  for (const json::Value &row : rows) {
    os << rowComma << "[";
    ListSeparator cellComma(",");
    for (StringRef key : keys) {
      os << cellComma;
      const json::Value *cell = row.getAsObject()->get(key);
      cell ? writePacked(os, *cell) : void(os << "null");
    }
    os << "]";
  }
  os << "]}";
}

static void writePacked(raw_ostream &os, const json::Value &value) {
  if (const json::Array *rows = value.getAsArray()) {
    if (std::vector<StringRef> keys = keysOfRows(*rows); !keys.empty())
      return writeRows(os, *rows, keys);
    os << "[";
    ListSeparator comma(",");
    for (const json::Value &row : *rows) {
      os << comma;
      writePacked(os, row);
    }
    os << "]";
  } else if (const json::Object *object = value.getAsObject()) {
    std::vector<StringRef> keys;
    for (const auto &member : *object)
      keys.push_back(member.first);
    llvm::sort(keys);
    os << "{";
    ListSeparator comma(",");
    for (StringRef key : keys) {
      os << comma << json::Value(key) << ":";
      writePacked(os, *object->get(key));
    }
    os << "}";
  } else {
    os << value;
  }
}

//===----------------------------------------------------------------------===//
// 3. The page
//===----------------------------------------------------------------------===//

namespace {
struct PagePart {
  StringRef slot; ///< A slot such as `@SCRIPT@`; empty for the page that has the slots.
  StringRef bytes;
};
} // namespace

static ArrayRef<PagePart> pageParts() {
  static const PagePart parts[] = {
#include "tools/report/PageParts.inc"
  };
  return parts;
}

/// Escapes `<`: browsers end a script at any `</script` and begin a comment at any `<!--`.
static std::string hideMarkup(StringRef json) {
  std::string hidden;
  for (char c : json)
    c == '<' ? hidden += "\\u003c" : hidden += c;
  return hidden;
}

static void writeSlot(raw_ostream &os, StringRef slot, StringRef data) {
  if (slot == "@DATA@")
    os << hideMarkup(data);
  for (const PagePart &part : pageParts())
    if (part.slot == slot)
      os << part.bytes;
}

bool isPagePath(StringRef path) { return path.ends_with_insensitive(".html") || path.ends_with_insensitive(".htm"); }

Expected<std::string> makeReportPage(const JsonFile &report, ArrayRef<JsonFile> profiles) {
  if (Error error = checkReport(report))
    return error;
  StringMap<StringRef> profiled;
  json::Array measured;
  for (const JsonFile &profile : profiles) {
    if (Error error = checkProfile(profile, report))
      return error;
    const StringRef entry = textOf(*profile.value.getAsObject(), "entry");
    const auto [known, isNew] = profiled.try_emplace(entry, profile.path);
    if (!isNew)
      return createStringError(profile.path + ": belongs to entry '" + entry + "', like " + known->second +
                               "; pass one of them");
    measured.push_back(profile.value);
  }
  std::string data;
  raw_string_ostream dataStream(data);
  json::Object shown = *report.value.getAsObject();
  for (json::Value &row : *shown.getArray("launches"))
    row.getAsObject()->erase("nodes"); // the page joins node_list
  writePacked(dataStream, json::Object{{"report", std::move(shown)}, {"profiles", std::move(measured)}});

  std::string page;
  raw_string_ostream os(page);
  StringRef rest = pageParts().front().bytes;
  for (StringRef slot : {"@STYLE@", "@DATA@", "@LICENCES@", "@LIBRARY@", "@SCRIPT@"}) {
    const auto [before, after] = rest.split(slot);
    os << before;
    writeSlot(os, slot, data);
    rest = after;
  }
  os << rest;
  return page;
}

} // namespace nacre::tools
