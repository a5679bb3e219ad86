// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps: 1. the time of each launch in a run;
// 2. the rules: each rule returns the share of a launch's time that a problem costs, or 0;
// 3. the costs of each rule are added up. They become advice if they are large enough.

#include "compiler/report/Advice.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace nacre {

//===----------------------------------------------------------------------===//
// 1. Times
//===----------------------------------------------------------------------===//

namespace {

/// Smallest share of a run that a piece of advice must save.
constexpr double kLeastShare = 0.05;

double millisecondsOf(const LaunchReport &launch) {
  return launch.predictedMilliseconds ? launch.placedMilliseconds : launch.estimatedMilliseconds;
}

//===----------------------------------------------------------------------===//
// 2. Rules
//===----------------------------------------------------------------------===//

/// Problem of a launch: `part` is the share of its time that the problem costs, or 0 if there is no problem. The texts
/// are used if it is the most expensive launch.
struct Finding {
  double part = 0;
  std::string problem = {}, remedy = {};
};

/// Finds products whose last vector is only partly filled with channels. All of its lanes are multiplied.
Finding findPadding(const LaunchReport &launch, const CompileReport &) {
  if (launch.columns == 0 || launch.gpuShare == 1 || launch.inDoubles)
    return {};
  const auto padded = int64_t(alignTo(launch.columns, launch.lanes));
  const double part = 1 - double(launch.columns) / double(padded);
  const int64_t fewer = padded - launch.lanes;
  std::string remedy = formatv("{0} channels would take little longer", padded);
  if (fewer > 0)
    remedy += formatv(", and {0} less time", fewer);
  return {part, formatv("{0} output channels are padded to {1} to fill vectors", launch.columns, padded), remedy};
}

Finding findTranspose(const LaunchReport &launch, const CompileReport &) {
  // Transposes at inputs and outputs are part of the model's interface.
  if (launch.kind != "permute" || launch.gpuShare == 1 || !launch.portReads.empty() || !launch.portWrites.empty())
    return {};
  return {1, "this transposition is not fused with its neighbours",
          "compute the operators before or after it in the other order of axes"};
}

Finding findFallback(const LaunchReport &launch, const CompileReport &) {
  if (!launch.fallback || launch.gpuShare == 1)
    return {};
  return {1, "this falls back to plain loops (" + launch.fallbackReason + ")",
          "try other operators with the same result"};
}

Finding findDeclinedByGpu(const LaunchReport &launch, const CompileReport &report) {
  if (!report.usesGpu || launch.gpuShare > 0 || launch.gpuDeclined.empty())
    return {};
  return {1, "the GPU has no code for this (" + launch.gpuDeclined + ")", "try another element type or operator"};
}

Finding findSerial(const LaunchReport &launch, const CompileReport &) {
  if ((launch.kind != "serial" && launch.kind != "scan") || launch.hasParallelIterations)
    return {};
  return {1, "this is computed sequentially, in the order that its operator requires",
          "reduce the steps, or compute it outside the model"};
}

Finding findDoubles(const LaunchReport &launch, const CompileReport &) {
  if (!launch.inDoubles)
    return {};
  return {0.5, "this is computed in f64", "f32 takes at most half the time; cast its inputs to float"};
}

/// Finds products of one or few rows by a large matrix, which are memory-bound.
Finding findWeights(const LaunchReport &launch, const CompileReport &report) {
  constexpr double mostFlopsPerByte = 2;
  constexpr uint64_t leastBytes = 64 << 10;
  const bool isTrained = any_of(report.entries, [](const EntryReport &e) { return e.name == train::trainEntry; });
  if (report.weightType != FloatStorage::F32 || isTrained || launch.kind != "contraction" || launch.inDoubles ||
      launch.singleWeightBytes < leastBytes || launch.flops > mostFlopsPerByte * double(launch.weightBytes))
    return {};
  const double bytes = double(launch.weightBytes + launch.readBytes + launch.writtenBytes);
  return {0.5 * double(launch.singleWeightBytes) / bytes,
          formatv("this is limited by reading {0:F1} MiB of weights", double(launch.singleWeightBytes) / (1 << 20)),
          "--weight-type=fp16 halves them"};
}

/// Finds launches that begin with a scale, and so do little else. Within another launch, a scale costs almost nothing.
Finding findScale(const LaunchReport &launch, const CompileReport &report) {
  if (launch.kind != "nest" || launch.gpuShare == 1 || !is_contained(report.looseScales, launch.nodeList.front()))
    return {};
  return {1, "scaling channels by constants takes a separate pass here",
          "place the normalization directly after a convolution, where it is fused with the operators that follow it"};
}

struct Rule {
  StringLiteral kind;
  Finding (*find)(const LaunchReport &launch, const CompileReport &report);
  StringLiteral measure; ///< Word for the share if it is not the share of the whole launch.
};

constexpr Rule kRules[] = {
    {"padding", findPadding, "wasted "},  //
    {"transpose", findTranspose, ""},     //
    {"fallback", findFallback, ""},       //
    {"gpu", findDeclinedByGpu, ""},       //
    {"serial", findSerial, ""},           //
    {"double", findDoubles, "savings "},  //
    {"weights", findWeights, "savings "}, //
    {"scale", findScale, ""},
};

} // namespace

//===----------------------------------------------------------------------===//
// 3. What matters
//===----------------------------------------------------------------------===//

std::vector<Advice> advise(const CompileReport &report) {
  std::vector<const LaunchReport *> launches;
  double total = 0;
  for (const LaunchReport &launch : report.launches)
    if (launch.entry == report.launches.front().entry) {
      launches.push_back(&launch);
      total += millisecondsOf(launch);
    }
  std::vector<Advice> all;
  for (const Rule &rule : kRules) {
    struct Cost {
      double share;
      const LaunchReport *launch;
      Finding finding;
    };
    std::vector<Cost> costs;
    double share = 0;
    for (const LaunchReport *launch : launches)
      if (Finding finding = launch->nodeList.empty() ? Finding() : rule.find(*launch, report); finding.part > 0) {
        costs.push_back({finding.part * millisecondsOf(*launch) / total, launch, std::move(finding)});
        share += costs.back().share;
      }
    if (!(share >= kLeastShare)) // The comparison also skips NaN, which is the share if nothing takes time.
      continue;
    stable_sort(costs, [](const Cost &a, const Cost &b) { return a.share > b.share; });
    Advice advice;
    advice.kind = rule.kind.str();
    advice.share = share;
    for (const Cost &cost : costs) {
      advice.nodes.push_back(cost.launch->nodeList.front());
      advice.launches.push_back(cost.launch - report.launches.data());
    }
    const size_t others = costs.size() - 1;
    advice.problem = costs.front().finding.problem;
    advice.remedy = costs.front().finding.remedy;
    advice.text = formatv("{0}; {1} ({2}here{3}: {4:F0} % of a run)", advice.problem, advice.remedy, rule.measure,
                          others == 0   ? ""
                          : others == 1 ? " and at another"
                                        : formatv(" and at {0} others", others).str(),
                          100 * share);
    all.push_back(std::move(advice));
  }
  stable_sort(all, [](const Advice &a, const Advice &b) { return a.share > b.share; });
  return all;
}

void giveAdvice(CompileReport &report, mlir::MLIRContext &context) {
  report.advice = advise(report);
  for (const Advice &advice : report.advice)
    mlir::emitRemark(mlir::NameLoc::get(mlir::StringAttr::get(&context, advice.nodes.front()))) << advice.text;
}

} // namespace nacre
