// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/nest/RowSweeps.h"
#include "codegen/cpu/nest/NestLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

bool readsStage(const StageInput &input) { return !input.operand && !input.unread; }

bool readsResult(const StageInput &input, unsigned stage) { return readsStage(input) && input.stage == stage; }

class SweepPlanner {
public:
  SweepPlanner(const Nest &nest, ArrayRef<Stage> stages) : nest(nest), stages(stages) {}

  LogicalResult analyze();

  RowSweeps sweeps;

private:
  void findUsers();
  void findHints();
  void keepExpensiveMaps();
  bool addsUp(unsigned stage) const {
    return stages[stage].reduces && isa<arith::AddFOp>(sweeps.combiners[stage].front().op);
  }
  bool isReadIn(unsigned stage, unsigned sweep) const;

  const Nest &nest;
  ArrayRef<Stage> stages;
  SmallVector<SmallVector<unsigned>> users; ///< Users of each stage
};

//===----------------------------------------------------------------------===//
// 1. Reductions end sweeps
//===----------------------------------------------------------------------===//

LogicalResult SweepPlanner::analyze() {
  if (!nest.windows.empty())
    return failure();
  for (auto [index, stage] : llvm::enumerate(stages)) {
    RowRole role;
    sweeps.combiners.emplace_back();
    unsigned walked = 0, reducing = 0;
    for (auto [loop, walks, keeps] : llvm::zip_equal(nest.loops, stage.walks, stage.keeps)) {
      if (loop.parallel || loop.size == 1)
        continue;
      ++reducing;
      walked += walks;
      if (walks && keeps == stage.reduces)
        return failure();
    }
    // A stage must have all columns or none.
    if (walked != 0 && walked != reducing)
      return failure();
    role.perRow = stage.reduces || walked == 0;
    for (const StageInput &input : stage.inputs)
      if (readsStage(input))
        role.sweep = std::max(role.sweep, sweeps.roles[input.stage].sweep + (stages[input.stage].reduces ? 1 : 0));
    for (unsigned result = 0; stage.reduces && result < stage.results.size(); ++result) {
      std::optional<Combiner> combiner = Combiner::find(*stage.body, result);
      if (!combiner || !stage.results[result].start)
        return failure();
      sweeps.combiners.back().push_back(*combiner);
    }
    sweeps.last = std::max(sweeps.last, role.sweep);
    sweeps.roles.push_back(role);
  }
  findUsers();
  findHints();
  keepExpensiveMaps();
  return success();
}

void SweepPlanner::findUsers() {
  users.assign(stages.size(), {});
  for (auto [index, stage] : llvm::enumerate(stages))
    for (const StageInput &input : stage.inputs)
      if (readsStage(input))
        users[input.stage].push_back(index);
}

//===----------------------------------------------------------------------===//
// 2. Maxima that are subtracted
//===----------------------------------------------------------------------===//

/// Finds maxima that all their users subtract from the values of which they are the maximum. Such differences are never
/// positive, and a NaN appears again in them.
void SweepPlanner::findHints() {
  auto sameInput = [&](const StageInput &a, const StageInput &b) {
    if (!a.operand || !b.operand)
      return readsStage(a) && readsStage(b) && a.stage == b.stage && a.result == b.result;
    const NestOperand &x = nest.operands[*a.operand], &y = nest.operands[*b.operand];
    return x.argument == y.argument && x.offset == y.offset && x.strides == y.strides;
  };
  /// Returns the arguments of `reader` that are the elements of `input`, and their extensions to f32.
  auto elementsOf = [&](const Stage &reader, const StageInput &input) {
    llvm::DenseSet<Value> elements;
    for (auto [position, other] : llvm::enumerate(reader.inputs))
      if (sameInput(other, input)) {
        BlockArgument argument = reader.body->getArgument(position);
        elements.insert(argument);
        for (Operation *user : argument.getUsers())
          if (auto extend = dyn_cast<arith::ExtFOp>(user))
            elements.insert(extend);
      }
    return elements;
  };
  for (unsigned index = 0; index < stages.size(); ++index) {
    const Stage &stage = stages[index];
    if (!stage.reduces || stage.results.size() != 1 || !isa<arith::MaximumFOp>(sweeps.combiners[index][0].op) ||
        stage.inputs.size() != 1)
      continue;
    bool onlyDifferences = true;
    for (unsigned user : users[index])
      for (unsigned position = 0; position < stages[user].inputs.size(); ++position) {
        const StageInput &input = stages[user].inputs[position];
        if (!readsResult(input, index))
          continue;
        const llvm::DenseSet<Value> elements = elementsOf(stages[user], stage.inputs[0]);
        BlockArgument largest = stages[user].body->getArgument(position);
        for (Operation *use : largest.getUsers()) {
          auto difference = dyn_cast<arith::SubFOp>(use);
          onlyDifferences &= difference && difference.getRhs() == largest && elements.contains(difference.getLhs());
        }
      }
    if (!onlyDifferences)
      continue;
    sweeps.roles[index].hints.nanReturns = sweeps.combiners[index][0].nanReturns = true;
    for (unsigned user : users[index]) {
      const Stage &reader = stages[user];
      sweeps.roles[user].hints.negativeExponents = hasNegativeExponents(*reader.body, [&](unsigned input) {
        return input < reader.inputs.size() && readsResult(reader.inputs[input], index);
      });
      if (llvm::any_of(users[user], [&](unsigned reader) { return addsUp(reader); }))
        sweeps.roles[user].hints.addedExponents = nest.countPoints(/*parallel=*/false);
    }
  }
}

//===----------------------------------------------------------------------===//
// 3. Maps that are kept
//===----------------------------------------------------------------------===//

/// True if `sweep` needs the value of the map `stage`: for a reduction, for a written map, or for a map that the sweep
/// computes.
bool SweepPlanner::isReadIn(unsigned stage, unsigned sweep) const {
  return llvm::any_of(users[stage], [&](unsigned user) {
    if (stages[user].reduces)
      return sweeps.roles[user].sweep == sweep;
    if (sweeps.roles[user].keptFrom)
      return *sweeps.roles[user].keptFrom == sweep;
    return (stages[user].isWritten() && sweep == sweeps.last) || isReadIn(user, sweep);
  });
}

/// Goes from the last map to the first, because the operands of a kept map are needed in one sweep only.
void SweepPlanner::keepExpensiveMaps() {
  for (unsigned index = stages.size(); index-- > 0;) {
    const Stage &stage = stages[index];
    if (sweeps.roles[index].perRow || bodyCost(*stage.body) < kTranscendental || stage.results.size() != 1 ||
        stage.results[0].elementType.getIntOrFloatBitWidth() != 32)
      continue;
    SmallVector<unsigned> readIn;
    for (unsigned sweep = 0; sweep <= sweeps.last; ++sweep)
      if (isReadIn(index, sweep) || (sweep == sweeps.last && stage.results[0].operand))
        readIn.push_back(sweep);
    if (readIn.size() < 2)
      continue;
    sweeps.roles[index].keptFrom = readIn.front();
    sweeps.roles[index].scratch = sweeps.arrays++;
  }
}

} // namespace

SmallVector<Combiner> RowSweeps::combinersOf(ArrayRef<unsigned> reductions, int64_t accumulators) const {
  SmallVector<Combiner> all;
  for (int64_t i = 0; i < accumulators; ++i)
    for (unsigned stage : reductions)
      llvm::append_range(all, combiners[stage]);
  return all;
}

FailureOr<RowSweeps> planSweeps(const Nest &nest, ArrayRef<Stage> stages) {
  SweepPlanner planner(nest, stages);
  if (failed(planner.analyze()))
    return failure();
  return std::move(planner.sweeps);
}

bool computesTranscendentals(const RowSweeps &sweeps, ArrayRef<Stage> stages, unsigned sweep) {
  return llvm::any_of(llvm::zip_equal(stages, sweeps.roles), [&](auto pair) {
    const auto &[stage, role] = pair;
    const bool perColumn = !role.perRow || (stage.reduces && role.sweep == sweep);
    const bool isComputed = role.keptFrom ? *role.keptFrom == sweep : role.sweep <= sweep;
    return perColumn && isComputed && bodyCost(*stage.body) >= kTranscendental;
  });
}

} // namespace nacre::codegen::cpu
