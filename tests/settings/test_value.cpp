#include "settings/value.hpp"

#include "catch.hpp"
#include "lint.hpp"

using namespace tutti;
using namespace tutti::settings;

namespace {

Finding check(const char* name, const std::string& value, Version nccl = newest_nccl) {
  return check_value(*Database::all().find(name), value, nccl).value_or(Finding{});
}

}  // namespace

TEST_CASE("values of settings that are right are left in peace") {
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{{"NCCL_ALGO", "Ring"},
                                                        {"NCCL_ALGO", "^NVLS,nvlstree"},
                                                        {"NCCL_ALGO", "allreduce:tree,ring;broadcast:ring"},
                                                        {"NCCL_PROTO", "ll,Simple"},
                                                        {"NCCL_DEBUG", "info"},
                                                        {"NCCL_DEBUG_SUBSYS", "^PROXY,ALLOC"},
                                                        {"NCCL_NET_GDR_LEVEL", "PXB"},
                                                        {"NCCL_NET_GDR_LEVEL", "3"},
                                                        {"NCCL_P2P_LEVEL", "NVL"},
                                                        {"NCCL_IB_ADDR_RANGE", "10.0.0.0/8"},
                                                        {"NCCL_IB_ADDR_RANGE", "fe80::/10"},
                                                        {"NCCL_COMM_ID", "node:1234"},
                                                        {"NCCL_PROXY_CPUSET", "0-3,8"},
                                                        {"NCCL_SOCKET_FAMILY", "AF_INET6"},
                                                        {"NCCL_BUFFSIZE", "0x400000"},
                                                        {"TUTTI_TIMEOUT", "90s"},
                                                        {"TUTTI_PROGRESS_THREAD", "on"},
                                                        {"UCX_UNIFIED_MODE", "y"},
                                                        {"UCX_TLS", "anything"}}) {
    INFO(name << "=" << value);
    CHECK(check(name, value).id.empty());
  }
}

TEST_CASE("a number outside of its range is told, with the nearest that is inside") {
  CHECK(check("NCCL_IB_TIMEOUT", "40").id == "env-range");
  CHECK(check("NCCL_IB_TIMEOUT", "40").remedy == "NCCL_IB_TIMEOUT=31");
  CHECK(check("NCCL_IB_RETRY_CNT", "8").remedy == "NCCL_IB_RETRY_CNT=7");
  CHECK(check("NCCL_NTHREADS", "1024").remedy == "NCCL_NTHREADS=512");
  CHECK(check("NCCL_MAX_CTAS", "0").id == "env-range");
  CHECK(check("NCCL_P2P_DISABLE", "2").severity == Severity::note);
}

TEST_CASE("a number with a unit is told, with the number that is meant") {
  CHECK(check("NCCL_BUFFSIZE", "4M").id == "env-unit");
  CHECK(check("NCCL_BUFFSIZE", "4M").remedy == "NCCL_BUFFSIZE=4194304");
  CHECK(check("NCCL_BUFFSIZE", "4").remedy == "NCCL_BUFFSIZE=4194304");
  CHECK(check("NCCL_IB_AR_THRESHOLD", "8KiB").remedy == "NCCL_IB_AR_THRESHOLD=8192");
  CHECK(check("NCCL_IB_AR_THRESHOLD", "0").id.empty());
  CHECK(check("NCCL_SOCKET_RETRY_SLEEP_MSEC", "100ms").id == "env-unit");
  CHECK(check("NCCL_IB_TIMEOUT", "1.5").id == "env-value");
  CHECK(check("TUTTI_CALL_TIMEOUT", "90").id == "env-unit");
}

TEST_CASE("words where NCCL reads numbers are told, with what they turn into") {
  CHECK(check("NCCL_P2P_DISABLE", "true").severity == Severity::error);
  CHECK(has(check("NCCL_P2P_DISABLE", "true").what, "opposite"));
  CHECK(check("NCCL_P2P_DISABLE", "true").remedy == "NCCL_P2P_DISABLE=1");
  CHECK(check("NCCL_P2P_DISABLE", "no").severity == Severity::warning);
  CHECK(check("NCCL_P2P_DISABLE", "maybe").id == "env-value");
  CHECK(check("NCCL_P2P_DISABLE", "").what == "it is set to nothing");
}

TEST_CASE("words that a setting does not know are told, with the nearest that it does") {
  CHECK(check("NCCL_DEBUG", "INFOS").remedy == "NCCL_DEBUG=INFO");
  CHECK(has(check("NCCL_ALGO", "Rings").remedy, "Ring in place of Rings"));
  CHECK(has(check("NCCL_ALGO", "Ring,Butterfly").what, "Butterfly"));
  CHECK(check("NCCL_NET_GDR_LEVEL", "FAR").id == "env-value");
  CHECK(has(check("NCCL_DEBUG_SUBSYS", "INIT,NETS").remedy, "NET in place of NETS"));
  CHECK(check("NCCL_IB_ADDR_RANGE", "10.0.0.0").id == "env-value");
  CHECK(check("NCCL_COMM_ID", "node").id == "env-value");
  CHECK(check("NCCL_PROXY_CPUSET", "0-").id == "env-value");
}

TEST_CASE("what an unknown algorithm does depends on the version of NCCL") {
  CHECK(check("NCCL_ALGO", "Rings", {2, 30, 7}).severity == Severity::error);
  CHECK(check("NCCL_ALGO", "Rings", {2, 20, 0}).severity == Severity::warning);
  CHECK(has(check("NCCL_ALGO", "Rings", {2, 20, 0}).what, "Ring is taken"));
  CHECK(has(check("NCCL_ALGO", "allreduce:ring", {2, 20, 0}).what, "from 2.24 on"));
  CHECK(check("NCCL_ALGO", "CollNet", {2, 12, 0}).id.empty());
  CHECK_FALSE(check("NCCL_ALGO", "CollNet").id.empty());
}

TEST_CASE("an adapter's wait for an acknowledgement is told in seconds") {
  CHECK(ack_timeout(14) == "67.1 ms");
  CHECK(ack_timeout(18) == "1.07 s");
  CHECK(ack_timeout(20) == "4.29 s");
  CHECK(ack_timeout(31) == "147 min");
  const auto meaning = [](const char* name, const char* value, const Settings& others = {}) {
    return explain_value(*Database::all().find(name), value, others).value_or("");
  };
  CHECK(has(meaning("NCCL_IB_TIMEOUT", "18"),
            "= 1.07 s until a packet is sent again, and about 8.59 s until error 12, sent 8 times"));
  CHECK(has(meaning("NCCL_IB_TIMEOUT", "18", {.all = {{.name = "NCCL_IB_RETRY_CNT", .value = "2"}}}),
            "3.22 s until error 12, sent 3 times"));
  CHECK(has(meaning("NCCL_IB_TIMEOUT", "0"), "without end"));
  CHECK(has(meaning("NCCL_IB_TC", "106"), "DSCP 26 and two bits"));
  CHECK(has(meaning("NCCL_IB_AR_THRESHOLD", "0"), "every message is a plain write"));
  CHECK(has(meaning("NCCL_BUFFSIZE", "8388608"), "8 MiB"));
  CHECK(meaning("NCCL_ALGO", "Ring").empty());
}
