#include "bootstrap/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "bootstrap/nodelist.hpp"
#include "bootstrap/variables.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"

namespace tutti {

namespace {

constexpr int most_ranks = 16'777'216;
constexpr int candidate_ports = 8;

// Rank and size under the names of one launcher. Both must be there when one of them is.
void read_ranks(Launch& launch, const Variables& variables, const char* rank, const char* size) {
  launch.size = variables.required(size, 1, most_ranks, rank);
  launch.rank = variables.required(rank, 0, std::numeric_limits<int>::max(), size);
  if (launch.rank >= launch.size) {
    refuse_variable(rank, std::to_string(launch.rank), fmt::format("is not below {}={}", size, launch.size),
                    "ranks count from 0; correct one of the two");
  }
}

void read_local(Launch& launch, const Variables& variables, const char* local_rank, const char* local_size) {
  launch.local_rank = variables.number(local_rank, 0, most_ranks).value_or(-1);
  const auto size = variables.number(local_size, 1, most_ranks);
  if (!size) return;
  if (*size > launch.size) {
    refuse_variable(local_size, std::to_string(*size), fmt::format("is more than the {} ranks of the job", launch.size),
                    "correct it, or unset it");
  }
  if (launch.local_rank >= *size) {
    refuse_variable(local_rank, std::to_string(launch.local_rank), fmt::format("is not below {}={}", local_size, *size),
                    "ranks count from 0; correct one of the two");
  }
  launch.one_host = *size == launch.size;
}

// The ports where rank 0 may serve the store: after `first`, or before it at the end of the range.
std::vector<Endpoint> ports_after(const std::string& host, int first) {
  std::vector<Endpoint> endpoints;
  const int step = first + candidate_ports <= 65535 ? 1 : -1;
  for (int at = 1; at <= candidate_ports; ++at) {
    endpoints.push_back(tcp_endpoint(host, static_cast<std::uint16_t>(first + step * at)));
  }
  return endpoints;
}

// 32-bit FNV-1a: the same on all machines.
std::uint32_t spread(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

bool by_hand(Launch& launch, const Variables& variables) {
  if (!variables.has("TUTTI_RANK") && !variables.has("TUTTI_WORLD_SIZE")) return false;
  launch.launcher = "TUTTI_RANK";
  read_ranks(launch, variables, "TUTTI_RANK", "TUTTI_WORLD_SIZE");
  launch.job = "tutti";  // the store's address says the rest
  if (launch.size > 1 && !variables.has("TUTTI_STORE")) {
    throw Error(Code::invalid_argument, fmt::format("TUTTI_WORLD_SIZE={}, but TUTTI_STORE is not set", launch.size),
                {.remedy = "set TUTTI_STORE on all ranks to unix:NAME (one host) or tcp://HOST-OF-RANK-0:PORT"});
  }
  return true;
}

bool by_torchrun(Launch& launch, const Variables& variables) {
  // RANK alone is a word that other programs use too.
  if (!variables.has("WORLD_SIZE") && !(variables.has("RANK") && variables.has("MASTER_ADDR"))) return false;
  launch.launcher = "torchrun";
  read_ranks(launch, variables, "RANK", "WORLD_SIZE");
  read_local(launch, variables, "LOCAL_RANK", "LOCAL_WORLD_SIZE");
  const std::string host = variables.text_or("MASTER_ADDR", {});
  const auto port = variables.number("MASTER_PORT", 1, 65535);
  launch.job = fmt::format("torchrun-{}-{}-{}", variables.text_or("TORCHELASTIC_RUN_ID", "none"), port.value_or(0),
                           variables.text_or("TORCHELASTIC_RESTART_COUNT", "0"));
  if (launch.one_host && port) return true;
  launch.one_host = false;  // several jobs on one host would have one name
  if (!host.empty() && port) {
    launch.store = ports_after(host, *port);
  } else if (launch.size > 1 && !variables.has("TUTTI_STORE")) {
    throw Error(
        Code::invalid_argument,
        fmt::format("WORLD_SIZE={}, but {} is not set", launch.size, host.empty() ? "MASTER_ADDR" : "MASTER_PORT"),
        {.remedy = "set MASTER_ADDR and MASTER_PORT as torchrun does, or TUTTI_STORE"});
  }
  return true;
}

bool by_open_mpi(Launch& launch, const Variables& variables) {
  if (!variables.has("OMPI_COMM_WORLD_RANK") && !variables.has("OMPI_COMM_WORLD_SIZE")) return false;
  launch.launcher = "Open MPI";
  read_ranks(launch, variables, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
  read_local(launch, variables, "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE");
  const auto id = variables.first_of({"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"});
  launch.job_of_parent = id.empty();
  // Job ids come back after a while and on other machines; the key of version 4 is random.
  if (!id.empty()) {
    launch.job = fmt::format("openmpi-{}-{}", id, variables.first_of({"OMPI_MCA_orte_precondition_transports"}));
  }
  return true;
}

bool by_pmi(Launch& launch, const Variables& variables) {
  if (!variables.has("PMI_RANK") && !variables.has("PMI_SIZE")) return false;
  // srun --mpi=pmi2 sets these too, and Slurm's own say more.
  if (variables.has("SLURM_STEP_ID") && !variables.has("MPI_LOCALNRANKS")) return false;
  launch.launcher = "MPICH";
  read_ranks(launch, variables, "PMI_RANK", "PMI_SIZE");
  read_local(launch, variables, "MPI_LOCALRANKID", "MPI_LOCALNRANKS");
  const auto id = variables.first_of({"PMI_JOBID", "PMIX_NAMESPACE"});
  launch.job_of_parent = id.empty();
  if (!id.empty()) launch.job = "pmi-" + id;
  return true;
}

bool by_slurm(Launch& launch, const Variables& variables) {
  // A batch script has SLURM_PROCID=0 as well; only what srun started has a step.
  if (!variables.has("SLURM_PROCID") || !variables.has("SLURM_STEP_ID")) return false;
  launch.launcher = "Slurm";
  const char* size = variables.has("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
  read_ranks(launch, variables, "SLURM_PROCID", size);
  launch.local_rank = variables.number("SLURM_LOCALID", 0, most_ranks).value_or(-1);
  const auto job = variables.first_of({"SLURM_JOB_ID", "SLURM_JOBID"});
  launch.job = fmt::format("slurm-{}-{}-{}", job, variables.text_or("SLURM_STEP_ID", {}),
                           variables.text_or("SLURM_RESTART_COUNT", "0"));
  const auto nodes = variables.first_of({"SLURM_STEP_NUM_NODES", "SLURM_NNODES"});
  launch.one_host = nodes == "1" && !job.empty();
  if (launch.one_host) return true;
  const char* list = "SLURM_NODELIST";
  for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
    if (variables.has(name)) {
      list = name;
      break;
    }
  }
  const auto value = variables.text_or(list, {});
  const auto host = first_host(value);
  if (host && !job.empty()) {
    launch.store = ports_after(*host, 20'000 + static_cast<int>(spread(launch.job) % 8'000));
  } else if (launch.size > 1 && !variables.has("TUTTI_STORE")) {
    refuse_variable(host ? "SLURM_JOB_ID" : list, host ? job : value, "does not tell where rank 0 is",
                    "set TUTTI_STORE=tcp://HOST-OF-RANK-0:PORT on all ranks");
  }
  return true;
}

// TUTTI_ variables stand above what the launcher says.
void read_overrides(Launch& launch, const Variables& variables) {
  const auto given = [&](const char* name) {
    auto value = variables.text(name);
    if (value && value->empty()) refuse_variable(name, "(empty)", "says nothing", "set or unset it");
    return value;
  };
  if (const auto store = given("TUTTI_STORE")) {
    launch.store = {endpoint_from(*store, "TUTTI_STORE")};
    launch.store_given = true;
    if (launch.job_of_parent) launch.job = "mpirun";  // its process has another number on each host
    launch.job_of_parent = false;
  }
  if (const auto job = given("TUTTI_JOB")) {
    launch.job = *job;
    launch.job_of_parent = false;
  }
  launch.secret = given("TUTTI_SECRET").value_or("");
  launch.listen = given("TUTTI_LISTEN").value_or("");
  launch.host_id = given("TUTTI_HOST_ID").value_or("");
  if (const auto timeout = given("TUTTI_TIMEOUT")) launch.timeout = parse_duration(*timeout, "TUTTI_TIMEOUT");
  if (launch.job.size() > 255) {
    refuse_variable(variables.has("TUTTI_JOB") ? "TUTTI_JOB" : "the job's name", launch.job, "is longer than 255 bytes",
                    "set TUTTI_JOB to a shorter name");
  }
}

}  // namespace

Launch launch_from(const Environment& environment) {
  const Variables variables(environment);
  Launch launch;
  for (const auto read : {by_hand, by_torchrun, by_open_mpi, by_pmi, by_slurm}) {
    if (read(launch, variables)) break;
  }
  read_overrides(launch, variables);
  if (launch.size > 1 && launch.store.empty() && !launch.one_host) {
    throw Error(Code::bootstrap,
                fmt::format("the {} ranks of this {} job are not known to be on one host and have no store to meet at",
                            launch.size, launch.launcher),
                {.remedy = "set TUTTI_STORE=tcp://HOST-OF-RANK-0:PORT on all ranks, or call MPI_Init and use "
                           "tutti::from_mpi(MPI_COMM_WORLD)"});
  }
  return launch;
}

}  // namespace tutti
