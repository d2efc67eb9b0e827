#include "settings/database.hpp"

#include <set>

#include "catch.hpp"
#include "settings/lint.hpp"
#include "settings/value.hpp"
#include "tutti/base/error.hpp"
#include "tutti/bootstrap/world.hpp"
#include "tutti/config.hpp"

using namespace tutti;
using namespace tutti::settings;

TEST_CASE("versions of NCCL are read in all their spellings, and compare") {
  CHECK(parse_version("2.23.4+cuda12.4") == Version{2, 23, 4});
  CHECK(parse_version("v2.5") == Version{2, 5, 0});
  CHECK(parse_version("2804") == Version{2, 8, 4});
  CHECK(parse_version("22304") == Version{2, 23, 4});
  CHECK(Version{2, 9, 9} < Version{2, 23, 0});
  for (const char* bad : {"", "two", "2.", "2.x", "2.3.4.5", "-1", "2..3"}) CHECK_FALSE(parse_version(bad));
  CHECK(format({2, 30, 7}) == "2.30.7");
  CHECK(format({2, 5, 0}) == "2.5");
}

TEST_CASE("every row of the tables of settings is whole, and no name stands twice") {
  std::set<std::string_view> names;
  for (const Variable& variable : Database::all().variables()) {
    INFO(variable.name);
    CHECK(names.insert(variable.name).second);
    CHECK_FALSE(variable.meaning.empty());
    CHECK_FALSE(variable.owner.empty());
    CHECK(is_ours(variable.name));
    if (variable.status == Status::removed) {
      CHECK(variable.since <= variable.until);
      CHECK(variable.until < newest_nccl);
    }
    if (variable.status == Status::never) CHECK_FALSE(variable.instead.empty());
    if (variable.owner == "NCCL" && variable.status == Status::read) CHECK(variable.since <= newest_nccl);
  }
  CHECK(names.size() > 400);
}

TEST_CASE("every default in the table of settings is a value that the setting takes") {
  for (const Variable& variable : Database::all().variables()) {
    const std::string standard(variable.standard);
    if (!whole_number(standard)) continue;
    INFO(variable.name << "=" << standard);
    CHECK_FALSE(check_value(variable, standard, newest_nccl));
  }
}

TEST_CASE("the settings of tutti in the table are those that tutti reads") {
  std::string message;
  try {
    config_from_environment(environment_of({}), {"TUTTI_NO_SUCH_THING"});
  } catch (const Error& error) {
    message = error.context().remedy;
  }
  REQUIRE_FALSE(message.empty());
  for (const Variable& variable : Database::all().variables()) {
    if (variable.owner != "tutti") continue;
    INFO(variable.name);
    CHECK(message.find(std::string(variable.name)) != std::string::npos);
  }
  const auto start = message.find("one of ");
  REQUIRE(start != std::string::npos);
  std::string_view list = std::string_view(message).substr(start + 7);
  int count = 0;
  while (!list.empty()) {
    const auto end = std::min(list.find(", "), list.size());
    const auto name = list.substr(0, end);
    INFO(name);
    const Variable* found = Database::all().find(name);
    REQUIRE(found != nullptr);
    CHECK(found->owner == "tutti");
    ++count;
    list.remove_prefix(std::min(end + 2, list.size()));
  }
  CHECK(count >= static_cast<int>(world_variables.size()));
}

TEST_CASE("a setting is found by its name, else by its family") {
  const Database& all = Database::all();
  CHECK(all.find("NCCL_ALGO")->since == Version{2, 5, 0});
  CHECK(all.find("NCCL_TESTS_DEVICE")->owner == "nccl-tests");
  CHECK(all.find("UCX_RNDV_FRAG_SIZE")->name == "UCX_RNDV_*");
  CHECK(all.find("OMPI_MCA_coll_tuned_reduce_algorithm")->name == "OMPI_MCA_coll_tuned_*");
  CHECK(all.find("NCCL_NO_SUCH") == nullptr);
}

TEST_CASE("a setting that is misspelt leads to the one that is meant") {
  const auto meant = [](std::string_view name) -> std::string_view {
    const auto guess = Database::all().nearest(name);
    return guess.variable == nullptr ? std::string_view{} : guess.variable->name;
  };
  CHECK(meant("NCCL_IB_TIMOUT") == "NCCL_IB_TIMEOUT");
  CHECK(meant("NCCL_SOCKET_IFNAMES") == "NCCL_SOCKET_IFNAME");
  CHECK(meant("NCCL_DEGUB") == "NCCL_DEBUG");
  CHECK(meant("TUTTI_CALL_TIMEOUTS") == "TUTTI_CALL_TIMEOUT");
  CHECK(meant("NCCL_SOMETHING_ELSE") == "");
  CHECK(mended_prefix("NCLL_DEBUG") == "NCCL_DEBUG");
  CHECK(mended_prefix("TUTI_RANK") == "TUTTI_RANK");
  CHECK(mended_prefix("nccl_debug") == "NCCL_DEBUG");
  CHECK_FALSE(mended_prefix("RCCL_DEBUG"));
  CHECK_FALSE(mended_prefix("NCLL_OTHER"));
  CHECK_FALSE(mended_prefix("PATH"));
}
