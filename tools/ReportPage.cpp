// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. Match each profile with the report launch by launch, to check that they belong to the same library.
//       2. Store rows with equal keys as columns, because otherwise keys would be most of the data.
//       3. Assemble the page. Each `<` of the data is escaped, because names in a model may contain any text.
//       4. Pages of training logs.

#include "tools/ReportPage.h"
#include "dialects/NestedJson.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
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

constexpr StringLiteral kProfileAdvice = "; profile the library that was compiled with this report";

static StringRef textOf(const json::Object &object, StringRef key) { return object.getString(key).value_or(""); }

static Error checkReport(const JsonFile &report) {
  const json::Object *top = report.value.getAsObject();
  for (StringRef key : {"entries", "launches"})
    if (!top || !top->getArray(key))
      return createStringError(report.path + ": must be a report of nacre-compile --report=<file>.json, but has no '" +
                               key + "'");
  if (top->getArray("entries")->empty())
    return createStringError(report.path + ": has no entry, because the compilation ended early");
  if (!top->getArray("nodes"))
    return createStringError(report.path + ": is a report of another version; compile the model again");
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

/// Fails unless the profile certainly belongs to the report's target and library. A report has no build ID if the
/// compiler did not link the library.
static Error checkLibrary(const JsonFile &profile, const JsonFile &report) {
  const json::Object &measured = *profile.value.getAsObject(), &compiled = *report.value.getAsObject();
  const struct {
    StringRef key, meaning;
  } facts[] = {{"target", "target"}, {"build_id", "build ID"}};
  for (const auto &fact : facts) {
    const std::optional<StringRef> ours = measured.getString(fact.key), theirs = compiled.getString(fact.key);
    if (theirs && !ours)
      return createStringError(formatv("{0}: has no {1}, so it may belong to another library than {2}{3}", profile.path,
                                       fact.meaning, report.path, kProfileAdvice));
    if (ours && theirs && *ours != *theirs)
      return createStringError(formatv("{0}: belongs to another library: its {1} is {2}, but {3} in {4}{5}",
                                       profile.path, fact.meaning, *ours, *theirs, report.path, kProfileAdvice));
  }
  return Error::success();
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
  if (!measured || measured->size() != launches.size())
    return createStringError(formatv("{0}: must have {1} launches like {2}, but has {3}{4}", profile.path,
                                     launches.size(), report.path, measured ? measured->size() : 0, kProfileAdvice));
  for (size_t number = 0; number < launches.size(); ++number) {
    const json::Object *row = (*measured)[number].getAsObject();
    if (!row || !row->getInteger("least_ns"))
      return createStringError(formatv("{0}: launch {1} has no time 'least_ns'", profile.path, number + 1));
    if (describe(*row) != describe(*launches[number]))
      return createStringError(formatv("{0}: launch {1} is {2}, but {3} in {4}{5}", profile.path, number + 1,
                                       describe(*row), describe(*launches[number]), report.path, kProfileAdvice));
  }
  return checkLibrary(profile, report);
}

//===----------------------------------------------------------------------===//
// 2. Columns
//===----------------------------------------------------------------------===//

static void writePacked(raw_ostream &os, const json::Value &value);

/// Returns the sorted keys of rows. Returns an empty list if not all rows are objects, or if there are too few rows to
/// save space.
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
  StringRef slot; ///< Slot such as `@SCRIPT@`; `=report` for the shell with the slots of a report's page.
  StringRef bytes;
};
} // namespace

static ArrayRef<PagePart> pageParts() {
  static const PagePart parts[] = {
#include "tools/report/PageParts.inc"
  };
  return parts;
}

/// Escapes each `<`, because browsers end a script at `</script` and begin a comment at `<!--`.
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

/// Returns a page: the shell with the name `shell`, whose slots are replaced by its parts and by `data`.
static std::string assemble(StringRef shell, const json::Value &data) {
  std::string packed;
  raw_string_ostream packedStream(packed);
  writePacked(packedStream, data);
  const std::string slot = ("=" + shell).str();
  const PagePart *part = find_if(pageParts(), [&](const PagePart &each) { return each.slot == slot; });
  std::string page;
  raw_string_ostream os(page);
  StringRef rest = part->bytes;
  // A slot is a name in capitals between two @. It is a separate line or follows a tag.
  while (true) {
    const size_t begin = rest.find('@');
    const size_t end = begin == StringRef::npos ? begin : rest.find('@', begin + 1);
    if (end == StringRef::npos)
      break;
    os << rest.substr(0, begin);
    writeSlot(os, rest.slice(begin, end + 1), packed);
    rest = rest.drop_front(end + 1);
  }
  os << rest;
  return page;
}

/// Returns a report without the parts that the page derives from other parts.
static json::Object shownReport(const JsonFile &report) {
  json::Object shown = *report.value.getAsObject();
  for (json::Value &row : *shown.getArray("launches"))
    row.getAsObject()->erase("nodes"); // the page derives "nodes" from node_list
  return shown;
}

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
  return assemble("report", json::Object{{"report", shownReport(report)}, {"profiles", std::move(measured)}});
}

Expected<std::string> makeComparisonPage(const JsonFile &first, const JsonFile &second, ArrayRef<JsonFile> profiles) {
  const JsonFile *reports[] = {&first, &second};
  json::Array measured[2];
  StringSet<> profiled[2];
  for (const JsonFile *report : reports)
    if (Error error = checkReport(*report))
      return error;
  for (const JsonFile &profile : profiles) {
    // Reports of one model may have equal launches. Then the first profile of an entry belongs to the first report.
    std::string problem;
    bool isTaken = false;
    for (int side = 0; side < 2 && !isTaken; ++side) {
      if (Error error = checkProfile(profile, *reports[side])) {
        problem = toString(std::move(error));
        continue;
      }
      const StringRef entry = textOf(*profile.value.getAsObject(), "entry");
      isTaken = profiled[side].insert(entry).second;
      if (isTaken)
        measured[side].push_back(profile.value);
      else
        problem = formatv("{0}: belongs to entry '{1}' of {2}, which already has a profile; pass one of them",
                          profile.path, entry, reports[side]->path);
    }
    if (!isTaken)
      return createStringError(problem);
  }
  json::Array sides;
  for (int side = 0; side < 2; ++side) {
    json::Object shown = shownReport(*reports[side]);
    shown["file"] = sys::path::filename(reports[side]->path);
    sides.push_back(json::Object{{"report", std::move(shown)}, {"profiles", std::move(measured[side])}});
  }
  return assemble("comparison", json::Object{{"sides", std::move(sides)}});
}

//===----------------------------------------------------------------------===//
// 4. Training logs
//===----------------------------------------------------------------------===//

bool isTrainingLog(StringRef text) {
  Expected<json::Value> first = parseJson(text.split('\n').first);
  if (!first) {
    consumeError(first.takeError());
    return false;
  }
  return first->getAsObject() && first->getAsObject()->getInteger("epoch");
}

Expected<std::string> makeTrainingPage(ArrayRef<std::pair<std::string, StringRef>> logs) {
  json::Array rows;
  for (const auto &[path, text] : logs) {
    json::Array lines;
    SmallVector<StringRef> written;
    text.split(written, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (size_t number = 0; number < written.size(); ++number) {
      Expected<json::Value> line = parseJson(written[number]);
      std::string problem = line ? "" : toString(line.takeError());
      if (problem.empty() && !(line->getAsObject() && line->getAsObject()->getInteger("epoch")))
        problem = "it has no 'epoch'";
      if (!problem.empty())
        return createStringError(formatv("{0}:{1}: must be a line of nacre-run --train --log=<file>, but is not: {2}",
                                         path, number + 1, problem));
      lines.push_back(std::move(*line));
    }
    rows.push_back(json::Object{{"file", sys::path::filename(path)}, {"lines", std::move(lines)}});
  }
  return assemble("training", json::Object{{"logs", std::move(rows)}});
}

} // namespace nacre::tools
