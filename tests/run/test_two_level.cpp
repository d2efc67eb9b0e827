/// @file  Several hosts, played by threads over a network in memory: bits, parts of communicators, errors.
#include <chrono>
#include <stdexcept>
#include <string>

#include "catch.hpp"
#include "run/between_hosts_checks.hpp"
#include "run/on_hosts.hpp"
#include "tutti/collectives.hpp"
#include "tutti/group.hpp"

using namespace tutti;

namespace {

const std::vector<std::vector<int>> scenes{{0, 1}, {0, 0, 1, 1}, {0, 1, 0, 1, 0}, {0, 1, 1, 1, 2}};

void on_all_scenes(const std::function<void(Communicator&)>& body, const Config& config = {}) {
  for (const std::vector<int>& hosts : scenes) test::on_hosts(hosts, body, config);
}

}  // namespace

TEST_CASE("one call of the network has tutti's operators, in place and uneven too") {
  on_all_scenes(test::check_backend_mpi);
}

TEST_CASE("deterministic results between hosts are bit for bit those of one host") {
  on_all_scenes(test::check_same_bits_as_one_host);
}

TEST_CASE("communicators split across hosts and inside them") { on_all_scenes(test::check_split); }

TEST_CASE("all ranks hold the topology of all hosts") { on_all_scenes(test::check_topology); }

TEST_CASE("what is not there between hosts is refused with the reason") { on_all_scenes(test::check_refusals); }

TEST_CASE("different calls between hosts are an error on all ranks, and nothing worse") {
  on_all_scenes(test::check_mismatch, {.check_across_ranks = true});
}

TEST_CASE("tables of counts that do not agree between hosts are an error on all ranks, and nothing worse") {
  on_all_scenes(test::check_tables, {.check_across_ranks = true});
}

TEST_CASE("a message between hosts that is longer than its receive is an error") {
  test::on_hosts({0, 0, 1}, test::check_message_length);
}

TEST_CASE("who waits for a rank of another host that stays away says so in time") {
  on_all_scenes(test::check_timeout);
}

TEST_CASE("abort reaches the ranks of other hosts") { on_all_scenes(test::check_abort); }

TEST_CASE("abort reaches the ranks of other hosts on communicators that were split") {
  on_all_scenes(test::check_abort_above);
}

TEST_CASE(
    "who waits for a neighbour that has left a communicator of several hosts hears so, and tells the other hosts") {
  test::on_hosts({0, 0, 1}, [](Communicator& comm) {
    if (comm.rank() == 1) return;
    std::vector<float> values(10, 1.0F);
    try {
      all_reduce(comm, on_host(values), sum, {.timeout = std::chrono::seconds(20)}).wait();
    } catch (const Error& error) {
      if (error.code() != (comm.rank() == 0 ? Code::peer_lost : Code::aborted)) {
        throw std::runtime_error(std::string("another error: ") + error.what());
      }
      if (error.context().peer != (comm.rank() == 0 ? 1 : 0)) throw std::runtime_error("another peer");
      return;
    }
    throw std::runtime_error("no error");
  });
}

TEST_CASE("calls of a group between hosts do not wait for one another") {
  test::on_hosts({0, 0, 1, 1}, [](Communicator& comm) {
    const int right = (comm.rank() + 1) % comm.size();
    const int left = (comm.rank() + comm.size() - 1) % comm.size();
    std::vector<std::int32_t> mine(300000, comm.rank()), theirs(300000), total{1};
    Group group(comm);
    send(group, on_host(std::as_const(mine)), right);
    recv(group, on_host(theirs), left);
    all_reduce(group, on_host(total), sum);
    group.launch().wait();
    if (theirs != std::vector<std::int32_t>(300000, left) || total[0] != comm.size()) {
      throw std::runtime_error("a wrong message or sum");
    }
  });
}

TEST_CASE("long vectors between hosts pass in many chunks") {
  test::on_hosts({0, 0, 0, 1, 1, 1}, [](Communicator& comm) {
    std::vector<std::int32_t> values(1'500'001);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i) + comm.rank();
    all_reduce(comm, on_host(values), sum).wait();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != 6 * static_cast<std::int32_t>(i) + 15) throw std::runtime_error("a wrong sum");
    }
    const int root = 4;
    if (comm.rank() != root) values.assign(values.size(), 0);
    broadcast(comm, on_host(values), root).wait();
    if (values.back() != 6 * 1'500'000 + 15) throw std::runtime_error("a wrong broadcast");
    reduce(comm, on_host(values), sum, root).wait();
    if (comm.rank() == root && values[1] != 6 * (6 + 15)) throw std::runtime_error("a wrong reduce");
  });
}
