#include "tutti/bootstrap/mpi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bootstrap/address.hpp"
#include "bootstrap/connect.hpp"
#include "bootstrap/mpi_check.hpp"
#include "bootstrap/mpi_network.hpp"
#include "bootstrap/secret.hpp"
#include "bootstrap/serving.hpp"
#include "tutti/bootstrap/rendezvous.hpp"
#include "tutti/bootstrap/store_server.hpp"

namespace tutti {

namespace {

// The deleter is also what tells our duplicate from anything else that a World may keep.
struct FreeDuplicate {
  void operator()(MPI_Comm* communicator) const {
    if (mpi_is_up()) MPI_Comm_free(communicator);  // afterwards MPI has freed it itself
    delete communicator;
  }
};

std::shared_ptr<MPI_Comm> duplicate_of(MPI_Comm communicator) {
  std::unique_ptr<MPI_Comm, FreeDuplicate> copy;
  MPI_Comm made = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(communicator, &made), "MPI_Comm_dup");
  copy = {new MPI_Comm(made), FreeDuplicate{}};
  check_mpi(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return copy;
}

// Rank 0's text, on all ranks.
std::string broadcast(std::string text, MPI_Comm communicator) {
  auto length = static_cast<int>(text.size());
  check_mpi(MPI_Bcast(&length, 1, MPI_INT, 0, communicator), "MPI_Bcast");
  text.resize(static_cast<std::size_t>(length));
  check_mpi(MPI_Bcast(text.data(), length, MPI_CHAR, 0, communicator), "MPI_Bcast");
  return text;
}

bool agree(bool mine, MPI_Comm communicator) {
  int all = mine ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, communicator), "MPI_Allreduce");
  return all != 0;
}

// The store as rank 0 of the job holds it: its server goes on until the others have hung up.
struct ServedStore {
  explicit ServedStore(std::shared_ptr<StoreServer> server) : server(std::move(server)), store(this->server->store()) {}
  ~ServedStore() { Serving::of_process().adopt(std::move(server)); }
  std::shared_ptr<StoreServer> server;
  std::shared_ptr<Store> store;
};

std::shared_ptr<Store> served(std::shared_ptr<StoreServer> server) {
  auto owner = std::make_shared<ServedStore>(std::move(server));
  Store* store = owner->store.get();
  return {std::move(owner), store};
}

// Where rank 0 serves, one endpoint a line, or "!" and why it cannot.
std::string serve(World& world, bool one_host, const FromMpi& options) {
  try {
    const Admission admission{world.job, world.secret};
    allow_descriptors(world.size);
    if (one_host) {
      const auto place = unix_endpoint("job-" + world.job);
      world.store = served(std::make_shared<StoreServer>(place, admission));
      return to_string(place);
    }
    const auto listen = options.listen.empty() ? "*" : options.listen;
    auto server = std::make_shared<StoreServer>(tcp_endpoint(world.host, 0), admission, ServerLimits{}, listen);
    std::string places;
    for (const auto& host : addresses_of_this_host()) {
      places += (places.empty() ? "" : "\n") + to_string(tcp_endpoint(host, server->endpoint().port));
    }
    if (places.empty()) places = to_string(tcp_endpoint("localhost", server->endpoint().port));
    world.store = served(std::move(server));
    return places;
  } catch (const Error& error) {
    return std::string("!") + error.what();
  }
}

std::vector<Endpoint> endpoints_in(const std::string& lines) {
  std::vector<Endpoint> endpoints;
  for (std::size_t begin = 0; begin <= lines.size();) {
    const auto end = std::min(lines.find('\n', begin), lines.size());
    endpoints.push_back(endpoint_from(lines.substr(begin, end - begin), "rank 0's store"));
    begin = end + 1;
  }
  return endpoints;
}

}  // namespace

World from_mpi(MPI_Comm communicator, const FromMpi& options) {
  expect(mpi_is_up(), Code::invalid_argument, "from_mpi: MPI is not initialised, or finalised already",
         "call MPI_Init before and MPI_Finalize after it, or use from_environment");
  expect(communicator != MPI_COMM_NULL, Code::invalid_argument, "from_mpi: the communicator is MPI_COMM_NULL",
         "only ranks of the communicator call from_mpi");
  int is_inter = 0;
  check_mpi(MPI_Comm_test_inter(communicator, &is_inter), "MPI_Comm_test_inter");
  expect(is_inter == 0, Code::invalid_argument, "from_mpi: the communicator is an intercommunicator",
         "merge its two groups with MPI_Intercomm_merge");

  const auto copy = duplicate_of(communicator);
  const MPI_Comm comm = *copy;
  World world = alone();
  world.launcher = "MPI";
  world.timeout = options.timeout;
  if (!options.host_id.empty()) world.host_id += '/' + options.host_id;
  world.keep_alive = copy;
  check_mpi(MPI_Comm_rank(comm, &world.rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &world.size), "MPI_Comm_size");
  world.network = mpi_network(comm, copy);
  if (world.size == 1) return world;
  try {
    world.one_process = false;
    const auto names = broadcast(random_name() + random_name(), comm);
    world.job = "mpi-" + names.substr(0, names.size() / 2);
    world.secret = names.substr(names.size() / 2);
    const bool one_host = agree(broadcast(world.host_id, comm) == world.host_id, comm);
    const auto places = broadcast(world.rank == 0 ? serve(world, one_host, options) : "", comm);
    if (places.starts_with('!')) throw Error(Code::bootstrap, "rank 0 cannot serve the store: " + places.substr(1));
    const auto deadline = world.deadline();
    if (world.rank != 0) {
      const Admission admission{world.job, world.secret};
      world.store = remote_store(connect_to_one_of(endpoints_in(places), admission, deadline, {}), admission);
    }
    gather_ranks(world, "meeting", deadline);
    return world;
  } catch (const Error& error) {
    throw error.with({.rank = world.rank, .operation = "from_mpi"});
  }
}

MPI_Comm mpi_comm_of(const World& world) {
  if (std::get_deleter<FreeDuplicate>(world.keep_alive) == nullptr) return MPI_COMM_NULL;
  return *std::static_pointer_cast<MPI_Comm>(world.keep_alive);
}

}  // namespace tutti
