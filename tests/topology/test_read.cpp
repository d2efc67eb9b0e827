#include "tutti/topology/read.hpp"

#include "catch.hpp"
#include "contains.hpp"
#include "fixtures.hpp"
#include "topology/reader.hpp"
#include "topology/xml.hpp"

using namespace tutti;

TEST_CASE("the kind of a text is recognised from its content") {
  CHECK(read_fixture("nccl-switched.xml").source() == "nccl-xml");
  CHECK(read_fixture("rccl-pair.xml").source() == "nccl-xml");
  CHECK(read_fixture("nccl-graph.xml").source() == "nccl-graph-xml");
  for (const char* name : {"hwloc-1.xml", "hwloc-2.xml", "hwloc-3.xml"})
    CHECK(read_fixture(name).source() == "hwloc-xml");
  CHECK(read_fixture("smi-topo-old.txt").source() == "smi-topo");
  CHECK(read_fixture("smi-topo-table.md").source() == "smi-topo");
  CHECK(read_fixture("smi-p2p.txt").source() == "smi-p2p");
  CHECK(read_fixture("smi-nvlink.txt").source() == "smi-nvlink");
  CHECK(read_fixture("rocm-smi.txt").source() == "rocm-smi");
  CHECK(read_fixture("ibstat.txt").source() == "ibstat");
  CHECK(read_fixture("nccl-log-hosts.txt").source() == "nccl-log");
  CHECK(read_fixture("slurm-block.conf").source() == "slurm");
  CHECK(read_fixture("cluster.json").source() == "tutti-cluster");
  CHECK(from_text(serialise(read_fixture("hwloc-2.xml")), "x").source() == "hwloc-xml");  // what it was made from
}

TEST_CASE("a file is read by its path and carries it as its name") {
  const auto path = fixture_path("nccl-switched.xml");
  CHECK(from_file(path).name() == path.string());
  CHECK_THROWS_WITH(from_file(path.string() + ".gone"), contains(".gone: No such file"));
  CHECK_THROWS_WITH(from_file(path.parent_path()), contains("is a folder"));
}

TEST_CASE("text that is nothing known is refused with what was expected") {
  CHECK_THAT(complaint("\n\nDear all,\nplease find"), contains("f:3: \"Dear all,\" begins nothing that is known") &&
                                                          contains("NCCL topology XML") && contains("hwloc XML"));
  CHECK_THAT(complaint("<html><body/></html>"), contains("f:1"));
}

TEST_CASE("what is no text is refused") {
  CHECK_THAT(complaint(""), contains("f: is empty"));
  CHECK_THAT(complaint(" \r\n\t\n"), contains("f: is empty"));
  CHECK_THAT(complaint(std::string("<system\nversion=\0", 17)), contains("f:2: is binary, not text"));
  CHECK_THAT(complaint("<system>\n\xe4</system>"), contains("f:2: byte 0xe4 is no UTF-8"));
  CHECK_THAT(complaint("\xff\xfe<"), contains("f: is UTF-16 text"));
  CHECK_THAT(complaint(std::string(max_text + 1, ' ')), contains("too long for a topology"));
}

TEST_CASE("a file that is too long is refused while it is read") {
  const TemporaryFolder folder;
  folder.write("long", std::string(max_text + 100, '\n'));
  CHECK_THROWS_WITH(from_file(folder.path() / "long"), contains("is longer than 32 MiB"));
}

TEST_CASE("every prefix of a fixture is read or refused, and never more") {
  for (const char* name : {"nccl-switched.xml", "nccl-odd.xml", "nccl-graph.xml", "hwloc-1.xml", "hwloc-3.xml"}) {
    const auto text = fixture(name);
    for (std::size_t length = 0; length < text.size(); length += 37) {
      CAPTURE(name, length);
      CHECK_FALSE(complaint(text.substr(0, length)).empty());
    }
  }
}

TEST_CASE("XML is read within limits") {
  CHECK_THAT(
      complaint("<!DOCTYPE system [<!ENTITY a \"x\">\n<!ENTITY b \"&a;&a;&a;\">]><system version=\"1\">&b;</system>"),
      contains("f:1: declares an entity"));
  std::string deep = "<system version=\"1\"><cpu numaid=\"0\">";
  for (int i = 0; i < 100'000; ++i) deep += "<pci busid=\"0000:01:00.0\">";
  CHECK_THAT(complaint(deep), contains("f:1: this is no XML"));
  for (int i = 0; i < 100'000; ++i) deep += "</pci>";
  CHECK_THAT(complaint(deep + "</cpu></system>"), contains("is nested deeper than 200 elements"));
  std::string wide = "<system version=\"1\">";
  for (int i = 0; i < 210'000; ++i) wide += "<a/>";
  CHECK_THAT(complaint(wide + "</system>"), contains("has more than 200000 elements"));
  for (int i = 0; i < 210'000; ++i) wide += "<a/>";
  CHECK_THAT(complaint(wide + "</system>"), contains("has more than 200000 elements"));
  CHECK_THAT(complaint("<system version=\"1\"><cpu></system>"), contains("f:1: this is no XML"));
  CHECK_THAT(complaint("<system version=\"1\"/>\n<system/>"), contains("f:2: expected the end, found a second root"));
  CHECK_THAT(complaint("<system version=\"1\">\n<cpu"), contains("f:2: this is no XML"));
}

TEST_CASE("the name of the root element is found without parsing") {
  CHECK(xml_root_name("<system version") == "system");
  CHECK(xml_root_name("\n<?xml v?><!-- <a> --><!DOCTYPE b [ <!ELEMENT c> ]>\n<d>") == "d");
  CHECK(xml_root_name("<!DOCTYPE b SYSTEM \"x.dtd\"><e/>") == "e");
  for (const char* none : {"", "text <a>", "<!-- never ends", "<?never ends", "<!DOCTYPE never ends"}) {
    CHECK(xml_root_name(none).empty());
  }
}
