// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements TableObject.h.

#include "codegen/package/TableObject.h"
#include "codegen/package/GpuRows.h"
#include "codegen/package/LibrarySum.h"
#include "codegen/package/PackGpuCode.h"
#include "codegen/package/RuntimeSlots.h"
#include "codegen/package/TableRows.h"
#include "codegen/package/WeightsFile.h"
#include "runtime/include/nacre/weights_format.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include <cstddef>
#include <map>

using namespace llvm;

namespace nacre::package {
namespace {

//===----------------------------------------------------------------------===//
// 1. Constants
//===----------------------------------------------------------------------===//

/// Pointer inside a row: its offset in the row, and its target.
struct Pointer {
  size_t offset;
  Constant *target;
};

class ConstantTables {
public:
  explicit ConstantTables(Module &module) : module(module), context(module.getContext()) {}

  /// Adds a hidden constant array that holds `rows` with `pointers`, which are sorted by offset. Equal arrays without
  /// pointers are added once.
  template <typename Row> Constant *add(StringRef name, ArrayRef<Row> rows, ArrayRef<Pointer> pointers = {}) {
    const StringRef bytes(reinterpret_cast<const char *>(rows.data()), rows.size() * sizeof(Row));
    if (!pointers.empty())
      return addNew(name, bytes, alignof(Row), pointers);
    GlobalVariable *&known = plain[{alignof(Row), bytes.str()}];
    if (!known)
      known = addNew(name, bytes, alignof(Row), pointers);
    return known;
  }

  GlobalVariable *addNew(StringRef name, StringRef bytes, uint64_t alignment, ArrayRef<Pointer> pointers) {
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
    global->setAlignment(Align(alignment));
    return global;
  }

  Constant *externalFunction(StringRef name) {
    auto *type = FunctionType::get(Type::getVoidTy(context), /*isVarArg=*/false);
    auto *function = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
    function->setVisibility(GlobalValue::HiddenVisibility);
    return function;
  }

  /// Returns a pointer to the byte `offset` of `table`.
  Constant *inside(Constant *table, size_t offset) {
    return ConstantExpr::getGetElementPtr(Type::getInt8Ty(context), table,
                                          ConstantInt::get(Type::getInt64Ty(context), offset));
  }

  /// Returns the constant `name`, which another object defines. Declares it when it is first needed.
  Constant *externalData(StringRef name) {
    if (GlobalVariable *known = module.getNamedGlobal(name))
      return known;
    auto *global = new GlobalVariable(module, Type::getInt8Ty(context), /*isConstant=*/true,
                                      GlobalValue::ExternalLinkage, nullptr, name);
    global->setVisibility(GlobalValue::HiddenVisibility);
    return global;
  }

private:
  Module &module;
  LLVMContext &context;
  /// Arrays without pointers. The key is alignment and contents.
  std::map<std::pair<uint64_t, std::string>, GlobalVariable *> plain;
};

Constant *gpuVariants(ConstantTables &tables, ArrayRef<codegen::GpuKernelCode> variants, uint64_t &packedBytes) {
  SmallVector<nacre_gpu_variant> rows;
  SmallVector<Pointer> pointers;
  for (auto [number, variant] : enumerate(variants)) {
    nacre_gpu_variant row = gpuVariantRow(variant);
    const std::vector<uint8_t> packed = packGpuCode(variant.code.data(), variant.code.size());
    row.packed_bytes = packed.size();
    packedBytes += packed.size();
    const size_t base = number * sizeof row;
    pointers.push_back({base + offsetof(nacre_gpu_variant, code), tables.add("spirv", ArrayRef<uint8_t>(packed))});
    pointers.push_back(
        {base + offsetof(nacre_gpu_variant, bindings), tables.add("bindings", ArrayRef<uint8_t>(variant.bindings))});
    rows.push_back(row);
  }
  return tables.add("gpu_variants", ArrayRef(rows), pointers);
}

/// Adds the table of the runtime's functions that the model links.
Constant *addSlots(ConstantTables &tables, const RuntimeSlots &slots) {
  SmallVector<Pointer> pointers;
  for (auto [offset, symbol] : slots.symbols)
    pointers.push_back({offset, tables.externalData(symbol)});
  return tables.addNew("slots", StringRef(reinterpret_cast<const char *>(&slots.table), slots.bytes()),
                       alignof(runtime::Slots), pointers);
}

/// Adds all tables to the module. Returns the size of the packed SPIR-V in bytes.
uint64_t buildModule(Module &module, const TableInputs &inputs, TableRows rows, uint64_t weightsLayout,
                     const codegen::Target &target) {
  uint64_t packedGpuBytes = 0;
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
      kernelPointers.push_back({index * sizeof row + offsetof(nacre_kernel, gpu),
                                gpuVariants(tables, compiled.gpu.variants, packedGpuBytes)});
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
    row.hidden_outputs = entry.counts;
    row.step_count = entry.steps.size();
    row.operand_count = entry.operands.size();
    row.arena_bytes = entry.arenaBytes;
    row.first_write = entry.firstWrite;
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
  for (const EntryRows &entry : rows.entries)
    model.limit_count +=
        llvm::count_if(entry.outputs, [](const nacre_tensor &output) { return output.first_bound != NACRE_NO_BOUNDS; });
  model.weights_bytes = inputs.weightsBytes;
  model.state_bytes = rows.stateBytes;
  model.kernel_count = kernels.size();
  model.weight_count = rows.weights.size();
  model.entry_count = entries.size();
  model.name = rows.strings.add(inputs.modelName);
  model.compiler = rows.strings.add(inputs.compiler);
  model.target = rows.strings.add(target.name);
  model.step_counter = rows.stateFile.stepCounter;
  model.file_head = rows.strings.add(rows.stateFile.head);
  model.file_buffer_bytes = rows.stateFile.bufferBytes;
  model.strings_bytes = rows.strings.blob.size();
  model.dim_count = rows.dims.size();
  model.gpu_code_hash = hashOfGpuCode(inputs.kernels);
  model.variable_count = rows.variables.size();
  model.weights_layout = weightsLayout;

  const RuntimeSlots slots = runtimeSlots(model);
  Constant *slotTable = addSlots(tables, slots);
  SmallVector<Pointer> pointers{
      {offsetof(nacre_model_table, head) + offsetof(nacre_model, functions), slotTable},
      {offsetof(nacre_model_table, strings), tables.add("strings", ArrayRef(rows.strings.blob))},
      {offsetof(nacre_model_table, dims), tables.add("dims", ArrayRef(rows.dims))},
      {offsetof(nacre_model_table, kernels), tables.add("kernels", ArrayRef(kernels), kernelPointers)}};
  if (inputs.weightsBytes && !inputs.weightsApart)
    pointers.push_back(
        {offsetof(nacre_model_table, weights_data), tables.externalData(weightsSymbol(inputs.modelName))});
  pointers.push_back({offsetof(nacre_model_table, weights), tables.add("weights", ArrayRef(rows.weights))});
  pointers.push_back({offsetof(nacre_model_table, entries), tables.add("entries", ArrayRef(entries), entryPointers)});
  if (slots.hasEngine())
    pointers.push_back(
        {offsetof(nacre_model_table, gpu_engine), tables.inside(slotTable, offsetof(runtime::Slots, engine))});
  if (!rows.variables.empty())
    pointers.push_back({offsetof(nacre_model_table, variables), tables.add("variables", ArrayRef(rows.variables))});
  GlobalVariable *table = tables.addNew(inputs.symbol, StringRef(reinterpret_cast<const char *>(&model), sizeof model),
                                        alignof(nacre_model_table), pointers);
  table->setLinkage(GlobalValue::ExternalLinkage);
  return packedGpuBytes;
}

/// Adds a note. The linker puts it next to the build ID, into the same program header.
void addNote(Module &module, StringRef note) {
  Constant *value = ConstantDataArray::getString(module.getContext(), note, /*AddNull=*/false);
  auto *global =
      new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::InternalLinkage, value, "note");
  global->setSection(".note.nacre.sum");
  global->setAlignment(Align(4));
}

} // namespace

//===----------------------------------------------------------------------===//
// 2. The object
//===----------------------------------------------------------------------===//

std::string variantSymbol(StringRef modelName, StringRef kernel, unsigned variant) {
  std::string symbol = ("nacre_" + modelName + "_" + kernel).str();
  return variant == 0 ? symbol : symbol + ".variant" + std::to_string(variant);
}

std::string weightsSymbol(StringRef modelName) { return ("nacre_" + modelName + "_weights").str(); }

Expected<TableObject> buildTableObject(const TableInputs &inputs, const codegen::Target &target) {
  Expected<TableRows> rows = readRows(inputs);
  if (!rows)
    return rows.takeError();
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
  TableObject result;
  if (inputs.weightsApart)
    result.weightsLayout = weightsLayout(inputs, *rows);
  if (inputs.isSummed)
    addNote(module, sumNote());
  result.packedGpuBytes = buildModule(module, inputs, std::move(*rows), result.weightsLayout, target);

  raw_svector_ostream stream(result.object);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::ObjectFile))
    return createStringError("LLVM cannot write objects for '" + target.triple + "'");
  passes.run(module);
  return result;
}

} // namespace nacre::package
