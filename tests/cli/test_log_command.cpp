#include "cli/log_command.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/doctor_input.hpp"
#include "cli/says.hpp"
#include "topology/contains.hpp"
#include "topology/fixtures.hpp"

using namespace tutti;
using namespace tutti::cli;

namespace {

const std::string log_text =
    "n1:7:7 [0] NCCL INFO Using network IB\n"
    "n1:7:8 [0] NCCL INFO comm 0x1 rank 4 nranks 8 cudaDev 0 busId 1000 - Init START\n"
    "[2026-05-05 06:16:47] n1:7:8 [0] misc/socket.cc:9 NCCL WARN Call to socket failed : Too many open files\n"
    "n1:7:8 [0] NCCL INFO init.cc:9 -> 2 unhandled system error\n";

std::string run(const LogArguments& arguments, int expected, const std::string& in = log_text) {
  std::istringstream input(in);
  std::ostringstream out;
  CHECK(log_command(arguments, input, out) == expected);
  return out.str();
}

}  // namespace

TEST_CASE("tutti log says what was used, what went wrong first, on which rank, and what to do") {
  const std::string text = run({.files = {"-"}}, 3);
  CHECK(
      says(text, {"- network: IB", "First cause: rank 4 on n1, process 7, GPU 0: the process may not open more files.",
                  "(standard input:3)", "(1) ulimit -n 1048576", "log-aborted"}));
  CHECK(text.find("log-nofile") < text.find("log-aborted"));
}

TEST_CASE("tutti log says when nothing went wrong") {
  const std::string text = run({.files = {"-"}}, 0, "n1:7:7 [0] NCCL INFO Using network IB\n");
  CHECK(says(text, {"Nothing went wrong."}));
  CHECK(says(run({.files = {"-"}}, 2, "n1:7:7 [0] a.cc:1 NCCL WARN odd\n"), {"No error ended this job."}));
}

TEST_CASE("tutti log puts several files together, and reports as JSON") {
  const TemporaryFolder folder;
  folder.write("a", "n1:7:7 [0] NCCL INFO Using network IB");
  folder.write("b", "n2:7:7 [0] NCCL INFO Using network Socket");
  const auto a = (folder.path() / "a").string();
  const auto json =
      nlohmann::json::parse(run({.files = {a, (folder.path() / "b").string()}, .format = ReportFormat::json}, 3));
  CHECK(json["findings"][0]["id"] == "log-networks-differ");
  CHECK(json["story"][0] == "NCCL of unknown version, on 2 hosts: n1, n2");
  std::istringstream in;
  std::ostringstream out;
  CHECK_THROWS_WITH(log_command({.files = {a + "missing"}}, in, out), contains("cannot read"));
}

TEST_CASE("tutti log says that nothing can be said of what is no log") {
  for (const std::string& text : {std::string(), std::string(1000, '\0'), std::string("\xff\xfe\x1b[2J\n")}) {
    const std::string said = run({.files = {"-"}}, 0, text);
    CHECK(says(said, {"no line of NCCL is in it", "nothing can be said"}));
    CHECK_FALSE(says(said, {"Nothing went wrong"}));
  }
}

TEST_CASE("files that cannot be read to their end are refused by name") {
  const TemporaryFolder folder;
  std::istringstream in("12345");
  CHECK_THROWS_WITH(contents_of(folder.path().string(), in), contains(folder.path().string() + " is a folder"));
  CHECK_THROWS_WITH(contents_of("/proc/self/mem", in), contains("cannot read /proc/self/mem"));
  CHECK_THROWS_WITH(contents_of("/dev/zero", in, 1 << 20), contains("/dev/zero has more than 1 MiB"));
  CHECK(contents_of("-", in, 5) == "12345");
  CHECK(contents_of("-", in, 0).empty());
}
