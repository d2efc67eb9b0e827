/// @file  Metrics as values: buckets, tallies of calls, who was late, and the page that is made of them.
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "run/metrics/call_reader.hpp"
#include "run/metrics/destination.hpp"
#include "run/metrics/page.hpp"
#include "run/metrics/skew.hpp"
#include "run/some_calls.hpp"
#include "topology/fixtures.hpp"

using namespace tutti;
using namespace tutti::metrics;
using tutti::test::some_call;

namespace {

bool has_line(const std::string& page, const std::string& line) {
  return ("\n" + page).find("\n" + line + "\n") != std::string::npos;
}

std::string refusal_of(const std::string& text) {
  try {
    parse_destination(text, "TUTTI_METRICS");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a value falls into the bucket whose bound it does not exceed") {
  Histogram histogram(seconds_bounds);
  for (const double value : {1e-6, 1.5e-6, 2e-6, 11.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    histogram.add(value);
  CHECK(histogram.in_bucket(0) == 3);  // 1 µs, and what is no time
  CHECK(histogram.in_bucket(1) == 2);
  CHECK(histogram.in_bucket(seconds_bounds.size()) == 1);
  CHECK(histogram.count() == 6);
  CHECK(histogram.sum() == Approx(11.0000045));
}

TEST_CASE("a page in both formats: families, units, escapes, cumulative buckets, the end") {
  const auto page = [](Style style) {
    Exposition text(style);
    text.family("x_bytes", Kind::counter, "bytes", "a \"b\"\nc");
    text.sample({{"host", "a\\b\"c\nd"}}, std::uint64_t{18446744073709551615U});
    text.family("who", Kind::info, "", "h");
    text.sample({}, std::uint64_t{1});
    text.family("t_seconds", Kind::histogram, "seconds", "h");
    Histogram histogram(seconds_bounds);
    histogram.add(1e-6);
    histogram.add(3e-6);
    histogram.add(1000);
    text.sample({{"rank", "0"}}, histogram);
    return std::move(text).finish();
  };
  const std::string open = page(Style::openmetrics);
  CHECK(has_line(open, "# TYPE x_bytes counter"));
  CHECK(has_line(open, "# UNIT x_bytes bytes"));
  CHECK(has_line(open, "# HELP x_bytes a \\\"b\\\"\\nc"));
  CHECK(has_line(open, R"(x_bytes_total{host="a\\b\"c\nd"} 18446744073709551615)"));
  CHECK(has_line(open, "# TYPE who info"));
  CHECK(has_line(open, "who_info 1"));
  CHECK(has_line(open, R"(t_seconds_bucket{rank="0",le="1e-06"} 1)"));
  CHECK(has_line(open, R"(t_seconds_bucket{rank="0",le="2e-06"} 1)"));
  CHECK(has_line(open, R"(t_seconds_bucket{rank="0",le="5e-06"} 2)"));
  CHECK(has_line(open, R"(t_seconds_bucket{rank="0",le="10"} 2)"));
  CHECK(has_line(open, R"(t_seconds_bucket{rank="0",le="+Inf"} 3)"));
  CHECK(has_line(open, R"(t_seconds_count{rank="0"} 3)"));
  CHECK(open.ends_with("\n# EOF\n"));
  const std::string plain = page(Style::prometheus);
  CHECK(has_line(plain, "# TYPE x_bytes_total counter"));
  CHECK(has_line(plain, "# TYPE who_info gauge"));
  CHECK(plain.find("# UNIT") == std::string::npos);
}

TEST_CASE("sizes are told apart in eight classes") {
  const std::vector<std::pair<std::uint64_t, std::string>> sizes = {
      {0, "0"},        {1, "256B"},         {256, "256B"},         {257, "4KiB"},         {4096, "4KiB"},
      {65537, "1MiB"}, {16 << 20, "16MiB"}, {256 << 20, "256MiB"}, {1ULL << 40, "larger"}};
  for (const auto& [bytes, name] : sizes) CHECK(size_class_name(size_class(bytes)) == name);
}

TEST_CASE("a call counts with the size, the bandwidth and the bytes that a benchmark would give it") {
  CallRecord call = some_call(1, 1000);
  CHECK(call_size(call) == 1 << 20);
  CHECK(bytes_through_memory(call) == 1 << 20);  // a ring of two: each sends half, twice
  CallTally tally;
  tally.add(call);
  const auto& [place, cell] = *tally.cells().begin();
  CHECK(place == CallTally::Place{Collective::all_reduce, size_class(1 << 20)});
  CHECK(cell.latency.sum() == Approx(1e-3));
  CHECK(cell.bandwidth.sum() == Approx((1 << 20) * 1.0 / 1e-3));

  call.collective = Collective::all_gather;
  CHECK(call_size(call) == 2 << 20);
  CHECK(bytes_through_memory(call) == 1 << 20);
  call.collective = Collective::barrier;
  CHECK(call_size(call) == 0);
  call.collective = Collective::send;
  CHECK(bytes_through_memory(call) == 1 << 20);
  call.collective = Collective::recv;
  CHECK(bytes_through_memory(call) == 0);
  call = some_call(1, 1000);
  call.engine = Backend::mpi;
  CHECK(bytes_through_memory(call) == 0);
}

TEST_CASE("a call whose end was not noted counts, without a time, a failed one counts as that") {
  CallTally tally;
  CallRecord call = some_call(1, 1000);
  call.ended = 0;
  tally.add(call);
  call = some_call(2, 1000);
  call.state = CallState::failed;
  call.code = Code::timeout;
  tally.add(call);
  CHECK(tally.cells().empty());
  CHECK(tally.ways().begin()->second == 2);
  CHECK(tally.failures().at(Code::timeout) == 1);
}

TEST_CASE("a reader takes each call once, in whatever order calls end, and knows of those it missed") {
  CallReader reader;
  CallTally tally;
  std::vector<CallRecord> recent = {some_call(1, 10), some_call(2, 20), some_call(3, 30)};
  recent[1].state = CallState::running;
  reader.read(recent, tally);
  CHECK(tally.calls == 3);
  CHECK(tally.in_flight == 1);
  CHECK(tally.ways().begin()->second == 2);
  CHECK(reader.since() == 1);
  recent = {recent[1], recent[2]};
  reader.read(recent, tally);
  CHECK(tally.ways().begin()->second == 2);
  recent[0].state = CallState::done;
  recent.push_back(some_call(5000, 50));  // 4 to 4999 were overwritten
  reader.read(recent, tally);
  CHECK(tally.calls == 5000);
  CHECK(tally.in_flight == 0);
  CHECK(tally.ways().begin()->second == 4);
  CHECK(reader.since() == 5000);
}

TEST_CASE("two recorders of one rank, one after the other, count on") {
  CallTally tally;
  CallReader first, second;
  std::vector<CallRecord> recent = {some_call(1, 10), some_call(2, 20)};
  recent[1].state = CallState::queued;
  first.read(recent, tally);
  first.leave(tally);
  CHECK(tally.in_flight == 0);
  second.read({some_call(1, 10)}, tally);
  CHECK(tally.calls == 3);
}

TEST_CASE("of calls that all have entered, the last one is late by its distance from the first") {
  SkewFinder finder;
  std::vector<std::vector<CallRecord>> records(2);
  records[0] = {some_call(1, 1000), some_call(2, 5000)};
  records[1] = {some_call(1, 4000, 1)};  // has not come to its second call
  auto found = finder.compare(records);
  REQUIRE(found.size() == 1);
  CHECK(found[0].last == 1);
  CHECK(found[0].late[0] == 0);
  CHECK(found[0].late[1] == Approx(3e-6));
  records[1].push_back(some_call(2, 2000, 1));
  found = finder.compare(records);
  REQUIRE(found.size() == 1);
  CHECK(found[0].last == 0);
  CHECK(finder.compare(records).empty());  // each call once
}

TEST_CASE("sends, and communicators of one rank, are compared with nothing") {
  SkewFinder finder;
  std::vector<std::vector<CallRecord>> records = {{some_call(1, 10)}, {some_call(1, 20, 1)}};
  for (auto& of_rank : records) of_rank[0].collective = Collective::send;
  CHECK(finder.compare(records).empty());
  records = {{some_call(1, 10)}, {some_call(1, 20, 1)}, {}};
  for (auto& of_rank : {&records[0], &records[1]}) {  // the third has not made a call yet
    of_rank->front().size = 3;
    of_rank->front().state = CallState::running;
  }
  CHECK(finder.compare(records).empty());
  for (auto& of_rank : {&records[0], &records[1]}) of_rank->front().size = 9;  // the others are on other hosts
  CHECK(finder.compare(records).size() == 1);
  records = {{some_call(1, 10)}, {some_call(1, 20, 1)}};
  records[1][0].communicator = 5;
  CHECK(finder.compare(records).empty());
  CHECK(finder.compare({}).empty());
}

TEST_CASE("calls of a few ranks of several hosts are compared once all have surely come") {
  SkewFinder finder;
  std::vector<std::vector<CallRecord>> records = {{some_call(1, 1000)}, {some_call(1, 4000, 1)}, {}, {}};
  for (auto& of_rank : {&records[0], &records[1]}) {
    of_rank->front().size = 4;  // two here, two elsewhere; or two here that have not come
    of_rank->front().state = CallState::running;
  }
  CHECK(finder.compare(records).empty());
  for (auto& of_rank : {&records[0], &records[1]}) of_rank->front().state = CallState::done;
  const auto found = finder.compare(records);
  REQUIRE(found.size() == 1);
  CHECK(found[0].late[1] == Approx(3e-6));
  for (auto& of_rank : {&records[0], &records[1]}) {  // of this one nobody waits for all
    of_rank->front().turn += 1;
    of_rank->front().collective = Collective::broadcast;
  }
  CHECK(finder.compare(records).empty());
}

TEST_CASE("a failure that has not occurred is told as none, so that the first one is seen as a rise") {
  Snapshot snapshot;
  snapshot.ranks.resize(1);
  const std::string page = page_of(snapshot, Style::prometheus, {{"run", "j"}, {"rank", "other"}});
  for (int code = 1; code <= static_cast<int>(Code::internal); ++code) {
    CHECK(has_line(page, "tutti_call_failures_total{rank=\"0\",code=\"" + std::string(name(static_cast<Code>(code))) +
                             "\",run=\"j\"} 0"));
  }
}

TEST_CASE("a page names ranks, GPUs and links, and has each family once") {
  Snapshot snapshot;
  snapshot.ranks.resize(2);
  for (int rank = 0; rank < 2; ++rank) {
    RankMetrics& metrics = snapshot.ranks[static_cast<std::size_t>(rank)];
    metrics.facts = {.rank = rank, .ranks = 2, .host = "n01", .job = "j\"1"};
    metrics.tally.add(some_call(1, 10));
    metrics.tally.calls = 7;
  }
  snapshot.ranks[0].tally.add_skew(Collective::all_reduce, 8, 3e-6);
  snapshot.late[5] = {.seconds = 1.5, .last = 3};
  snapshot.gpus.push_back({.index = 1, .uuid = "GPU-1", .name = "H200", .utilisation = 0.5, .nvlink_sent = 4096});
  snapshot.ports.push_back({.link = "infiniband", .device = "mlx5_0:1", .sent = 8, .received = 9});
  const std::string page = page_of(snapshot, Style::openmetrics);
  CHECK(has_line(page, "tutti_calls_total{rank=\"1\"} 7"));
  CHECK(has_line(page, R"(tutti_calls_read_total{rank="0",collective="all_reduce",engine="host",algorithm="ring"} 1)"));
  CHECK(has_line(page, R"(tutti_call_latency_seconds_count{rank="0",collective="all_reduce",size="1MiB"} 1)"));
  CHECK(has_line(page, R"(tutti_arrival_skew_seconds_sum{rank="0",collective="all_reduce",size="256B"} 3e-06)"));
  CHECK(has_line(page, R"(tutti_late_arrivals_total{rank="5"} 3)"));
  CHECK(has_line(page, R"(tutti_gpu_utilisation_ratio{host="n01",gpu="1"} 0.5)"));
  CHECK(page.find("tutti_gpu_power_watts{") == std::string::npos);  // it does not tell
  CHECK(has_line(page, R"(tutti_link_bytes_total{host="n01",link="nvlink",device="gpu1",direction="sent"} 4096)"));
  CHECK(has_line(page,
                 R"(tutti_link_bytes_total{host="n01",link="infiniband",device="mlx5_0:1",direction="received"} 9)"));
  std::map<std::string, int> families;
  for (std::size_t at = page.find("# TYPE "); at != std::string::npos; at = page.find("# TYPE ", at + 1)) {
    ++families[page.substr(at, page.find('\n', at) - at)];
  }
  for (const auto& [family, times] : families) CHECK(times == 1);
}

TEST_CASE("GPUs tell what they know, and a lost one is left out") {
  nvml::Functions f;
  f.count = [](unsigned* count) { return *count = 3, 0; };
  f.handle = [](unsigned index, nvml::Handle* handle) {
    *handle = reinterpret_cast<nvml::Handle>(static_cast<std::uintptr_t>(index) + 1);
    return index == 1 ? 15 : 0;
  };
  f.uuid = [](nvml::Handle, char* text, unsigned size) { return std::snprintf(text, size, "GPU-x"), 0; };
  f.utilisation = [](nvml::Handle, nvml::Utilisation* busy) { return *busy = {75, 10}, 0; };
  f.memory = [](nvml::Handle, nvml::Memory* memory) { return *memory = {100, 40, 60}, 0; };
  f.temperature = [](nvml::Handle, int, unsigned* celsius) { return *celsius = 55, 0; };
  f.power = [](nvml::Handle, unsigned* milliwatts) { return *milliwatts = 350500, 0; };
  f.power_limit = [](nvml::Handle, unsigned*) { return 3; };  // not supported
  f.field_values = [](nvml::Handle, int, nvml::FieldValue* value) {
    if (value->field == 138 && value->scope == ~0U)
      *value = {.field = 138, .scope = value->scope, .timestamp = 0, .latency = 0, .type = 3, .result = 0, .value = 2};
    else
      value->result = 3;
    return 0;
  };
  const std::vector<GpuReading> gpus = read_gpus(f);
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[1].index == 2);
  CHECK(gpus[0].uuid == "GPU-x");
  CHECK(gpus[0].utilisation == 0.75);
  CHECK(gpus[0].memory_used == 60U);
  CHECK(gpus[0].temperature == 55.0);
  CHECK(gpus[0].power == 350.5);
  CHECK_FALSE(gpus[0].power_limit);
  CHECK(gpus[0].nvlink_sent == 2048U);
  CHECK_FALSE(gpus[0].pcie_sent);
  CHECK(read_gpus({}).empty());
}

TEST_CASE("ports are read from the kernel's folders: adapters by word, interfaces that are adapters") {
  const TemporaryFolder root;
  const std::string port = "sys/class/infiniband/mlx5_0/ports/1/";
  root.write(port + "counters/port_xmit_data", "25\n");
  root.write(port + "counters/port_rcv_data", "5\n");
  root.write(port + "link_layer", "Ethernet\n");
  root.write("sys/class/infiniband/mlx5_1/ports/1/link_layer", "InfiniBand\n");  // tells no numbers
  root.write("sys/class/net/lo/statistics/tx_bytes", "1\n");
  for (const char* name : {"eth0", "veth1"}) {
    root.write(std::string("sys/class/net/") + name + "/statistics/tx_bytes", "7\n");
    root.write(std::string("sys/class/net/") + name + "/statistics/rx_bytes", "8\n");
  }
  root.write("sys/class/net/eth0/device/vendor", "0x15b3\n");
  const std::vector<PortReading> ports = read_ports(root.path().string());
  REQUIRE(ports.size() == 2);
  CHECK(ports[0].link == "roce");
  CHECK(ports[0].device == "mlx5_0:1");
  CHECK(ports[0].sent == 100);
  CHECK(ports[0].received == 20);
  CHECK(ports[1].device == "eth0");
  CHECK(ports[1].received == 8);
  CHECK(read_ports("/there/is/no/such/folder").empty());
}

TEST_CASE("a destination is a port, an address, a folder, or one of each, this machine only unless told") {
  const auto is = [](const std::string& text, const std::string& address, int port, const std::string& folder) {
    const Destination destination = parse_destination(text, "x");
    return destination.address == address && destination.port == port && destination.folder == folder;
  };
  CHECK(is("", "", 0, ""));
  CHECK(is("9400", "127.0.0.1", 9400, ""));
  CHECK(is("0", "127.0.0.1", 0, ""));
  CHECK(is("localhost:1", "127.0.0.1", 1, ""));
  CHECK(is("http://0.0.0.0:9400/metrics", "0.0.0.0", 9400, ""));
  CHECK(is("[::1]:9400", "::1", 9400, ""));
  CHECK(is("file:/a b", "", 0, "/a b"));
  CHECK(is("9400,file:m", "127.0.0.1", 9400, "m"));
  for (const char* text :
       {"70000", "-1", "host", "example.org:9400", "1.2.3:9400", "9400,9401", "file:", "file:a,file:b", ":9400", ","}) {
    INFO(text);
    const std::string said = refusal_of(text);
    CHECK(said.find("TUTTI_METRICS") != std::string::npos);
    CHECK(said.find("use a port") != std::string::npos);
  }
}
