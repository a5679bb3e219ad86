// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  random nodes of every operator of nn mean the same wherever their meaning is written: the reference
//        interpreter, folding, kernels of the CPU, kernels of the GPU.
// Why:   each of them is written by itself, and nothing else compares all.
// How:   nodes are drawn, each from a seed of its own, and compiled fifty in a model. A node that differs is printed
//        with its seed;
//        --node=<seed> draws only this node again.
// usage: nacre-one-meaning [--seed=N] [--nodes=N] [--operator=nn.name] [--node=seed] [--without-gpu]

#include "test/meaning/Compare.h"

#include "compiler/driver/Pipeline.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <map>

using namespace llvm;
using namespace nacre;
using namespace nacre::meaning;

static cl::opt<uint64_t> seedOption("seed", cl::init(1));
static cl::opt<unsigned> nodesOption("nodes", cl::init(0), cl::desc("Default: 200, and 10000 if NACRE_FULL=1"));
static cl::opt<std::string> operatorOption("operator", cl::desc("Nodes of this operator only"));
static cl::opt<uint64_t> nodeOption("node", cl::desc("Only the node that this seed draws"));
static cl::opt<bool> withoutGpuOption("without-gpu");

namespace {

constexpr unsigned nodesPerModel = 50;

/// A copy, since linking resets LLVM's options to their defaults.
struct Options {
  uint64_t seed = seedOption;
  unsigned nodes = nodesOption;
  std::string onlyOperator = operatorOption;
  std::optional<uint64_t> onlyNode;
  bool withoutGpu = withoutGpuOption;

  Options() {
    if (nodeOption.getNumOccurrences())
      onlyNode = nodeOption;
  }
};

class Trial {
public:
  explicit Trial(const Options &options)
      : options(options), context(registry(), mlir::MLIRContext::Threading::DISABLED),
        handler(&context, [this](mlir::Diagnostic &message) { messages += message.str() + "\n"; }) {
    context.loadAllAvailableDialects();
    for (ArrayRef<Operator> some : {elementwiseOperators, movementOperators, indexedOperators, contractionOperators,
                                    reductionOperators, controlOperators})
      for (const Operator &each : some)
        if (options.onlyOperator.empty() || options.onlyOperator == each.name)
          shares.insert(shares.end(), each.share, &each);
    if (std::error_code error = sys::fs::createUniqueDirectory("nacre-meaning", folder))
      report_fatal_error(Twine("no temporary folder: ") + error.message());
  }
  ~Trial() { (void)sys::fs::remove_directories(folder); }
  Trial(const Trial &) = delete;
  Trial &operator=(const Trial &) = delete;

  /// Returns whether each operator can be drawn.
  bool drawsAll() {
    bool all = true;
    for (mlir::RegisteredOperationName name : context.getRegisteredOperationsByDialect("nn")) {
      const StringRef text = name.getStringRef();
      // Both end the regions of others.
      if (text != "nn.yield" && text != "nn.condition" &&
          none_of(shares, [&](const Operator *each) { return text == each->name; })) {
        errs() << "no node is drawn of " << text << "; add it to a Draw*.cpp\n";
        all = false;
      }
    }
    return all;
  }

  /// The node of a seed; none where nn refuses it.
  std::optional<Node> draw(uint64_t nodeSeed) {
    Draw draw(nodeSeed, &context);
    const Operator *chosen = shares[draw.below(shares.size())];
    chosen->draw(draw);
    messages.clear();
    if (parse(draw.node, &context)) {
      ++drawn[chosen->name];
      return std::move(draw.node);
    }
    ++refused;
    if (options.onlyNode)
      errs() << messages << draw.node.text << "\n";
    return std::nullopt;
  }

  void compareAll(ArrayRef<Node> nodes) {
    std::vector<const Node *> pointers;
    for (const Node &node : nodes)
      pointers.push_back(&node);
    std::vector<References> references;
    for (const Node &node : nodes) {
      references.emplace_back(node, &context);
      if (!references.back().areThere())
        report(node, "the interpreter", messages);
    }
    compareFolded(pointers, references);
    compareCompiled(pointers, references, Placement::Engines::Cpu, "the CPU");
    if (!options.withoutGpu)
      compareCompiled(pointers, references, Placement::Engines::Gpu, "the GPU");
  }

  std::map<std::string, unsigned> drawn;
  unsigned refused = 0, wrong = 0, folded = 0, compared = 0;
  bool lacksDevice = false;

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry result;
    registerDialects(result);
    return result;
  }

  void report(const Node &node, StringRef where, StringRef what) {
    ++wrong;
    std::string types;
    for (const auto &[i, operand] : enumerate(node.operands)) {
      raw_string_ostream(types) << " %" << i << ": " << operand.value.getType()
                                << (operand.isConstant ? " (constant)" : "");
    }
    errs() << where << " differs: --node=" << node.seed
           << (options.onlyOperator.empty() ? "" : " --operator=" + options.onlyOperator) << "\n  " << node.text
           << "\n  " << types << "\n  " << what << "\n";
  }

  void compareFolded(Nodes nodes, ArrayRef<References> references) {
    messages.clear();
    auto results = fold(nodes, &context);
    if (!results)
      return splitOrReport(nodes, references, "folding",
                           [&](Nodes half, ArrayRef<References> own) { compareFolded(half, own); });
    for (auto [node, own, reference] : zip_equal(nodes, *results, references))
      for (auto [i, result] : enumerate(own))
        if (result) {
          ++folded;
          if (const std::string what = reference.compare(unsigned(i), *result); !what.empty()) {
            report(*node, "folding", what);
            break;
          }
        }
  }

  void compareCompiled(Nodes nodes, ArrayRef<References> references, Placement::Engines engines, StringRef where) {
    messages.clear();
    std::vector<Tensors> results;
    const std::string path = (folder + "/libmeaning" + Twine(++libraries) + ".so").str();
    const Outcome outcome = compileAndRun(nodes, engines, path, &context, results);
    (void)sys::fs::remove(path);
    if (outcome == Outcome::NoDevice)
      lacksDevice = true;
    if (outcome == Outcome::Failed)
      return splitOrReport(nodes, references, where,
                           [&](Nodes half, ArrayRef<References> own) { compareCompiled(half, own, engines, where); });
    if (outcome != Outcome::Done)
      return;
    for (auto [node, own, reference] : zip_equal(nodes, results, references))
      for (auto [i, result] : enumerate(own)) {
        ++compared;
        if (const std::string what = reference.compare(unsigned(i), result); !what.empty()) {
          report(*node, where, what);
          break;
        }
      }
  }

  /// One node makes the whole model fail: which?
  void splitOrReport(Nodes nodes, ArrayRef<References> references, StringRef where,
                     function_ref<void(Nodes, ArrayRef<References>)> again) {
    if (nodes.size() == 1)
      return report(*nodes.front(), where, messages);
    const size_t half = nodes.size() / 2;
    again(nodes.take_front(half), references.take_front(half));
    again(nodes.drop_front(half), references.drop_front(half));
  }

  const Options &options;
  std::string messages;
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler;
  std::vector<const Operator *> shares;
  SmallString<64> folder;
  unsigned libraries = 0;
};

} // namespace

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv,
                              "Compares what random nodes mean to the interpreter, folding, CPU and GPU.\n");
  const Options options;
  const char *full = std::getenv("NACRE_FULL");
  const unsigned wanted = options.onlyNode                 ? 1
                          : options.nodes                  ? options.nodes
                          : full && StringRef(full) == "1" ? 10000
                                                           : 200;
  Trial trial(options);
  if (options.onlyOperator.empty() && !trial.drawsAll())
    return 1;
  std::vector<Node> nodes;
  unsigned taken = 0;
  for (uint64_t next = 0; taken < wanted && trial.refused < wanted; ++next) {
    std::optional<Node> node = trial.draw(options.onlyNode ? *options.onlyNode : options.seed * 1000003 + next);
    if (!node)
      continue;
    nodes.push_back(std::move(*node));
    if (++taken < wanted && nodes.size() < nodesPerModel)
      continue;
    trial.compareAll(nodes);
    nodes.clear();
  }
  outs() << taken << " nodes of " << trial.drawn.size() << " operators, " << trial.refused << " draws refused; "
         << trial.folded << " results folded, " << trial.compared << " computed by kernels, " << trial.wrong
         << " nodes differ\n";
  if (trial.lacksDevice)
    outs() << "no GPU was compared: there is no Vulkan device\n";
  return taken < wanted || trial.wrong > 0;
}
