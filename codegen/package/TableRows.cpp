// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/package/TableRows.h"
#include "codegen/OperandOrigin.h"
#include "codegen/package/NodeNames.h"
#include "codegen/package/TensorRows.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/Variables.h"
#include "dialects/plan/Notes.h"

#include "dialects/StoredBytes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace nacre::package {

static_assert(nn::maxLoopDepth == NACRE_MAX_LOOP_DEPTH && plan::kMaxLoopDepth == NACRE_MAX_LOOP_DEPTH,
              "what the dialects allow, the runtime must count");

uint32_t Strings::add(StringRef text) {
  auto [entry, isNew] = offsets.try_emplace(text, uint32_t(blob.size()));
  if (isNew) {
    blob.append(text.begin(), text.end());
    blob.push_back('\0');
  }
  return entry->second;
}

namespace {

class RowReader : private TableRows {
public:
  TableRows read(const TableInputs &inputs) {
    for (auto [index, compiled] : enumerate(inputs.kernels)) {
      plan::KernelOp kernel = compiled.kernel;
      kernelIndex[kernel.getSymName()] = index;
      kernelOps.push_back(kernel);
      kernelNames.push_back(strings.add(kernel.getSymName()));
    }
    for (auto [index, placed] : enumerate(inputs.weights)) {
      plan::WeightOp op = placed.weight;
      weightIndex[op.getSymName()] = index;
      nacre_weight row{};
      row.name = strings.add(op.getSymName());
      plan::EncodingAttr encoding = op.getEncodingAttr();
      if (encoding && encoding.getKind() != plan::EncodingKind::Plain) {
        row.encoding = NACRE_WEIGHT_PANEL;
        row.parameter = encoding.getWidth();
      }
      row.source = index;
      row.offset = placed.offset;
      row.bytes = placed.bytes;
      weights.push_back(row);
    }
    for (auto entry : mlir::ModuleOp(inputs.module).getOps<plan::EntryOp>())
      entries.push_back(readEntry(entry));
    if (!variables.empty())
      describeStateFile();
    return std::move(*this);
  }

private:
  static nacre_state_role roleOf(plan::StorageOp storage) {
    switch (nn::readRole(storage->getAttr(plan::kStateRole))) {
    case nn::VariableRole::Weight:
      return NACRE_STATE_WEIGHT;
    case nn::VariableRole::Moment:
      return NACRE_STATE_MOMENT;
    case nn::VariableRole::Statistic:
      return NACRE_STATE_STATISTIC;
    case nn::VariableRole::Counter:
      return NACRE_STATE_COUNTER;
    case nn::VariableRole::Recurrent:
      return NACRE_STATE_RECURRENT;
    }
    llvm_unreachable("every role has a number");
  }

  /// Adds a state, unless another entry has added it. Its name identifies it in all entries.
  void addState(plan::StorageOp storage) {
    if (!stateOffset.try_emplace(storage.getName().value_or(""), stateBytes).second)
      return;
    nacre_variable row{};
    row.tensor = tensors.describe(storage);
    row.offset = stateBytes;
    stateBytes = alignTo(stateBytes + row.tensor.bytes, codegen::kGpuBufferAlignment);
    StoredForm form;
    if (auto encoding = storage->getAttrOfType<plan::EncodingAttr>(plan::kPanels)) {
      form.width = encoding.getWidth();
      form.groups = encoding.getGroups();
      form.parts = encoding.getParts();
      row.tensor.bytes = storedBytes(storage.getTypeOfModel());
    }
    if (auto order = storage->getAttrOfType<mlir::DenseI64ArrayAttr>(plan::kOrder))
      form.order = order.asArrayRef().vec();
    row.first_loop = dims.size();
    append_range(dims, describeLoops(row, storage.getTypeOfModel().getShape().vec(), form));
    assert(row.stored_bytes == uint64_t(storedBytes(cast<mlir::ShapedType>(storage.getResult().getType()))) &&
           "as it is placed");
    row.role = roleOf(storage);
    if (auto initial = storage->getAttrOfType<mlir::FlatSymbolRefAttr>(plan::kInitial))
      row.initial = 1 + weightIndex.lookup(initial.getValue());
    variables.push_back(row);
  }

  void describeStateFile() {
    stateFile = describeFile(variables.data(), variables.size(), strings.blob.data(), dims.data());
    for (auto [variable, row] : zip_equal(variables, stateFile.rows)) {
      variable.file_row = strings.add(row.text);
      variable.file_type = variable.file_row + row.type;
      variable.file_shape = variable.file_row + row.shape;
    }
  }

  static int64_t rowOfCount(int64_t index, const EntryRows &rows) {
    return int64_t(rows.outputs.size() - rows.counts) + index;
  }

  EntryRows readEntry(plan::EntryOp entry) {
    EntryRows rows;
    rows.name = strings.add(entry.getSymName());
    rows.arenaBytes = alignTo(entry.getArenaBytes().value_or(0), NACRE_ALIGNMENT);
    auto storages = entry.getBody().front().getOps<plan::StorageOp>();
    auto numberOf = [&](plan::Role role) {
      return llvm::count_if(storages, [&](plan::StorageOp storage) { return storage.getRole() == role; });
    };
    rows.counts = numberOf(plan::Role::Count);
    rows.inputs.resize(numberOf(plan::Role::Input));
    rows.outputs.resize(numberOf(plan::Role::Output) + rows.counts);
    for (plan::StorageOp storage : storages) {
      if (storage.getRole() == plan::Role::Input) {
        rows.inputs[*storage.getIndex()] = tensors.describeInput(storage);
      } else if (storage.getRole() == plan::Role::Output) {
        rows.outputs[*storage.getIndex()] = tensors.describeOutput(storage, rowOfCount(0, rows));
      } else if (storage.getRole() == plan::Role::Count) {
        rows.outputs[rowOfCount(*storage.getIndex(), rows)] = tensors.describeCount(storage);
      }
    }
    // Add states in the order of the model, not in the order of their places in memory.
    auto states = llvm::filter_to_vector(
        storages, [](plan::StorageOp storage) { return storage.getRole() == plan::Role::State; });
    llvm::stable_sort(states, [](plan::StorageOp a, plan::StorageOp b) { return *a.getIndex() < *b.getIndex(); });
    for (plan::StorageOp storage : states)
      addState(storage);
    writers.clear();
    entry.walk([&](plan::LaunchOp launch) {
      for (mlir::Value output : launch.getOutputs())
        ++writers[plan::rootOf(output)];
    });
    readSteps(entry.getBody(), rows);
    rows.firstWrite = findFirstWrite(rows);
    return rows;
  }

  static uint32_t findFirstWrite(const EntryRows &rows) {
    uint32_t outermost = 0, depth = 0;
    for (auto [index, step] : enumerate(rows.steps)) {
      if (depth == 0)
        outermost = index;
      depth += step.kind == NACRE_STEP_LOOP_BEGIN;
      depth -= step.kind == NACRE_STEP_LOOP_END;
      auto operands = ArrayRef(rows.operands).slice(step.first_operand, step.operand_count);
      if (llvm::any_of(operands, [](const nacre_operand &operand) {
            return operand.space == NACRE_SPACE_STATE && operand.access != NACRE_READ;
          }))
        return outermost;
    }
    return rows.steps.size();
  }

  void readSteps(mlir::Region &region, EntryRows &rows) {
    if (region.empty())
      return;
    for (mlir::Operation &op : region.front()) {
      if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
        rows.steps.push_back(readLaunch(launch, rows));
      } else if (auto loop = dyn_cast<plan::ForOp>(op)) {
        const size_t begin = addControl(NACRE_STEP_LOOP_BEGIN, op, rows);
        rows.steps[begin].trip_count = loop.getTripCount();
        readSteps(loop.getBody(), rows);
        const size_t end = addControl(NACRE_STEP_LOOP_END, op, rows);
        if (rows.steps[begin].operand_count)
          rows.steps[begin].target = end;
      } else if (auto loop = dyn_cast<plan::WhileOp>(op)) {
        rows.steps[addControl(NACRE_STEP_LOOP_BEGIN, op, rows)].trip_count = loop.getBound().value_or(NACRE_ENDLESS);
        readSteps(loop.getTest(), rows);
        const size_t test = rows.steps.size() - 1;
        readSteps(loop.getBody(), rows);
        rows.steps[test].target = addControl(NACRE_STEP_LOOP_END, op, rows);
      } else if (isa<plan::ConditionOp>(op)) {
        addControl(NACRE_STEP_LOOP_TEST, op, rows);
      } else if (auto branch = dyn_cast<plan::IfOp>(op)) {
        readBranches(branch, rows);
      }
    }
  }

  void readBranches(plan::IfOp branch, EntryRows &rows) {
    const size_t decision = addControl(NACRE_STEP_BRANCH_IF_ZERO, *branch, rows);
    readSteps(branch.getThen(), rows);
    if (!branch.getOtherwise().empty()) {
      const size_t jump = addControl(NACRE_STEP_JUMP, *branch, rows);
      rows.steps[decision].target = rows.steps.size();
      readSteps(branch.getOtherwise(), rows);
      rows.steps[jump].target = rows.steps.size();
    } else {
      rows.steps[decision].target = rows.steps.size();
    }
  }

  /// Adds a step and returns its index. If the step reads a value, such as a condition, also adds the operand of `op`.
  size_t addControl(nacre_step_kind kind, mlir::Operation &op, EntryRows &rows) {
    nacre_step step{};
    step.kind = kind;
    step.name = strings.add(nodeNames(op.getLoc()));
    if (kind != NACRE_STEP_LOOP_END && kind != NACRE_STEP_JUMP && op.getNumOperands() != 0) {
      step.first_operand = rows.operands.size();
      step.operand_count = 1;
      rows.operands.push_back(readOperand(op.getOperand(0), NACRE_READ, rows));
    }
    rows.steps.push_back(step);
    return rows.steps.size() - 1;
  }

  nacre_step readLaunch(plan::LaunchOp launch, EntryRows &rows) {
    nacre_step step{};
    step.kind = NACRE_STEP_LAUNCH;
    step.kernel = kernelIndex.lookup(launch.getKernel());
    step.first_operand = rows.operands.size();
    plan::KernelOp kernel = kernelOps[step.kernel];
    for (auto [number, operand] : llvm::enumerate(launch->getOperands())) {
      const bool isWritten = number >= launch.getInputs().size();
      // A launch that writes a part of a storage, as in a concatenation, must keep the parts that other launches write.
      const bool isWrittenBeside = isWritten && writers[plan::rootOf(operand)] > 1;
      rows.operands.push_back(readOperand(operand,
                                          isWrittenBeside ? NACRE_READ_WRITE
                                          : isWritten     ? NACRE_WRITE
                                                          : NACRE_READ,
                                          rows, /*isInPanels=*/bool(kernel.getEncoding(number))));
    }
    step.operand_count = rows.operands.size() - step.first_operand;
    step.name = strings.add(nodeNames(launch.getLoc()));
    step.trip_count = 1;
    step.cut_extent = kernel.getCutExtent();
    step.grain = kernel.getGrain();
    step.gpu_begin = (*launch.getGpu())[0];
    step.gpu_end = (*launch.getGpu())[1];
    step.cpu_begin = (*launch.getCpu())[0];
    step.cpu_end = (*launch.getCpu())[1];
    return step;
  }

  nacre_operand readOperand(mlir::Value value, nacre_access access, const EntryRows &rows, bool isInPanels = false) {
    nacre_operand row{};
    row.bytes = storedBytes(cast<mlir::ShapedType>(value.getType()));
    row.access = access;
    row.element_type = elementType(cast<mlir::ShapedType>(value.getType()).getElementType());
    const codegen::OperandOrigin origin = codegen::originOfOperand(value);
    row.offset = origin.offset;
    row.step = origin.step;
    if (auto use = origin.root.getDefiningOp<plan::UseOp>()) {
      row.space = NACRE_SPACE_WEIGHT;
      row.index = weightIndex.lookup(use.getWeight());
      if (value == origin.root)
        row.bytes = weights[row.index].bytes; // A packed weight has more bytes than its type.
      return row;
    }
    auto storage = cast<plan::StorageOp>(origin.root.getDefiningOp());
    // The last row of a part may end after the end of the storage. Panels have more bytes than the type of their
    // contents, and fill their storage.
    const uint64_t rest = storedBytes(cast<mlir::ShapedType>(origin.root.getType())) - origin.offset;
    row.bytes = isInPanels ? rest : std::min<uint64_t>(row.bytes, rest);
    switch (storage.getRole()) {
    case plan::Role::Input:
      row.space = NACRE_SPACE_INPUT;
      row.index = *storage.getIndex();
      break;
    case plan::Role::Output:
      row.space = NACRE_SPACE_OUTPUT;
      row.index = *storage.getIndex();
      break;
    case plan::Role::Count:
      row.space = NACRE_SPACE_OUTPUT;
      row.index = rowOfCount(*storage.getIndex(), rows);
      break;
    case plan::Role::State:
      row.space = NACRE_SPACE_STATE;
      row.offset += stateOffset.lookup(storage.getName().value_or(""));
      break;
    case plan::Role::Temporary:
      row.space = NACRE_SPACE_ARENA;
      row.offset += *storage.getOffset();
      break;
    }
    return row;
  }

  TensorRows tensors{strings, dims};
  StringMap<uint32_t> kernelIndex, weightIndex;
  SmallVector<plan::KernelOp> kernelOps;
  StringMap<uint64_t> stateOffset;
  DenseMap<mlir::Value, unsigned> writers; ///< Number of launches that write each storage of the entry
};

} // namespace

Expected<TableRows> readRows(const TableInputs &inputs) {
  if (Error error = checkElementTypes(inputs.module))
    return error;
  return RowReader().read(inputs);
}

} // namespace nacre::package
