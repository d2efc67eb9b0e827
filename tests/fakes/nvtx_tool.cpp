/// @file  A tool that listens to NVTX, for tests: writes what it hears to the file that FAKE_NVTX_OUTPUT names.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct Field {
  std::uint64_t type;
  std::uint64_t offset;
  const char* name;
};
std::vector<Field> fields;
std::atomic<nvtxRangeId_t> next_range{1};
std::FILE* output = nullptr;
int domain_object = 0;

nvtxDomainHandle_t create_domain(const char* name) {
  std::fprintf(output, "domain %s\n", name);
  return reinterpret_cast<nvtxDomainHandle_t>(&domain_object);
}

void print_payload(const nvtxPayloadData_t& data) {
  const char* bytes = static_cast<const char*>(data.payload);
  for (const Field& field : fields) {
    if (field.type == NVTX_PAYLOAD_ENTRY_TYPE_CSTRING) {
      const char* text = nullptr;
      std::memcpy(&text, bytes + field.offset, sizeof text);
      std::fprintf(output, " %s=%s", field.name, text);
    } else if (field.type == NVTX_PAYLOAD_ENTRY_TYPE_UINT64) {
      std::uint64_t number = 0;
      std::memcpy(&number, bytes + field.offset, sizeof number);
      std::fprintf(output, " %s=%llu", field.name, static_cast<unsigned long long>(number));
    } else {
      std::int32_t number = 0;
      std::memcpy(&number, bytes + field.offset, sizeof number);
      std::fprintf(output, " %s=%d", field.name, number);
    }
  }
}

nvtxRangeId_t start_range(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  const nvtxRangeId_t range = next_range++;
  std::fprintf(output, "start %llu %s %s", static_cast<unsigned long long>(range),
               domain == reinterpret_cast<nvtxDomainHandle_t>(&domain_object) ? "ours" : "other", event->message.ascii);
  if (event->payloadType == NVTX_PAYLOAD_TYPE_EXT) {
    print_payload(*reinterpret_cast<const nvtxPayloadData_t*>(event->payload.ullValue));
  }
  std::fprintf(output, "\n");
  return range;
}

void end_range(nvtxDomainHandle_t, nvtxRangeId_t range) {
  std::fprintf(output, "end %llu\n", static_cast<unsigned long long>(range));
  std::fflush(output);
}

std::uint64_t register_schema(nvtxDomainHandle_t, const nvtxPayloadSchemaAttr_t* schema) {
  for (std::size_t i = 0; i < schema->numEntries; ++i) {
    fields.push_back({schema->entries[i].type, schema->entries[i].offset, ::strdup(schema->entries[i].name)});
  }
  return 77;
}

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  const char* name = std::getenv("FAKE_NVTX_OUTPUT");
  output = std::fopen(name != nullptr ? name : "/dev/null", "w");
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (output == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) return 0;
  *table[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(&create_domain);
  *table[NVTX_CBID_CORE2_DomainRangeStartEx] = reinterpret_cast<NvtxFunctionPointer>(&start_range);
  *table[NVTX_CBID_CORE2_DomainRangeEnd] = reinterpret_cast<NvtxFunctionPointer>(&end_range);
  return 1;
}

// The header hides its types, and with them what takes them.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t* module) {
  if (module->moduleId == NVTX_EXT_PAYLOAD_MODULEID && module->segmentsCount > 0) {
    module->segments[0].functionSlots[NVTX3EXT_CBID_nvtxPayloadSchemaRegister] =
        reinterpret_cast<std::intptr_t>(&register_schema);
  }
  return 1;
}
