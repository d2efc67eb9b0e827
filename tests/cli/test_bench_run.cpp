/// @file  The benchmark end to end, on threads: every collective by every algorithm, and results that are wrong.
#include <algorithm>
#include <mutex>
#include <set>

#include "catch.hpp"
#include "cli/bench_collective.hpp"
#include "cli/bench_run.hpp"
#include "cli/says.hpp"
#include "tutti/choose/price.hpp"
#include "tutti/in_process.hpp"

using namespace tutti;
using namespace tutti::bench;

namespace {

BenchText quick(const std::string& collective) {
  BenchText text;
  text.collective = collective;
  text.sizes = "100,5000";
  text.iterations = 2;
  text.warm_up = 1;
  return text;
}

/// The report of rank 0; every rank's rows are compared with it.
Report measured(int ranks, const BenchText& text,
                const std::function<std::unique_ptr<Peer>(Communicator&)>& make = {}) {
  const BenchOptions options = parse(text);
  std::vector<Report> reports(static_cast<std::size_t>(ranks));
  in_process(ranks, [&](Communicator& communicator) {
    const std::unique_ptr<Peer> peer = make ? make(communicator) : nullptr;
    reports[static_cast<std::size_t>(communicator.rank())] = run(communicator, options, peer.get(), {});
  });
  for (const Report& report : reports) CHECK(report.rows.size() == reports.front().rows.size());
  return reports.front();
}

std::size_t wrong_in(const Report& report) {
  std::size_t wrong = 0;
  for (const Row& row : report.rows) wrong += row.wrong.value();
  return wrong;
}

/// A peer that is ours, but for the last byte of the last rank's result.
class Careless : public Peer {
 public:
  explicit Careless(Communicator& communicator, bool spoils) : communicator_(communicator), spoils_(spoils) {}
  std::string name() const override { return "careless"; }
  std::string version() const override { return "careless 1"; }
  std::string unsupported(const Call& call) const override { return call.in_place ? "not in place" : ""; }
  Runner runner(Call& call) override {
    const Runner ours = our_runner(communicator_, call, {});
    const bool spoils = spoils_ && communicator_.rank() == communicator_.size() - 1;
    return [ours, spoils, &call] {
      ours();
      if (spoils) call.out[call.out_bytes() - 1] ^= std::byte{1};
    };
  }

 private:
  Communicator& communicator_;
  bool spoils_;
};

}  // namespace

TEST_CASE("every collective by every algorithm is right, and rows say what was measured") {
  for (const auto name : collective_names()) {
    for (const int ranks : {2, 3}) {
      INFO(name << " on " << ranks << " ranks");
      BenchText text = quick(std::string(name));
      text.algorithms = "all";
      text.root = 1;
      const Report report = measured(ranks, text);
      REQUIRE_FALSE(report.rows.empty());
      CHECK(wrong_in(report) == 0);
      std::set<std::string> algorithms;
      for (const Row& row : report.rows) {
        algorithms.insert(row.algorithm);
        CHECK(row.collective == name);
        CHECK(row.engine == "host");
        CHECK(row.ranks == ranks);
        CHECK(row.time_us > 0);
        CHECK(row.p25_us <= row.time_us);
        CHECK(row.time_us <= row.p75_us);
        CHECK(row.p99_us > 0);
        CHECK(row.iterations == 2);
        CHECK(row.probe_after.value() > 0);
        CHECK(row.busbw_GBs == Approx(row.algbw_GBs * choose::bus_factor(*bench_collective_named(name), ranks)));
      }
      CHECK(algorithms.count("automatic") == 1);
      // What is missing has a reason, and what has a reason is missing.
      CHECK(algorithms.size() + report.notes.size() == 8);
    }
  }
}

TEST_CASE("every type and operation is checked exactly") {
  BenchText text = quick("all_reduce");
  text.sizes = "1000";
  text.types = "all";
  text.operations = "all";
  text.in_place = "0";
  text.algorithms = "ring,one_shot";
  const Report report = measured(5, text);
  CHECK(wrong_in(report) == 0);
  CHECK(report.rows.size() == 2 * (14 * 9 - 6 * 3));  // six floats have no bitwise operations
  CHECK(report.notes.size() == 18);
}

TEST_CASE("shared buffers and private ones are measured side by side") {
  BenchText text = quick("all_reduce");
  text.buffers = "private,shared";
  text.dirty = true;
  const Report report = measured(2, text);
  CHECK(report.rows.size() == 8);
  CHECK(wrong_in(report) == 0);
  CHECK(std::count_if(report.rows.begin(), report.rows.end(), [](const Row& row) { return row.buffers == "shared"; }) ==
        4);
  CHECK(report.facts.dirty);
}

TEST_CASE("one wrong element on one rank is counted, twice, for it is looked at twice") {
  BenchText text = quick("all_reduce");
  const auto careless = [](Communicator& c) { return std::make_unique<Careless>(c, true); };
  const Report report = measured(3, text, careless);
  for (const Row& row : report.rows) CHECK(row.wrong.value() == (row.engine == "careless" ? 2 : 0));
  text.check = 0;
  for (const Row& row : measured(3, text, careless).rows) CHECK_FALSE(row.wrong.has_value());
}

TEST_CASE("a ratio is the peer's time over ours, of the same size, and of its only place") {
  const BenchText text = quick("all_reduce");
  const Report report = measured(2, text, [](Communicator& c) { return std::make_unique<Careless>(c, false); });
  CHECK(report.facts.peer == "careless 1");
  CHECK(says(report.notes.at(0), {"careless is left out: not in place"}));
  int peers = 0;
  for (const Row& row : report.rows) {
    const auto theirs = std::find_if(report.rows.begin(), report.rows.end(), [&](const Row& other) {
      return other.engine == "careless" && other.size_bytes == row.size_bytes;
    });
    REQUIRE(theirs != report.rows.end());
    if (row.engine == "careless") {
      ++peers;
      CHECK(row.algorithm == "careless");
      CHECK_FALSE(row.ratio);
      CHECK(row.peer.empty());
    } else {
      CHECK(row.peer == "careless");
      CHECK(row.ratio.value() == Approx(theirs->time_us / row.time_us));
    }
  }
  CHECK(peers == 2);
}

TEST_CASE("one rank alone measures, and has no probe") {
  const Report report = measured(1, quick("all_reduce"));
  CHECK(report.rows.size() == 4);
  CHECK_FALSE(report.rows.front().probe_after);
}

TEST_CASE("sizes too small for all ranks are left out, and nothing at all is refused") {
  BenchText text = quick("all_gather");
  text.sizes = "4,4000";
  CHECK(measured(3, text).rows.size() == 2);
  text.sizes = "4";
  CHECK_THROWS_AS(measured(3, text), Refusal);
}

TEST_CASE("what a communicator cannot do is refused on all ranks") {
  BenchText text = quick("broadcast");
  text.root = 3;
  CHECK_THROWS_AS(measured(3, text), Refusal);
  CHECK_THROWS_AS(measured(1, quick("sendrecv")), Refusal);
  text = quick("all_reduce");
  text.algorithms = "ring";
  text.deterministic = true;
  CHECK_THROWS_AS(measured(2, text), Refusal);
  text = quick("all_reduce");
  text.sizes = "1000G";
  CHECK_THROWS_AS(measured(2, text), Refusal);
}
