// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/package/ModelSource.h"
#include "tools/package/ModelMembers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace nacre::tools {
namespace {

/// Names of element types, in the order of nacre_element_type.
constexpr StringLiteral kTypes[] = {"",    "f32", "u8",     "i8",       "u16",        "i16",    "i32",
                                    "i64", "",    "bool",   "f16",      "f64",        "u32",    "u64",
                                    "",    "",    "bf16",   "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ",
                                    "u4",  "i4",  "f4E2M1", "f8E8M0",   "u2",         "i2"};

/// Returns text such as f32[1, 3, 224, 224].
std::string describe(const TensorOfFile &tensor) {
  std::string text = tensor.type < std::size(kTypes) ? kTypes[tensor.type].str() : "";
  text += "[";
  ListSeparator comma;
  for (int64_t size : tensor.shape)
    text += (StringRef(comma) + Twine(size)).str();
  return text + "]";
}

/// Escapes a text for HTML and for Java comments, in which a backslash can begin a Unicode escape.
std::string escape(StringRef text) {
  std::string result;
  for (char c : text)
    if (isAlnum(c) || StringRef(" _-.,:;[](){}#").contains(c))
      result += c;
    else if (isPrint(c))
      result += "&#" + std::to_string(int(c)) + ";";
    else
      result += '?';
  return result;
}

std::string literal(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string dotted(StringRef className) { return join(split(className, '/'), "."); }

} // namespace

std::string writeModelSource(StringRef className, StringRef library, const ModelFile &model, const EntryOfFile &entry) {
  const auto [folder, name] = className.rsplit('/');
  std::string text;
  raw_string_ostream os(text);
  os << "// Written by nacre-package: the members of the class in the library, for editors and debuggers.\n"
     << "package " << dotted(folder) << ";\n\n"
     << "/** The entry " << escape(entry.name) << " of the model " << escape(model.name)
     << ", and a session of it. */\n"
     << "public final class " << name << " extends dev.nacre.CompiledModel {\n";
  const std::vector<Member> members = membersOf(entry);
  for (const Member &member : members)
    if (!member.constant.empty())
      os << "  /** The name of {@link #" << member.method << "()}. */\n"
         << "  public static final String " << member.constant << " = " << literal(member.tensor->name) << ";\n";
  os << "\n  public " << name << "() {\n    this(new dev.nacre.SessionOptions());\n  }\n"
     << "\n  public " << name << "(dev.nacre.SessionOptions options) {\n    super(" << literal(library) << ", "
     << literal(model.name) << ", " << literal(entry.name) << ", options);\n  }\n"
     << "\n  /** Creates a session of an open model, which remains the caller's. */\n"
     << "  public " << name << "(dev.nacre.Model model, dev.nacre.SessionOptions options) {\n    super(model, "
     << literal(entry.name) << ", options);\n  }\n";
  for (const Member &member : members) {
    os << "\n  /** " << escape(member.tensor->name) << ": " << describe(*member.tensor) << " */\n"
       << "  @androidx.annotation.NonNull\n"
       << "  public java.nio." << member.buffer << "Buffer " << member.method << "() {\n"
       << "    return session()." << member.what << "(" << member.index << ")";
    if (member.buffer != "Byte")
      os << ".as" << member.buffer << "Buffer()";
    os << ";\n  }\n";
  }
  os << "}\n";
  return text;
}

std::string writeModelPage(ArrayRef<std::string> classNames, const ModelFile &model) {
  std::string text;
  raw_string_ostream os(text);
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>" << escape(model.name)
     << "</title></head>\n<body>\n<h1>The model " << escape(model.name) << "</h1>\n"
     << "<p>Compiled by Nacre. The classes open the library and run it; see dev.nacre.CompiledModel.</p>\n";
  for (const auto &[className, entry] : zip_equal(classNames, model.entries)) {
    os << "<h2>" << dotted(className) << "</h2>\n<p>The entry " << escape(entry.name)
       << ".</p>\n<table>\n<tr><th>method</th><th>returns</th><th>tensor</th><th>type and shape</th></tr>\n";
    for (const Member &member : membersOf(entry))
      os << "<tr><td>" << member.method << "()</td><td>" << member.buffer << "Buffer</td><td>"
         << escape(member.tensor->name) << "</td><td>" << describe(*member.tensor) << "</td></tr>\n";
    os << "</table>\n";
  }
  os << "</body>\n</html>\n";
  return text;
}

} // namespace nacre::tools
