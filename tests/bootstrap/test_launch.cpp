/// @file  What the variables of each launcher mean, and which of them make no sense.
#include "bootstrap/launch.hpp"

#include <map>

#include "bootstrap/helpers.hpp"
#include "bootstrap/nodelist.hpp"

using namespace helpers;
using tutti::Code;
using tutti::Endpoint;
using tutti::Launch;

namespace {

using Variables = std::map<std::string, std::string>;

Launch launch(const Variables& variables) { return tutti::launch_from(tutti::environment_of(variables)); }

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) variables[name] = value;
  return variables;
}

const Variables torchrun = {{"RANK", "3"},
                            {"WORLD_SIZE", "8"},
                            {"LOCAL_RANK", "1"},
                            {"LOCAL_WORLD_SIZE", "2"},
                            {"MASTER_ADDR", "n01"},
                            {"MASTER_PORT", "29500"},
                            {"TORCHELASTIC_RUN_ID", "run7"},
                            {"TORCHELASTIC_RESTART_COUNT", "2"}};
const Variables open_mpi = {{"OMPI_COMM_WORLD_RANK", "1"},
                            {"OMPI_COMM_WORLD_SIZE", "2"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                            {"PMIX_NAMESPACE", "2092498945"}};
const Variables mpich = {{"PMI_RANK", "1"},        {"PMI_SIZE", "4"}, {"MPI_LOCALNRANKS", "4"},
                         {"MPI_LOCALRANKID", "1"}, {"PMI_FD", "8"},   {"HYDI_CONTROL_FD", "7"}};
const Variables slurm = {{"SLURM_PROCID", "5"},       {"SLURM_NTASKS", "6"}, {"SLURM_JOB_ID", "4711"},
                         {"SLURM_STEP_ID", "0"},      {"SLURM_NNODES", "3"}, {"SLURM_STEP_NODELIST", "rack[07-09]"},
                         {"SLURM_NODELIST", "other"}, {"SLURM_LOCALID", "1"}};
const Variables by_hand = {{"TUTTI_RANK", "1"}, {"TUTTI_WORLD_SIZE", "2"}, {"TUTTI_STORE", "unix:here"}};

}  // namespace

TEST_CASE("no variables: one rank, alone") {
  const auto alone = launch({});
  CHECK(alone.launcher == "alone");
  CHECK(alone.rank == 0);
  CHECK(alone.size == 1);
  CHECK(alone.timeout == 60s);
}

TEST_CASE("TUTTI_ variables by hand say everything") {
  const auto found = launch(with(by_hand, {{"TUTTI_STORE", "tcp://[fd00::2]:4000"},
                                           {"TUTTI_JOB", "mine"},
                                           {"TUTTI_SECRET", "psst"},
                                           {"TUTTI_LISTEN", "eth0"},
                                           {"TUTTI_TIMEOUT", "90s"},
                                           {"TUTTI_HOST_ID", "a"}}));
  CHECK(found.rank == 1);
  CHECK(found.size == 2);
  CHECK(found.store == std::vector<Endpoint>{tutti::tcp_endpoint("fd00::2", 4000)});
  CHECK(found.job == "mine");
  CHECK(found.secret == "psst");
  CHECK(found.listen == "eth0");
  CHECK(found.timeout == 90s);
  CHECK(found.host_id == "a");
}

TEST_CASE("torchrun's ranks of one host meet at a socket, of several hosts beside torchrun's own port") {
  const auto several = launch(torchrun);
  CHECK(several.launcher == "torchrun");
  CHECK(several.rank == 3);
  CHECK(several.size == 8);
  CHECK(several.local_rank == 1);
  CHECK_FALSE(several.one_host);
  REQUIRE(several.store.size() == 8);
  for (const auto& place : several.store) {
    CHECK(place.host == "n01");
    CHECK(place.port != 29500);
  }
  CHECK(several.store.front().port == 29501);
  const auto one = launch(with(torchrun, {{"LOCAL_WORLD_SIZE", "8"}}));
  CHECK(one.one_host);
  CHECK(one.store.empty());
  // Neither a restart nor another torchrun of the same host is the same job.
  CHECK(one.job == several.job);
  CHECK(one.job != launch(with(torchrun, {{"TORCHELASTIC_RESTART_COUNT", "3"}})).job);
  CHECK(one.job != launch(with(torchrun, {{"MASTER_PORT", "29600"}})).job);
  CHECK(one.job != launch(with(torchrun, {{"TORCHELASTIC_RUN_ID", "run8"}})).job);
}

TEST_CASE("torchrun's port at the end of the range has its neighbours below") {
  const auto found = launch(with(torchrun, {{"MASTER_PORT", "65530"}}));
  CHECK(found.store.front().port == 65529);
  CHECK(found.store.back().port == 65522);
}

TEST_CASE("Open MPI's ranks of one host meet at a socket named by the job") {
  const auto found = launch(open_mpi);
  CHECK(found.launcher == "Open MPI");
  CHECK(found.rank == 1);
  CHECK(found.size == 2);
  CHECK(found.one_host);
  CHECK(found.store.empty());
  CHECK_FALSE(found.job_of_parent);
  CHECK(found.job != launch(with(open_mpi, {{"PMIX_NAMESPACE", "2092498946"}})).job);
  CHECK(found.job != launch(with(open_mpi, {{"OMPI_MCA_orte_precondition_transports", "60e6-5c00"}})).job);
}

TEST_CASE("MPICH's ranks of one host are named after the launcher's process") {
  const auto found = launch(mpich);
  CHECK(found.launcher == "MPICH");
  CHECK(found.rank == 1);
  CHECK(found.size == 4);
  CHECK(found.one_host);
  CHECK(found.job_of_parent);
  const auto named = launch(with(mpich, {{"PMI_JOBID", "12.3"}}));
  CHECK_FALSE(named.job_of_parent);
  CHECK(named.job == "pmi-12.3");
}

TEST_CASE("mpirun over several hosts needs a store, and the error names both remedies") {
  const auto variables = GENERATE(with(open_mpi, {{"OMPI_COMM_WORLD_SIZE", "3"}}), with(mpich, {{"PMI_SIZE", "8"}}));
  const auto error = error_of([&] { launch(variables); });
  CHECK(error.code() == Code::bootstrap);
  CHECK(says(error, "TUTTI_STORE=tcp://"));
  CHECK(says(error, "from_mpi"));
  const auto found = launch(with(variables, {{"TUTTI_STORE", "tcp://n01:4000"}}));
  CHECK(found.store == std::vector<Endpoint>{tutti::tcp_endpoint("n01", 4000)});
  CHECK_FALSE(found.job_of_parent);
  CHECK_FALSE(found.job.empty());
}

TEST_CASE("Slurm's tasks meet on the first node of the step, at ports that follow from the job") {
  const auto found = launch(slurm);
  CHECK(found.launcher == "Slurm");
  CHECK(found.rank == 5);
  CHECK(found.size == 6);
  REQUIRE_FALSE(found.store.empty());
  for (const auto& place : found.store) {
    CHECK(place.host == "rack07");
    CHECK(place.port > 20'000);
    CHECK(place.port < 32'768);  // below the ports the system gives away
  }
  CHECK(found.store == launch(slurm).store);
  CHECK(found.store != launch(with(slurm, {{"SLURM_JOB_ID", "4712"}})).store);
  CHECK(found.job != launch(with(slurm, {{"SLURM_STEP_ID", "1"}})).job);
  CHECK(launch(with(slurm, {{"SLURM_STEP_NUM_TASKS", "7"}})).size == 7);
  CHECK(launch(with(slurm, {{"SLURM_NNODES", "1"}})).one_host);
  CHECK(launch(with(slurm, {{"SLURM_NNODES", "1"}})).store.empty());
}

TEST_CASE("a batch script of Slurm, outside srun, is alone") {
  auto variables = slurm;
  variables.erase("SLURM_STEP_ID");
  CHECK(launch(variables).launcher == "alone");
}

TEST_CASE("launchers within launchers: the order is TUTTI_, torchrun, Open MPI, PMI, Slurm") {
  auto variables = slurm;
  CHECK(launch(variables).launcher == "Slurm");
  CHECK(launch(with(variables, {{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}})).launcher == "Slurm");  // srun --mpi=pmi2
  variables = with(variables, mpich);
  CHECK(launch(variables).launcher == "MPICH");
  variables = with(variables, open_mpi);
  CHECK(launch(variables).launcher == "Open MPI");
  variables = with(variables, torchrun);
  CHECK(launch(variables).launcher == "torchrun");
  variables = with(variables, by_hand);
  CHECK(launch(variables).launcher == "TUTTI_RANK");
}

TEST_CASE("a variable that makes no sense is named with its value and the remedy") {
  const auto refused = [](const Variables& variables, const std::string& words) {
    const auto error = error_of([&] { launch(variables); });
    CHECK(error.code() == Code::invalid_argument);
    CHECK_FALSE(error.context().remedy.empty());
    CHECK(says(error, words));
  };
  refused(with(torchrun, {{"RANK", "8"}}), "RANK=8 is not below WORLD_SIZE=8");
  refused(with(torchrun, {{"RANK", "-1"}}), "RANK=-1");
  refused(with(torchrun, {{"RANK", "abc"}}), "RANK=abc is not a whole number");
  refused(with(torchrun, {{"RANK", ""}}), "RANK=(empty)");
  refused(with(torchrun, {{"RANK", "1x"}}), "RANK=1x");
  refused(with(torchrun, {{"WORLD_SIZE", "0"}}), "WORLD_SIZE=0");
  refused(with(torchrun, {{"WORLD_SIZE", "99999999999999999999"}}), "WORLD_SIZE=99999999999999999999");
  refused(with(torchrun, {{"LOCAL_RANK", "2"}}), "LOCAL_RANK=2 is not below LOCAL_WORLD_SIZE=2");
  refused(with(torchrun, {{"LOCAL_WORLD_SIZE", "9"}}), "LOCAL_WORLD_SIZE=9 is more than the 8 ranks");
  refused(with(torchrun, {{"MASTER_PORT", "0"}}), "MASTER_PORT=0");
  refused({{"WORLD_SIZE", "2"}, {"RANK", "0"}}, "MASTER_ADDR is not");
  refused({{"WORLD_SIZE", "2"}}, "RANK is not");
  refused({{"OMPI_COMM_WORLD_RANK", "0"}}, "OMPI_COMM_WORLD_SIZE is not");
  refused(with(open_mpi, {{"OMPI_COMM_WORLD_RANK", "2"}}), "OMPI_COMM_WORLD_RANK=2");
  refused(with(mpich, {{"PMI_SIZE", "none"}}), "PMI_SIZE=none");
  refused(with(slurm, {{"SLURM_PROCID", "6"}}), "SLURM_PROCID=6 is not below SLURM_NTASKS=6");
  refused(with(slurm, {{"SLURM_STEP_NODELIST", "n[1-"}}), "SLURM_STEP_NODELIST=n[1-");
  refused({{"TUTTI_RANK", "0"}}, "TUTTI_WORLD_SIZE is not");
  refused({{"TUTTI_RANK", "0"}, {"TUTTI_WORLD_SIZE", "2"}}, "TUTTI_STORE is not set");
  refused(with(by_hand, {{"TUTTI_STORE", "here"}}), "TUTTI_STORE=\"here\"");
  refused(with(by_hand, {{"TUTTI_TIMEOUT", "soon"}}), "TUTTI_TIMEOUT");
  refused(with(by_hand, {{"TUTTI_SECRET", ""}}), "TUTTI_SECRET=(empty)");
  refused(with(by_hand, {{"TUTTI_JOB", std::string(256, 'j')}}), "longer than 255");
}

TEST_CASE("the variables of other programs are left alone") {
  CHECK(launch({{"RANK", "captain"}}).launcher == "alone");
  CHECK(launch({{"LOCAL_RANK", "x"}, {"MASTER_PORT", "y"}, {"SLURM_JOB_ID", "1"}}).launcher == "alone");
}

TEST_CASE("endpoints are read and written the same, and odd ones are refused with the way to write them") {
  for (const char* text : {"tcp://n01:4000", "tcp://10.0.0.1:1", "tcp://[::1]:65535", "unix:name", "unix:/tmp/a b"}) {
    CHECK(tutti::to_string(tutti::endpoint_from(text)) == text);
  }
  for (const char* text : {"", "n01:4000", "tcp://", "tcp://n01", "tcp://n01:", "tcp://n01:0", "tcp://n01:65536",
                           "tcp://n01:4000/", "tcp://:4000", "tcp://[::1]", "tcp://[::1:5", "unix:", "http://x:1"}) {
    INFO(text);
    const auto error = error_of([&] { tutti::endpoint_from(text, "TUTTI_STORE"); });
    CHECK(says(error, "TUTTI_STORE"));
    CHECK(says(error, "tcp://host:port"));
  }
}

TEST_CASE("the first host of a Slurm node list") {
  CHECK(tutti::first_host("n1") == "n1");
  CHECK(tutti::first_host("n1,n2") == "n1");
  CHECK(tutti::first_host("n[01-03,07],m5") == "n01");
  CHECK(tutti::first_host("n[7]") == "n7");
  CHECK(tutti::first_host("rack[2-3]node[010-020].site") == "rack2node010.site");
  CHECK(tutti::first_host("gpu-a[100,102-104]-x") == "gpu-a100-x");
  for (const char* odd : {"", ",n1", "n[", "n[]", "n[a-b]", "n[1", "n]1", "n 1"}) {
    INFO(odd);
    CHECK_FALSE(tutti::first_host(odd));
  }
}
