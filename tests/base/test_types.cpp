/// @file  The vocabulary: every value has one name, every name leads back to it, and sizes are what they say.
#include "tutti/base/types.hpp"

#include <set>
#include <string>

#include "catch.hpp"

namespace {

// Every value of an enum that counts `count` members from 0 has a name of its own that leads back to it.
template <class Enum, class Named>
void check_names(int count, Named named) {
  std::set<std::string> seen;
  for (int i = 0; i < count; ++i) {
    const auto value = static_cast<Enum>(i);
    const std::string text{tutti::name(value)};
    INFO(i << " is " << text);
    CHECK(text != "unknown");
    CHECK(seen.insert(text).second);
    REQUIRE(named(text).has_value());
    CHECK(*named(text) == value);
  }
  CHECK(tutti::name(static_cast<Enum>(200)) == "unknown");
  CHECK_FALSE(named("no such name").has_value());
  CHECK_FALSE(named("").has_value());
}

}  // namespace

TEST_CASE("every collective has a name that leads back to it") {
  check_names<tutti::Collective>(tutti::collective_count, tutti::collective_named);
}

TEST_CASE("every algorithm has a name that leads back to it") {
  check_names<tutti::Algorithm>(tutti::algorithm_count, tutti::algorithm_named);
}

TEST_CASE("every protocol has a name that leads back to it") { check_names<tutti::Protocol>(4, tutti::protocol_named); }

TEST_CASE("every engine has a name that leads back to it") { check_names<tutti::Backend>(7, tutti::backend_named); }

TEST_CASE("every element type has a name that leads back to it") {
  check_names<tutti::DataType>(tutti::data_type_count, tutti::data_type_named);
}

TEST_CASE("element types answer to their short names and to NCCL's") {
  using tutti::DataType;
  CHECK(tutti::data_type_named("float") == DataType::float32);
  CHECK(tutti::data_type_named("half") == DataType::float16);
  CHECK(tutti::data_type_named("bf16") == DataType::bfloat16);
  CHECK(tutti::data_type_named("double") == DataType::float64);
  CHECK(tutti::algorithm_named("auto") == tutti::Algorithm::automatic);
}

TEST_CASE("the digits in a type's name are its size in bits") {
  for (int i = 0; i < tutti::data_type_count; ++i) {
    const auto type = static_cast<tutti::DataType>(i);
    if (type == tutti::DataType::user) continue;
    const std::string text{tutti::name(type)};
    const auto bits = std::stoul(text.substr(text.find_first_of("0123456789")));
    INFO(text);
    CHECK(tutti::size_of(type) * 8 == bits);
    CHECK(tutti::is_float(type) == (text.find("float") != std::string::npos));
  }
  CHECK(tutti::size_of(tutti::DataType::user) == 0);
}

TEST_CASE("collectives say whether they reduce, have a root, or join two ranks only") {
  using tutti::Collective;
  CHECK(tutti::reduces(Collective::all_reduce));
  CHECK(tutti::reduces(Collective::reduce_scatter_v));
  CHECK_FALSE(tutti::reduces(Collective::all_gather));
  CHECK(tutti::has_root(Collective::broadcast));
  CHECK_FALSE(tutti::has_root(Collective::all_reduce));
  CHECK(tutti::is_pairwise(Collective::send));
  CHECK_FALSE(tutti::is_pairwise(Collective::barrier));
}
