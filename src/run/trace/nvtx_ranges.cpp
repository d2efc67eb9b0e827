#include "run/trace/nvtx_ranges.hpp"

#include <string>

#include "tutti/base/reduce_op.hpp"

#if defined(TUTTI_WITH_NVTX)

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <cstddef>

namespace tutti::trace {

namespace {

/// As the schema below describes it to tools.
struct CallPayload {
  std::uint64_t bytes;
  std::uint64_t count;
  std::uint64_t turn;
  std::uint64_t communicator;
  std::int32_t rank;
  std::int32_t size;
  std::int32_t root;
  std::int32_t padding;
  const char* type;
  const char* algorithm;
};

struct Domain {
  nvtxDomainHandle_t handle = nullptr;
  std::uint64_t schema = 0;

  Domain() {
    handle = nvtxDomainCreateA("tutti");
    if (handle == nullptr) return;
    const auto entry = [](std::uint64_t type, const char* name, std::size_t offset) {
      nvtxPayloadSchemaEntry_t entry{};
      entry.type = type;
      entry.name = name;
      entry.offset = offset;
      return entry;
    };
    const nvtxPayloadSchemaEntry_t entries[] = {
        entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "bytes", offsetof(CallPayload, bytes)),
        entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "elements", offsetof(CallPayload, count)),
        entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "turn", offsetof(CallPayload, turn)),
        entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "communicator", offsetof(CallPayload, communicator)),
        entry(NVTX_PAYLOAD_ENTRY_TYPE_INT32, "rank", offsetof(CallPayload, rank)),
        entry(NVTX_PAYLOAD_ENTRY_TYPE_INT32, "ranks", offsetof(CallPayload, size)),
        entry(NVTX_PAYLOAD_ENTRY_TYPE_INT32, "root or peer", offsetof(CallPayload, root)),
        entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "type", offsetof(CallPayload, type)),
        entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "algorithm", offsetof(CallPayload, algorithm)),
    };
    nvtxPayloadSchemaAttr_t attributes{};
    attributes.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                           NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                           NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    attributes.name = "call";
    attributes.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    attributes.entries = entries;
    attributes.numEntries = std::size(entries);
    attributes.payloadStaticSize = sizeof(CallPayload);
    schema = nvtxPayloadSchemaRegister(handle, &attributes);
  }
};

const Domain& domain() {
  static const Domain domain;
  return domain;
}

}  // namespace

bool NvtxRanges::built_in() { return true; }

bool NvtxRanges::tool_attached() { return domain().handle != nullptr; }

void NvtxRanges::entered(const CallRecord& record) noexcept {
  // Names of the library are literals, each with its zero.
  const CallPayload payload{.bytes = record.bytes(),
                            .count = record.count,
                            .turn = record.turn,
                            .communicator = record.communicator,
                            .rank = record.rank,
                            .size = record.size,
                            .root = record.root,
                            .padding = 0,
                            .type = name(record.type).data(),
                            .algorithm = name(record.algorithm).data()};
  nvtxPayloadData_t data{};
  data.schemaId = domain().schema;
  data.size = sizeof payload;
  data.payload = &payload;
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.category = static_cast<std::uint32_t>(record.collective) + 1;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name(record.collective).data();
  if (data.schemaId != 0) {
    event.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    event.reserved0 = 1;  // payloads
    event.payload.ullValue = reinterpret_cast<std::uintptr_t>(&data);
  } else {  // a tool that knows no schemas
    event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    event.payload.ullValue = payload.bytes;
  }
  ended(record);  // a call that this one has overtaken, if there is one: its own end will not be told
  ranges_[record.number % recorded_calls] = nvtxDomainRangeStartEx(domain().handle, &event);
}

void NvtxRanges::ended(const CallRecord& record) noexcept {
  std::uint64_t& range = ranges_[record.number % recorded_calls];
  if (range != 0) nvtxDomainRangeEnd(domain().handle, range);
  range = 0;
}

}  // namespace tutti::trace

#else

namespace tutti::trace {

bool NvtxRanges::built_in() { return false; }
bool NvtxRanges::tool_attached() { return false; }
void NvtxRanges::entered(const CallRecord& /*record*/) noexcept {}
void NvtxRanges::ended(const CallRecord& /*record*/) noexcept {}

}  // namespace tutti::trace

#endif
