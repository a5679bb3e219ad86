// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TableObject.h for what and how.

#include "codegen/package/TableObject.h"
#include "runtime/include/nacre/model_format.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include <cstddef>

using namespace llvm;

namespace nacre::package {
namespace {

//===----------------------------------------------------------------------===//
// 1. Rows
//===----------------------------------------------------------------------===//

/// All texts of the model in one blob, each once; a text is its offset.
class Strings {
public:
  uint32_t add(StringRef text) {
    auto [entry, isNew] = offsets.try_emplace(text, uint32_t(blob.size()));
    if (isNew) {
      blob.append(text.begin(), text.end());
      blob.push_back('\0');
    }
    return entry->second;
  }
  Strings() { add(""); }

  SmallVector<char> blob;

private:
  StringMap<uint32_t> offsets;
};

uint32_t elementType(mlir::Type type) {
  if (type.isF32())
    return NACRE_F32;
  if (type.isF16())
    return NACRE_F16;
  if (type.isBF16())
    return NACRE_BF16;
  if (type.isF64())
    return NACRE_F64;
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return NACRE_BOOL;
  case 8:
    return isUnsigned ? NACRE_U8 : NACRE_I8;
  case 16:
    return isUnsigned ? NACRE_U16 : NACRE_I16;
  case 32:
    return isUnsigned ? NACRE_U32 : NACRE_I32;
  default:
    return isUnsigned ? NACRE_U64 : NACRE_I64;
  }
}

uint64_t bytesOf(mlir::ShapedType type) { return divideCeil(type.getNumElements() * type.getElementTypeBitWidth(), 8); }

/// Adds every name in `location`, once, in order.
void collectNames(mlir::Location location, SmallVectorImpl<StringRef> &names) {
  if (auto named = dyn_cast<mlir::NameLoc>(location)) {
    if (!is_contained(names, named.getName().getValue()))
      names.push_back(named.getName().getValue());
  } else if (auto fused = dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location part : fused.getLocations())
      collectNames(part, names);
  } else if (auto call = dyn_cast<mlir::CallSiteLoc>(location)) {
    collectNames(call.getCallee(), names);
  }
}

struct EntryRows {
  uint32_t name = 0;
  uint64_t arenaBytes = 0;
  SmallVector<nacre_tensor> inputs, outputs;
  SmallVector<nacre_step> steps;
  SmallVector<nacre_operand> operands;
};

/// Everything the tables say, pointers apart.
class Rows {
public:
  explicit Rows(const TableInputs &inputs) {
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
      if (encoding && encoding.getKind() == plan::EncodingKind::Panel) {
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
  }

  Strings strings;
  SmallVector<int64_t> dims;
  SmallVector<uint32_t> kernelNames;
  SmallVector<nacre_weight> weights;
  std::vector<EntryRows> entries;
  uint64_t stateBytes = 0;

private:
  nacre_tensor tensorRow(plan::StorageOp storage) {
    auto stored = cast<mlir::ShapedType>(storage.getResult().getType());
    nacre_tensor row{};
    row.name = strings.add(storage.getName().value_or(""));
    row.element_type = elementType(storage.getExternalType().value_or(stored.getElementType()));
    row.rank = stored.getRank();
    row.first_dim = dims.size();
    append_range(dims, stored.getShape());
    row.bytes = bytesOf(stored);
    row.scale = 1;
    row.first_bound = NACRE_NO_BOUNDS;
    return row;
  }

  EntryRows readEntry(plan::EntryOp entry) {
    EntryRows rows;
    rows.name = strings.add(entry.getSymName());
    rows.arenaBytes = alignTo(entry.getArenaBytes().value_or(0), NACRE_ALIGNMENT);
    for (auto storage : entry.getBody().front().getOps<plan::StorageOp>()) {
      SmallVector<nacre_tensor> *list = storage.getRole() == plan::Role::Input    ? &rows.inputs
                                        : storage.getRole() == plan::Role::Output ? &rows.outputs
                                                                                  : nullptr;
      if (list) {
        list->resize(std::max<size_t>(list->size(), *storage.getIndex() + 1));
        (*list)[*storage.getIndex()] = tensorRow(storage);
      } else if (storage.getRole() == plan::Role::State && !stateOffset.contains(storage)) {
        stateOffset[storage] = stateBytes;
        stateBytes =
            alignTo(stateBytes + bytesOf(cast<mlir::ShapedType>(storage.getResult().getType())), NACRE_ALIGNMENT);
      }
    }
    writers.clear();
    entry.walk([&](plan::LaunchOp launch) {
      for (mlir::Value output : launch.getOutputs())
        ++writers[storageOf(output)];
    });
    readSteps(entry.getBody().front(), rows);
    return rows;
  }

  void readSteps(mlir::Block &block, EntryRows &rows) {
    for (mlir::Operation &op : block) {
      if (auto loop = dyn_cast<plan::ForOp>(op)) {
        nacre_step step{};
        step.kind = NACRE_STEP_LOOP_BEGIN;
        step.trip_count = loop.getTripCount();
        step.name = strings.add(nodeNames(op.getLoc()));
        rows.steps.push_back(step);
        readSteps(loop.getBody().front(), rows);
        nacre_step end{};
        end.kind = NACRE_STEP_LOOP_END;
        rows.steps.push_back(end);
      } else if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
        rows.steps.push_back(readLaunch(launch, rows));
      }
    }
  }

  nacre_step readLaunch(plan::LaunchOp launch, EntryRows &rows) {
    nacre_step step{};
    step.kind = NACRE_STEP_LAUNCH;
    step.kernel = kernelIndex.lookup(launch.getKernel());
    step.first_operand = rows.operands.size();
    for (mlir::Value operand : launch.getInputs())
      rows.operands.push_back(readOperand(operand, NACRE_READ));
    for (mlir::Value operand : launch.getOutputs())
      // What others write beside it must be there before it is written: a part of a concatenation.
      rows.operands.push_back(readOperand(operand, writers[storageOf(operand)] > 1 ? NACRE_READ_WRITE : NACRE_WRITE));
    step.operand_count = rows.operands.size() - step.first_operand;
    step.name = strings.add(nodeNames(launch.getLoc()));
    plan::KernelOp kernel = kernelOps[step.kernel];
    step.trip_count = 1;
    step.cut_extent = kernel.getCutExtent();
    step.grain = kernel.getGrain();
    step.gpu_begin = (*launch.getGpu())[0];
    step.gpu_end = (*launch.getGpu())[1];
    step.cpu_begin = (*launch.getCpu())[0];
    step.cpu_end = (*launch.getCpu())[1];
    return step;
  }

  static mlir::Value storageOf(mlir::Value value) {
    while (auto view = value.getDefiningOp<plan::ViewOp>())
      value = view.getSource();
    return value;
  }

  nacre_operand readOperand(mlir::Value value, nacre_access access) {
    nacre_operand row{};
    row.bytes = bytesOf(cast<mlir::ShapedType>(value.getType()));
    row.access = access;
    auto elementBytes = [](mlir::Value v) {
      return int64_t(cast<mlir::ShapedType>(v.getType()).getElementTypeBitWidth() / 8);
    };
    while (auto view = value.getDefiningOp<plan::ViewOp>()) {
      row.offset += view.getOffset() * elementBytes(view.getSource());
      row.step += view.getStep() * elementBytes(view.getSource());
      value = view.getSource();
    }
    if (auto use = value.getDefiningOp<plan::UseOp>()) {
      row.space = NACRE_SPACE_WEIGHT;
      row.index = weightIndex.lookup(use.getWeight());
      row.bytes = weights[row.index].bytes;
      return row;
    }
    auto storage = cast<plan::StorageOp>(value.getDefiningOp());
    switch (storage.getRole()) {
    case plan::Role::Input:
      row.space = NACRE_SPACE_INPUT;
      row.index = *storage.getIndex();
      break;
    case plan::Role::Output:
      row.space = NACRE_SPACE_OUTPUT;
      row.index = *storage.getIndex();
      break;
    case plan::Role::State:
      row.space = NACRE_SPACE_STATE;
      row.offset += stateOffset.lookup(storage);
      break;
    case plan::Role::Temporary:
      row.space = NACRE_SPACE_ARENA;
      row.offset += *storage.getOffset();
      break;
    }
    return row;
  }

  StringMap<uint32_t> kernelIndex, weightIndex;
  SmallVector<plan::KernelOp> kernelOps;
  DenseMap<mlir::Operation *, uint64_t> stateOffset;
  DenseMap<mlir::Value, unsigned> writers; ///< Launches that write a storage of the entry.
};

//===----------------------------------------------------------------------===//
// 2. Constants
//===----------------------------------------------------------------------===//

/// A pointer inside a row: where it is, and what to.
struct Pointer {
  size_t offset;
  Constant *target;
};

class ConstantTables {
public:
  explicit ConstantTables(Module &module) : module(module), context(module.getContext()) {}

  /// A hidden constant array that holds `rows` with `pointers` (sorted by offset) put in.
  template <typename Row> Constant *add(StringRef name, ArrayRef<Row> rows, ArrayRef<Pointer> pointers = {}) {
    return add(name, StringRef(reinterpret_cast<const char *>(rows.data()), rows.size() * sizeof(Row)), pointers);
  }

  GlobalVariable *add(StringRef name, StringRef bytes, ArrayRef<Pointer> pointers) {
    SmallVector<Constant *> parts;
    size_t at = 0;
    for (const Pointer &pointer : pointers) {
      if (pointer.offset > at)
        parts.push_back(ConstantDataArray::getString(context, bytes.slice(at, pointer.offset), /*AddNull=*/false));
      parts.push_back(pointer.target);
      at = pointer.offset + sizeof(void *);
    }
    if (at < bytes.size())
      parts.push_back(ConstantDataArray::getString(context, bytes.substr(at), /*AddNull=*/false));
    Constant *value = ConstantStruct::getAnon(context, parts, /*Packed=*/true);
    auto *global =
        new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::InternalLinkage, value, name);
    global->setAlignment(Align(NACRE_ALIGNMENT));
    return global;
  }

  Constant *externalFunction(StringRef name) {
    auto *type = FunctionType::get(Type::getVoidTy(context), /*isVarArg=*/false);
    auto *function = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
    function->setVisibility(GlobalValue::HiddenVisibility);
    return function;
  }

  Constant *externalData(StringRef name) {
    auto *global = new GlobalVariable(module, Type::getInt8Ty(context), /*isConstant=*/true,
                                      GlobalValue::ExternalLinkage, nullptr, name);
    global->setVisibility(GlobalValue::HiddenVisibility);
    return global;
  }

private:
  Module &module;
  LLVMContext &context;
};

Constant *gpuVariants(ConstantTables &tables, ArrayRef<codegen::GpuKernelCode> variants) {
  SmallVector<nacre_gpu_variant> rows;
  SmallVector<Pointer> pointers;
  for (auto [number, variant] : enumerate(variants)) {
    nacre_gpu_variant row{};
    row.needs = variant.needs;
    row.unit_extent = variant.unitExtent;
    row.code_bytes = variant.code.size() * sizeof(uint32_t);
    row.binding_count = variant.bindings.size();
    row.groups = variant.groups;
    row.workgroup_size = variant.workgroupSize;
    row.shared_bytes = variant.sharedBytes;
    row.families = variant.families;
    const size_t base = number * sizeof row;
    pointers.push_back(
        {base + offsetof(nacre_gpu_variant, code), tables.add("spirv", ArrayRef<uint32_t>(variant.code))});
    pointers.push_back(
        {base + offsetof(nacre_gpu_variant, bindings), tables.add("bindings", ArrayRef<uint8_t>(variant.bindings))});
    rows.push_back(row);
  }
  return tables.add("gpu_variants", ArrayRef(rows), pointers);
}

void buildModule(Module &module, const TableInputs &inputs, const codegen::Target &target) {
  Rows rows(inputs);
  ConstantTables tables(module);

  SmallVector<nacre_kernel> kernels;
  SmallVector<Pointer> kernelPointers;
  for (auto [index, compiled] : enumerate(inputs.kernels)) {
    SmallVector<nacre_cpu_variant> variants;
    SmallVector<Pointer> variantPointers;
    for (auto [number, code] : enumerate(compiled.variants)) {
      nacre_cpu_variant row{};
      row.needs = code.needs;
      row.unit_extent = code.unitExtent;
      row.units_per_block = code.unitsPerBlock;
      row.scratch_bytes = code.scratchBytes;
      row.unit_nanoseconds = code.unitNanoseconds;
      variantPointers.push_back({number * sizeof row + offsetof(nacre_cpu_variant, function),
                                 tables.externalFunction(variantSymbol(
                                     inputs.modelName, plan::KernelOp(compiled.kernel).getSymName(), number))});
      variants.push_back(row);
    }
    nacre_kernel row{};
    row.cpu_count = variants.size();
    row.kind = uint32_t(plan::KernelOp(compiled.kernel).getKind());
    row.name = rows.kernelNames[index];
    kernelPointers.push_back({index * sizeof row + offsetof(nacre_kernel, cpu),
                              tables.add("variants", ArrayRef(variants), variantPointers)});
    if (!compiled.gpu.variants.empty()) {
      row.gpu_count = compiled.gpu.variants.size();
      kernelPointers.push_back(
          {index * sizeof row + offsetof(nacre_kernel, gpu), gpuVariants(tables, compiled.gpu.variants)});
    }
    kernels.push_back(row);
  }

  SmallVector<nacre_entry> entries;
  SmallVector<Pointer> entryPointers;
  for (auto [index, entry] : enumerate(rows.entries)) {
    nacre_entry row{};
    row.name = entry.name;
    row.input_count = entry.inputs.size();
    row.output_count = entry.outputs.size();
    row.step_count = entry.steps.size();
    row.operand_count = entry.operands.size();
    row.arena_bytes = entry.arenaBytes;
    size_t base = index * sizeof row;
    entryPointers.push_back({base + offsetof(nacre_entry, inputs), tables.add("inputs", ArrayRef(entry.inputs))});
    entryPointers.push_back({base + offsetof(nacre_entry, outputs), tables.add("outputs", ArrayRef(entry.outputs))});
    entryPointers.push_back({base + offsetof(nacre_entry, steps), tables.add("steps", ArrayRef(entry.steps))});
    entryPointers.push_back({base + offsetof(nacre_entry, operands), tables.add("operands", ArrayRef(entry.operands))});
    entries.push_back(row);
  }

  nacre_model_table model{};
  model.format_version = NACRE_FORMAT_VERSION;
  model.sizes = NACRE_ROW_SIZES;
  model.baseline_needs = target.needs;
  for (const CompiledKernel &compiled : inputs.kernels)
    for (const codegen::KernelCode &code : compiled.variants)
      model.baseline_needs &= code.needs;
  model.weights_bytes = inputs.weightsBytes;
  model.state_bytes = rows.stateBytes;
  model.kernel_count = kernels.size();
  model.weight_count = rows.weights.size();
  model.entry_count = entries.size();
  model.name = rows.strings.add(inputs.modelName);
  model.compiler = rows.strings.add(inputs.compiler);
  model.target = rows.strings.add(target.name);
  model.strings_bytes = rows.strings.blob.size();
  model.dim_count = rows.dims.size();

  SmallVector<Pointer> pointers{
      {offsetof(nacre_model_table, head) + offsetof(nacre_model, functions),
       tables.externalData(NACRE_FUNCTIONS_SYMBOL)},
      {offsetof(nacre_model_table, strings), tables.add("strings", ArrayRef(rows.strings.blob))},
      {offsetof(nacre_model_table, dims), tables.add("dims", ArrayRef(rows.dims))},
      {offsetof(nacre_model_table, kernels), tables.add("kernels", ArrayRef(kernels), kernelPointers)}};
  if (inputs.weightsBytes)
    pointers.push_back(
        {offsetof(nacre_model_table, weights_data), tables.externalData(weightsSymbol(inputs.modelName))});
  pointers.push_back({offsetof(nacre_model_table, weights), tables.add("weights", ArrayRef(rows.weights))});
  pointers.push_back({offsetof(nacre_model_table, entries), tables.add("entries", ArrayRef(entries), entryPointers)});
  if (any_of(inputs.kernels, [](const CompiledKernel &kernel) { return !kernel.gpu.variants.empty(); }))
    pointers.push_back({offsetof(nacre_model_table, gpu_engine), tables.externalData(NACRE_GPU_ENGINE_SYMBOL)});
  GlobalVariable *table =
      tables.add(inputs.symbol, StringRef(reinterpret_cast<const char *>(&model), sizeof model), pointers);
  table->setLinkage(GlobalValue::ExternalLinkage);
}

} // namespace

//===----------------------------------------------------------------------===//
// 3. The object
//===----------------------------------------------------------------------===//

std::string nodeNames(mlir::Location location) {
  SmallVector<StringRef> names;
  collectNames(location, names);
  return join(names, ", ");
}

std::string variantSymbol(StringRef modelName, StringRef kernel, unsigned variant) {
  std::string symbol = ("nacre_" + modelName + "_" + kernel).str();
  return variant == 0 ? symbol : symbol + ".variant" + std::to_string(variant);
}

std::string weightsSymbol(StringRef modelName) { return ("nacre_" + modelName + "_weights").str(); }

Expected<SmallVector<char, 0>> buildTableObject(const TableInputs &inputs, const codegen::Target &target) {
  LLVMContext context;
  Module module("tables", context);
  Triple triple(target.triple);
  std::string message;
  const llvm::Target *backend = TargetRegistry::lookupTarget(triple, message);
  if (!backend)
    return createStringError(message);
  TargetOptions options;
  options.DataSections = true;
  std::unique_ptr<TargetMachine> machine(
      backend->createTargetMachine(triple, target.cpu, target.features, options, Reloc::PIC_));
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  buildModule(module, inputs, target);

  SmallVector<char, 0> object;
  raw_svector_ostream stream(object);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::ObjectFile))
    return createStringError("LLVM cannot write objects for '" + target.triple + "'");
  passes.run(module);
  return object;
}

} // namespace nacre::package
