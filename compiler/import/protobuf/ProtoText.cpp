// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts protobuf messages in text form.

#include "compiler/import/protobuf/ProtoText.h"
#include "compiler/import/protobuf/WireScan.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

using namespace mlir;
using google::protobuf::TextFormat;

namespace nacre::importer {
namespace {

/// Upper bound of the memory for a value in bytes, with the heap's overhead and arrays that double as they grow.
constexpr uint64_t valueCost = 16;
/// Largest depth of nested messages.
constexpr int maxDepth = 100;

/// Collects the first error, and the first unknown field that the reader must know.
class Findings : public google::protobuf::io::ErrorCollector {
public:
  explicit Findings(const ProtoTextRules &rules) : rules(rules) {}

  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string &message) override {
    if (text.empty())
      text = "line " + std::to_string(line + 1) + ", column " + std::to_string(column + 1) + ": " + message;
  }
  /// Parses warnings of the form: Message type "a.B" has no field named "c".
  void AddWarning(int line, google::protobuf::io::ColumnNumber, const std::string &message) override {
    if (!unknown.empty() || !rules.mustKnowFields)
      return;
    SmallVector<StringRef, 5> parts;
    StringRef(message).split(parts, '"');
    StringRef name = parts.size() == 5 && parts[2].contains("no field") ? parts[1].rsplit('.').second : "";
    if (!name.empty() && rules.mustKnowFields(name))
      unknown = ("line " + Twine(line + 1) + ": " + name + " has no known field '" + parts[3] + "'").str();
  }

  std::string text, unknown;

private:
  const ProtoTextRules &rules;
};

StringRef dropComments(StringRef text) {
  for (text = text.ltrim(); text.consume_front("#"); text = text.ltrim())
    text = text.drop_until([](char c) { return c == '\n'; });
  return text;
}

} // namespace

uint64_t measureProtoText(StringRef text, const ProtoTextRules &rules) {
  uint64_t bytes = 0;
  for (char c : text)
    bytes += 1 + (c == '{' || c == '<' ? rules.messageCost : c == ':' || c == ',' || c == '[' ? valueCost : 0);
  return bytes;
}

FailureOr<FileBytes> encodeProtoText(StringRef text, google::protobuf::Message &message, StringRef what, Location loc,
                                     const ProtoTextRules &rules) {
  uint64_t budget = getStructureBudget(text.size());
  uint64_t needed = measureProtoText(text, rules);
  if (needed > budget || text.size() > INT32_MAX)
    return emitError(loc) << "must need at most " << budget << " bytes of memory to read, but may need " << needed
                          << "; write " << what << " as bytes";
  Findings findings(rules);
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&findings);
  parser.AllowUnknownField(true);
  parser.AllowUnknownExtension(true);
  parser.AllowPartialMessage(true);
  parser.SetRecursionLimit(maxDepth);
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&stream, &message))
    return emitError(loc) << "is not " << what << ": " << findings.text;
  if (!findings.unknown.empty())
    return emitError(loc) << findings.unknown << "; write " << what << " without it";
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(message.ByteSizeLong());
  if (!buffer || !message.SerializePartialToArray(buffer->getBufferStart(), static_cast<int>(buffer->getBufferSize())))
    return emitError(loc) << "is too large for text form; save " << what << " as bytes";
  message.Clear();
  return FileBytes(std::move(buffer));
}

StringRef getFirstField(StringRef text) {
  return dropComments(text).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

} // namespace nacre::importer
