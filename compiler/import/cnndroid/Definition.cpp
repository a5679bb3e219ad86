// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of a CNNdroid network, after checks. The parts of this file are tokens (words, signs and quoted texts), keys of
// the network, and layers.

#include "compiler/import/cnndroid/Definition.h"

#include "compiler/import/cnndroid/Handlers.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace nacre::importer::cnndroid_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Tokens
//===----------------------------------------------------------------------===//

struct Token {
  enum class Kind { End, Word, Quoted, Sign };
  Kind kind = Kind::End;
  StringRef text; ///< without quotes
  unsigned line = 0;

  bool isSign(char sign) const { return kind == Kind::Sign && text.front() == sign; }
  std::string describe() const {
    return kind == Kind::End ? "the end of the file" : ("'" + text.take_front(40) + "'").str();
  }
};

class Lexer {
public:
  explicit Lexer(StringRef text) : rest(text) {}

  /// Returns the next token. If a quoted text does not end, returns the sign `"`.
  Token next() {
    while (!rest.empty() && llvm::isSpace(rest.front())) {
      line += rest.front() == '\n';
      rest = rest.drop_front();
    }
    if (rest.empty())
      return {Token::Kind::End, {}, line};
    constexpr StringRef signs = ":{}\"";
    if (rest.front() == '"') {
      // A quoted text must end on its line. So a missing quote is an error on this line, and not at the next quoted
      // text.
      size_t end = rest.find_first_of("\"\r\n", 1);
      if (end != StringRef::npos && rest[end] == '"')
        return take(Token::Kind::Quoted, end + 1);
    }
    if (signs.contains(rest.front()))
      return take(Token::Kind::Sign, 1);
    return take(Token::Kind::Word,
                std::min(rest.find_if([&](char c) { return llvm::isSpace(c) || signs.contains(c); }), rest.size()));
  }

private:
  Token take(Token::Kind kind, size_t size) {
    StringRef text = rest.take_front(size);
    rest = rest.drop_front(size);
    return {kind, kind == Token::Kind::Quoted ? text.drop_front().drop_back() : text, line};
  }

  StringRef rest;
  unsigned line = 1;
};

//===----------------------------------------------------------------------===//
// 2. The network
//===----------------------------------------------------------------------===//

constexpr llvm::StringLiteral rootKey = "root_directory", ramKey = "allocated_ram", modeKey = "execution_mode",
                              tuningKey = "auto_tuning", layerKey = "layer", fileKey = "parameters_file";
constexpr llvm::StringLiteral networkKeys[] = {rootKey, ramKey, modeKey, tuningKey};

class DefinitionReader {
public:
  DefinitionReader(StringRef text, Location loc) : lexer(text), loc(loc) {}

  FailureOr<Definition> read();

private:
  InFlightDiagnostic error(const Token &token) const {
    InFlightDiagnostic result = emitError(loc);
    result << "line " << token.line << ": ";
    return result;
  }

  /// Reads `: value`, which follows `key`.
  FailureOr<Token> readValue(const Token &key);
  LogicalResult readNetworkEntry(const Token &key);
  LogicalResult readLayer(const Token &head);
  LogicalResult addLayer(Layer layer, const Token &head);

  Lexer lexer;
  Location loc;
  Definition definition;
  SmallVector<StringRef> seen; ///< keys of the network that have been read
};

FailureOr<Token> DefinitionReader::readValue(const Token &key) {
  if (key.kind != Token::Kind::Word)
    return error(key) << "must be a key, but is " << key.describe();
  Token colon = lexer.next();
  if (!colon.isSign(':'))
    return error(colon) << "'" << key.text << "' must be followed by ':' and a value, but is followed by "
                        << colon.describe();
  Token value = lexer.next();
  if (value.isSign('"'))
    return error(value) << "the value of '" << key.text << "' must end with a quote in its line";
  if (value.kind != Token::Kind::Word && value.kind != Token::Kind::Quoted)
    return error(value) << "'" << key.text << "' must have a value, but is followed by " << value.describe();
  return value;
}

LogicalResult DefinitionReader::readNetworkEntry(const Token &key) {
  FailureOr<Token> value = readValue(key);
  if (failed(value))
    return failure();
  const auto *known = llvm::find_if(networkKeys, [&](StringRef name) { return key.text.equals_insensitive(name); });
  if (known == std::end(networkKeys))
    return error(key) << "must be 'layer' or a key of the network (" << llvm::join(ArrayRef(networkKeys), ", ")
                      << "), but is " << key.describe();
  if (llvm::is_contained(seen, *known))
    return error(key) << "'" << *known << "' must be given once";
  seen.push_back(*known);
  auto isOneOf = [&](StringRef one, StringRef other) {
    return value->text.equals_insensitive(one) || value->text.equals_insensitive(other);
  };
  if (*known == modeKey && !isOneOf("parallel", "sequential"))
    return error(*value) << "'" << modeKey << "' must be \"parallel\" or \"sequential\", but is " << value->describe();
  if (*known == tuningKey && !isOneOf("on", "off"))
    return error(*value) << "'" << tuningKey << "' must be \"on\" or \"off\", but is " << value->describe();
  if (*known != ramKey)
    return success();
  constexpr int64_t mostRam = int64_t(1) << 40;
  int64_t mebibytes = 0;
  if (value->text.getAsInteger(10, mebibytes) || mebibytes < 0 || mebibytes > mostRam)
    return error(*value) << "'" << ramKey << "' must be a number of megabytes, but is " << value->describe();
  definition.allocatedRam = mebibytes;
  return success();
}

//===----------------------------------------------------------------------===//
// 3. Layers
//===----------------------------------------------------------------------===//

LogicalResult DefinitionReader::readLayer(const Token &head) {
  if (Token brace = lexer.next(); !brace.isSign('{'))
    return error(brace) << "'layer' must be followed by '{', but is followed by " << brace.describe();
  Layer layer;
  std::optional<StringRef> name, type, file;
  while (true) {
    Token key = lexer.next();
    if (key.isSign('}'))
      break;
    if (key.kind == Token::Kind::End)
      return error(head) << "the layer that begins here must end with '}'";
    FailureOr<Token> value = readValue(key);
    if (failed(value))
      return failure();
    std::optional<StringRef> *own = key.text.equals_insensitive("name")    ? &name
                                    : key.text.equals_insensitive("type")  ? &type
                                    : key.text.equals_insensitive(fileKey) ? &file
                                                                           : nullptr;
    auto isSame = [&](const Entry &entry) { return entry.key.equals_insensitive(key.text); };
    if (own ? own->has_value() : llvm::any_of(layer.entries, isSame))
      return error(key) << "'" << key.text << "' must be given once in a layer";
    if (own)
      *own = value->text;
    else
      layer.entries.push_back({key.text, value->text});
  }
  layer.name = name.value_or("").str();
  layer.type = type.value_or("");
  layer.parametersFile = file.value_or("");
  return addLayer(std::move(layer), head);
}

LogicalResult DefinitionReader::addLayer(Layer layer, const Token &head) {
  if (layer.type.empty())
    return error(head) << "the layer that begins here must have a 'type', but has none";
  layer.type = findOperator(layer.type);
  if (layer.name.empty())
    layer.name = (layer.type + llvm::Twine(definition.layers.size() + 1)).str();
  definition.layers.push_back(std::move(layer));
  return success();
}

FailureOr<Definition> DefinitionReader::read() {
  for (Token token = lexer.next(); token.kind != Token::Kind::End; token = lexer.next())
    if (token.kind == Token::Kind::Word && token.text.equals_insensitive(layerKey) ? failed(readLayer(token))
                                                                                   : failed(readNetworkEntry(token)))
      return failure();
  if (definition.layers.empty())
    return emitError(loc) << "must have a layer, but has none";
  return std::move(definition);
}

} // namespace

bool isDefinition(StringRef text) {
  StringRef first = Lexer(text).next().text;
  auto isFirst = [&](StringRef key) { return first.equals_insensitive(key); };
  return llvm::any_of(networkKeys, isFirst) || (isFirst(layerKey) && text.contains_insensitive(fileKey));
}

FailureOr<Definition> readDefinition(StringRef text, Location loc) { return DefinitionReader(text, loc).read(); }

} // namespace nacre::importer::cnndroid_format
