// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs of TensorFlow as text, a node a line, and raised graphs as text.

#include "test/unit/compiler/control/ControlText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

namespace nacre::importer::tensorflow_format {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

struct Parser {
  ControlText result;
  llvm::StringMap<unsigned> numbers;

  Port getPort(llvm::StringRef word) {
    auto [name, index] = word.split(':');
    auto place = numbers.find(name);
    if (place == numbers.end())
      llvm::report_fatal_error("no node '" + name + "'");
    unsigned number = 0;
    index.getAsInteger(10, number);
    return {place->second, number};
  }

  void readNode(unsigned number, llvm::ArrayRef<llvm::StringRef> words) {
    ControlNode &node = result.nodes[number];
    node.op = words.front();
    for (llvm::StringRef word : words.drop_front())
      if (word.consume_front("^"))
        node.controls.push_back(getPort(word).node);
      else if (word.consume_front("frame="))
        node.frame = word;
      else if (word.consume_front("value="))
        result.known[number] = word == "true";
      else
        node.operands.push_back(getPort(word));
  }
};

} // namespace

ControlText parseControl(llvm::StringRef text) {
  Parser parser;
  parser.result.text.push_back(text.str());
  llvm::SmallVector<llvm::SmallVector<llvm::StringRef>> lines;
  for (llvm::StringRef line : llvm::split(parser.result.text.back(), '\n')) {
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(line, words);
    if (words.empty())
      continue;
    lines.push_back(words);
    if (words.front() != "return")
      parser.numbers[words.front()] = unsigned(parser.result.nodes.size());
    if (words.front() != "return")
      parser.result.nodes.push_back({words.front(), {}, {}, {}});
  }
  parser.result.known.resize(parser.result.nodes.size());
  unsigned number = 0;
  for (llvm::ArrayRef<llvm::StringRef> words : lines)
    if (words.front() != "return")
      parser.readNode(number++, words.drop_front(2));
    else
      for (llvm::StringRef word : words.drop_front())
        parser.result.outputs.push_back(parser.getPort(word));
  return std::move(parser.result);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

struct Printer {
  const ControlText &given;
  const RaisedGraph &graph;
  std::string text;
  llvm::raw_string_ostream os{text};

  std::string name(Port port) const {
    if (port.isNumber())
      return std::to_string(port.result);
    std::string node = given.nodes[port.node].name.str();
    return port.result ? node + ":" + std::to_string(port.result) : node;
  }
  std::string names(llvm::ArrayRef<Port> ports) const {
    return llvm::join(llvm::map_range(ports, [&](Port port) { return name(port); }), " ");
  }

  void print(const RaisedPart &part, unsigned indent) {
    for (RaisedItem item : part.items) {
      os.indent(indent);
      if (item.kind == RaisedItem::Kind::Node)
        printNode(item.index);
      else if (item.kind == RaisedItem::Kind::Conditional)
        printConditional(graph.conditionals[item.index], indent);
      else
        printLoop(graph.loops[item.index], indent);
    }
    os.indent(indent) << "return " << names(part.results) << "\n";
  }

  void printNode(unsigned node) {
    os << given.nodes[node].name << " = " << given.nodes[node].op << "(" << names(graph.operands[node]) << ")\n";
  }

  void printConditional(const RaisedConditional &conditional, unsigned indent) {
    os << names(conditional.values) << " = if " << name(conditional.predicate) << " reads ("
       << names(conditional.captures) << ")\n";
    print(conditional.parts[1], indent + 2);
    os.indent(indent) << "else\n";
    print(conditional.parts[0], indent + 2);
  }

  void printLoop(const RaisedLoop &loop, unsigned indent) {
    const char *comparisons[] = {"<", "<=", ">", ">="};
    os << "loop " << loop.frame;
    for (const CarriedValue &carried : loop.carried)
      os << " " << name(carried.value) << "=" << name(carried.init);
    os << " reads (" << names(loop.captures) << ")";
    for (const LoopCount &count : loop.counts)
      os << (&count == &loop.counts.front() ? " counts " : ", ") << name(loop.carried[count.carried].value)
         << comparisons[unsigned(count.comparison)] << name(count.limit) << (count.isSubtracted ? " by -" : " by ")
         << name(count.step);
    os << (loop.isCounted ? " alone\n" : "\n");
    print(loop.condition, indent + 2);
    os.indent(indent) << "do\n";
    print(loop.body, indent + 2);
  }
};

} // namespace

std::string printRaised(const ControlText &given, const RaisedGraph &graph) {
  Printer printer{given, graph, {}};
  printer.print(graph.main, 0);
  return printer.text;
}

std::string raiseText(const ControlText &given) {
  auto raised = raiseControl(given.nodes, given.outputs, [&](Port port) { return given.known[port.node]; });
  if (auto *problem = std::get_if<ControlProblem>(&raised))
    return "'" + given.nodes[problem->node].name.str() + "' " + problem->message;
  return printRaised(given, std::get<RaisedGraph>(raised));
}

} // namespace nacre::importer::tensorflow_format
