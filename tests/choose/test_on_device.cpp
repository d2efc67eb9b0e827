/// @file  The choice for buffers in device memory: what NCCL of each version can, and why not otherwise.
#include <string>

#include "catch.hpp"
#include "choose/choose.hpp"
#include "tutti/base/error.hpp"

using namespace tutti;

namespace {

Request request_on_device(Collective collective, DataType type, Op op, const Options& options = {}) {
  Request request;
  request.collective = collective;
  request.type = type;
  request.memory = Memory::device;
  request.element_size = size_of(type);
  request.count = 4;
  request.op.kind = op;
  request.options = options;
  return request;
}

/// The reason why not; empty: NCCL does it.
std::string refusal(const Request& request, int version) {
  Facts facts{.ranks = 2};
  facts.device = {.known = true, .nccl_version = version};
  try {
    const Decision decision = decide(request, facts);
    return decision.backend == Backend::nccl && describe(decision) == "nccl" ? "" : "another engine";
  } catch (const Error& error) {
    return error.code() == Code::unsupported ? error.reason() : "another error";
  }
}

}  // namespace

TEST_CASE("NCCL moves every type, and combines those that its version has") {
  constexpr int newest = 22809, oldest = 20909;
  for (int t = 0; t < data_type_count; ++t) {
    const auto type = static_cast<DataType>(t);
    CHECK(refusal(request_on_device(Collective::all_gather, type, Op::none), oldest).empty());
    const bool combines = type != DataType::int16 && type != DataType::uint16 && type != DataType::user;
    CHECK(refusal(request_on_device(Collective::all_reduce, type, Op::sum), newest).empty() == combines);
  }
  CHECK_FALSE(refusal(request_on_device(Collective::reduce, DataType::bfloat16, Op::sum), oldest).empty());
  CHECK_FALSE(refusal(request_on_device(Collective::reduce, DataType::float8_e4m3, Op::sum), 22307).empty());
  CHECK(refusal(request_on_device(Collective::reduce, DataType::float8_e4m3, Op::sum), 22403).empty());
}

TEST_CASE("operators that NCCL does not have, or not yet, are refused with the reason") {
  const auto of = [](Op op, int version, DataType type = DataType::float32) {
    return refusal(request_on_device(Collective::all_reduce, type, op), version);
  };
  CHECK(of(Op::average, 20909).find("since 2.10") != std::string::npos);
  CHECK(of(Op::average, 21003).empty());
  CHECK(of(Op::premultiplied_sum, 21003).find("since 2.11") != std::string::npos);
  CHECK(of(Op::premultiplied_sum, 21104).empty());
  CHECK_FALSE(of(Op::premultiplied_sum, 22809, DataType::int32).empty());
  CHECK_FALSE(of(Op::bitwise_or, 22809, DataType::int32).empty());
  CHECK_FALSE(of(Op::user, 22809).empty());
  for (const Op op : {Op::sum, Op::product, Op::minimum, Op::maximum}) CHECK(of(op, 20909).empty());
}

TEST_CASE("what only a communicator can be told, and what NCCL cannot promise, is refused") {
  const auto with = [](const Options& options) {
    return refusal(request_on_device(Collective::all_reduce, DataType::float32, Op::sum, options), 22809);
  };
  CHECK(with({}).empty());
  CHECK(with({.backend = Backend::nccl}).empty());
  CHECK_FALSE(with({.backend = Backend::host}).empty());
  CHECK_FALSE(with({.algorithm = Algorithm::ring}).empty());
  CHECK_FALSE(with({.protocol = Protocol::fifo}).empty());
  CHECK_FALSE(with({.deterministic = true}).empty());
  CHECK(refusal(request_on_device(Collective::all_reduce, DataType::float32, Op::sum), 0).find("no engine") !=
        std::string::npos);
}
