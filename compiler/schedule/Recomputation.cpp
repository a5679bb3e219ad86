// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/Recomputation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <limits>
#include <map>

using llvm::ArrayRef;
using llvm::SmallVector;

namespace nacre::schedule {
namespace {

//===----------------------------------------------------------------------===//
// 1. and 2. Launches that run again
//===----------------------------------------------------------------------===//

/// Recomputes a value just before a step in a list of steps.
class Renewal {
public:
  /// Set `isDeep` to recompute operands that are no longer alive, too. Otherwise, they are kept alive.
  Renewal(const PricedProgram &program, const ProgramProfile &profile, const StepList &list, unsigned at, bool isDeep)
      : program(program), profile(profile), list(list), at(at), isDeep(isDeep) {}

  std::optional<Recomputation> renew(unsigned storage, unsigned limit) {
    const std::optional<unsigned> again = make(storage, limit);
    if (!again)
      return std::nullopt;
    change.before = list.steps[at].id;
    change.kept = storage;
    change.again = *again;
    return std::move(change);
  }

private:
  static constexpr size_t kMostLaunches = 32;
  /// Size ratio from which an operand is kept instead of recomputed: value that is recomputed divided by operand.
  static constexpr int64_t kSmall = 16;

  const Step &stepOf(const StorageUse &use) const { return list.steps[use.index]; }

  /// Returns a new storage with the value that steps before `limit` wrote to `storage`. Returns `nullopt` if it cannot
  /// be recomputed.
  std::optional<unsigned> make(unsigned storage, unsigned limit) {
    SmallVector<const StorageUse *> writers;
    for (const StorageUse &use : list.uses[storage])
      if (use.index < limit && use.writes)
        writers.push_back(&use);
    if (writers.empty() || !isMadeByLaunches(storage, writers))
      return std::nullopt;
    auto [known, isNew] = made.try_emplace({storage, writers.back()->index}, 0);
    if (!isNew)
      return known->second;
    // Positions of steps increase, and operands are recomputed first.
    SmallVector<Recomputation::Launch, 2> launches;
    for (const StorageUse *writer : writers) {
      Recomputation::Launch launch{stepOf(*writer).id, {}};
      if (!provide(storage, *writer, launch))
        return std::nullopt;
      launches.push_back(std::move(launch));
    }
    const unsigned again = add(storage);
    made[{storage, writers.back()->index}] = again;
    for (auto [launch, writer] : llvm::zip_equal(launches, writers)) {
      launch.storages.push_back({storage, again});
      for (const Touch &touch : stepOf(*writer).touches)
        if (touch.writes && touch.storage != storage && !isRenamed(launch, touch.storage))
          launch.storages.push_back({touch.storage, add(touch.storage)}); // The old value of this storage is not read.
      change.nanoseconds += program.prices[launch.step].nanoseconds * list.executions;
      change.launches.push_back(std::move(launch));
    }
    if (change.launches.size() > kMostLaunches)
      return std::nullopt;
    return again;
  }

  /// True if only launches of this list wrote the storage, and none of them read an older value of it.
  bool isMadeByLaunches(unsigned storage, ArrayRef<const StorageUse *> writers) const {
    const StorageUse &first = list.uses[storage].front(), &last = list.uses[storage].back();
    const Life life = profile.lives[storage];
    return program.bytes[storage] > 0 && writers.front() == &first && !first.reads &&
           life.first == numbersOf(first.index).first && life.last >= numbersOf(last.index).first &&
           life.last <= numbersOf(last.index).last && llvm::all_of(writers, [&](const StorageUse *writer) {
             const Step &step = stepOf(*writer);
             return step.kind == StepKind::Launch && llvm::all_of(step.touches, [&](const Touch &touch) {
                      return !touch.writes || program.bytes[touch.storage] > 0;
                    });
           });
  }

  /// Makes the operands that `writer` read available to its copy. Returns false if an operand has changed and cannot be
  /// recomputed.
  bool provide(unsigned storage, const StorageUse &writer, Recomputation::Launch &launch) {
    for (const Touch &touch : stepOf(writer).touches) {
      const unsigned read = touch.storage;
      if (touch.writes || read == storage || isRenamed(launch, read))
        continue;
      const bool isChanged = list.isWrittenBetween(read, writer.index, at) || isWrittenBy(writer, read);
      const bool isGone = program.bytes[read] > 0 && profile.lives[read].last < numbersOf(at).first;
      if (!isChanged && !(isGone && isDeep && program.bytes[read] * kSmall > program.bytes[storage]))
        continue;
      const std::optional<unsigned> again = make(read, writer.index);
      if (again)
        launch.storages.push_back({read, *again});
      else if (isChanged)
        return false;
    }
    return true;
  }

  bool isWrittenBy(const StorageUse &writer, unsigned storage) const {
    return llvm::any_of(stepOf(writer).touches,
                        [&](const Touch &touch) { return touch.writes && touch.storage == storage; });
  }

  static bool isRenamed(const Recomputation::Launch &launch, unsigned storage) {
    return llvm::is_contained(llvm::make_first_range(launch.storages), storage);
  }

  unsigned add(unsigned like) {
    change.added.push_back(like);
    return unsigned(program.bytes.size() + change.added.size() - 1);
  }

  const StepNumbers &numbersOf(unsigned index) const { return profile.numbers[list.steps[index].id]; }

  const PricedProgram &program;
  const ProgramProfile &profile;
  const StepList &list;
  const unsigned at; ///< Index of the step before which to recompute.
  const bool isDeep;
  Recomputation change;
  /// New storages, by the old storage and the index of its last writer.
  std::map<std::pair<unsigned, unsigned>, unsigned> made;
};

class Finder {
public:
  explicit Finder(const PricedProgram &program) : program(program), profile(program) {}

  std::optional<Recomputation> find() {
    visit(program.steps, /*executions=*/1);
    llvm::stable_sort(offers, [](const Offer &a, const Offer &b) { return a.atLeast < b.atLeast; });
    double best = std::numeric_limits<double>::infinity();
    std::optional<Recomputation> found;
    for (Offer &offer : offers) {
      if (offer.atLeast >= best)
        break;
      const double price = priceOf(offer.change);
      if (price < best) {
        best = price;
        found = std::move(offer.change);
      }
    }
    return found;
  }

private:
  struct Offer {
    double atLeast; ///< Lower bound of nanoseconds per saved byte; at most the bytes of the value are saved.
    Recomputation change;
  };

  /// Visits the list that contains the crowded step, after the lists around it.
  void visit(ArrayRef<Step> steps, double executions) {
    const auto *crowded = llvm::find_if(steps, [&](const Step &step) {
      const StepNumbers numbers = profile.numbers[step.id];
      return numbers.first <= profile.peak && profile.peak <= numbers.last;
    });
    if (crowded == steps.end())
      return;
    const StepList list(steps, program.bytes.size(), executions);
    const unsigned index = unsigned(crowded - steps.begin());
    for (unsigned storage = 0; storage < program.bytes.size(); ++storage) {
      const Life life = profile.lives[storage];
      if (program.bytes[storage] == 0 || life.first > profile.peak || life.last < profile.peak)
        continue;
      offerAgain(list, index, storage);
      offerInside(list, index, storage);
    }
    const double iterations = program.prices[crowded->id].iterations;
    visit(crowded->first, executions * iterations);
    visit(crowded->second, executions * iterations);
  }

  /// Tries to recompute a value that step `index` does not touch, just before the next use of the value.
  void offerAgain(const StepList &list, unsigned index, unsigned storage) {
    ArrayRef<StorageUse> uses = list.uses[storage];
    const auto *next = llvm::find_if(uses, [&](const StorageUse &use) { return use.index >= index; });
    if (next == uses.begin() || next == uses.end() || next->index == index)
      return;
    for (bool isDeep : {false, true})
      if (std::optional<Recomputation> change =
              Renewal(program, profile, list, next->index, isDeep).renew(storage, index))
        offer(std::move(*change), storage);
  }

  /// Tries to compute a value in each iteration of the loop at `index`. The value must be written before the loop and
  /// read only in it.
  void offerInside(const StepList &list, unsigned index, unsigned storage) {
    ArrayRef<StorageUse> uses = list.uses[storage];
    const Step &loop = list.steps[index];
    const StepPrice &price = program.prices[loop.id];
    if (loop.kind != StepKind::Loop || price.isDecided || loop.mayHaveNoIteration || uses.size() != 2 ||
        uses[0].reads || uses[1].index != index || uses[1].writes)
      return;
    const Step &maker = list.steps[uses[0].index];
    if (maker.kind != StepKind::Launch || llvm::any_of(maker.touches, [&](const Touch &touch) {
          return touch.writes ? touch.storage != storage
                              : list.isWrittenBetween(touch.storage, uses[0].index, index + 1);
        }))
      return;
    const auto reader = llvm::find_if(loop.first, [&](const Step &step) { return touches(step, storage); });
    if (reader == loop.first.end())
      return;
    Recomputation change;
    change.launches.push_back({maker.id, {}});
    change.before = reader->id;
    change.moves = true;
    change.nanoseconds = program.prices[maker.id].nanoseconds * list.executions * (price.iterations - 1);
    offer(std::move(change), storage);
  }

  static bool touches(const Step &step, unsigned storage) {
    auto isInside = [&](const Step &inner) { return touches(inner, storage); };
    return llvm::any_of(step.touches, [&](const Touch &touch) { return touch.storage == storage; }) ||
           llvm::any_of(step.first, isInside) || llvm::any_of(step.second, isInside);
  }

  void offer(Recomputation change, unsigned storage) {
    const double atLeast = change.nanoseconds / double(program.bytes[storage]);
    offers.push_back({atLeast, std::move(change)});
  }

  /// Returns the nanoseconds per saved byte, or infinity if the change saves nothing.
  double priceOf(const Recomputation &change) const {
    constexpr double none = std::numeric_limits<double>::infinity();
    PricedProgram changed = program;
    apply(changed, change);
    const ProgramProfile after(changed);
    if (!after.isBelow(profile))
      return none;
    const int64_t gained = profile.peakBytes() - after.alive[numberAfter(after)];
    return gained > 0 ? change.nanoseconds / double(gained) : none;
  }

  /// Returns the position of the crowded step in a changed program.
  unsigned numberAfter(const ProgramProfile &after) const {
    for (auto [before, now] : llvm::zip(profile.numbers, after.numbers)) {
      if (before.first == profile.peak)
        return now.first;
      if (before.last == profile.peak)
        return now.last;
    }
    llvm_unreachable("each number is a step's");
  }

  const PricedProgram &program;
  const ProgramProfile profile;
  std::vector<Offer> offers;
};

//===----------------------------------------------------------------------===//
// 3. Changes
//===----------------------------------------------------------------------===//

struct Position {
  std::vector<Step> *list;
  size_t index;
};

std::optional<Position> findStep(std::vector<Step> &steps, unsigned id) {
  for (size_t index = 0; index < steps.size(); ++index) {
    if (steps[index].id == id)
      return Position{&steps, index};
    for (std::vector<Step> *inner : {&steps[index].first, &steps[index].second})
      if (std::optional<Position> found = findStep(*inner, id))
        return found;
  }
  return std::nullopt;
}

void rename(Step &step, unsigned from, unsigned to) {
  for (Touch &touch : step.touches)
    if (touch.storage == from)
      touch.storage = to;
  for (std::vector<Step> *inner : {&step.first, &step.second})
    for (Step &each : *inner)
      rename(each, from, to);
}

} // namespace

void apply(PricedProgram &program, const Recomputation &change) {
  for (unsigned like : change.added)
    program.bytes.push_back(program.bytes[like]);
  std::vector<Step> added;
  for (const Recomputation::Launch &launch : change.launches) {
    const Position at = *findStep(program.steps, launch.step);
    Step step = (*at.list)[at.index];
    if (change.moves) {
      at.list->erase(at.list->begin() + at.index);
    } else {
      // Replace all storages in one pass, because a replacement may have the index of another original.
      for (Touch &touch : step.touches)
        for (auto [from, to] : launch.storages)
          if (touch.storage == from) {
            touch.storage = to;
            break;
          }
      step.id = program.prices.size();
      program.prices.push_back(StepPrice(program.prices[launch.step]));
    }
    added.push_back(std::move(step));
  }
  const Position before = *findStep(program.steps, change.before);
  if (!change.moves)
    for (size_t index = before.index; index < before.list->size(); ++index)
      rename((*before.list)[index], change.kept, change.again);
  before.list->insert(before.list->begin() + before.index, added.begin(), added.end());
}

std::optional<Recomputation> findRecomputation(const PricedProgram &program) { return Finder(program).find(); }

} // namespace nacre::schedule
