#include "topology/text.hpp"

#include "catch.hpp"
#include "topology/cpu_list.hpp"
#include "topology/pci_class.hpp"
#include "topology/pci_id.hpp"
#include "topology/rates.hpp"
#include "topology/sysfs.hpp"

using namespace tutti;
using Cpus = std::vector<int>;

TEST_CASE("lists of CPUs are read and written as Linux does") {
  CHECK(parse_cpu_list("0-3,8") == Cpus{0, 1, 2, 3, 8});
  CHECK(parse_cpu_list(" 8 , 0 - 1,1\n") == Cpus{0, 1, 8});
  CHECK(parse_cpu_list("") == Cpus{});
  CHECK(parse_cpu_list("65535") == Cpus{65535});
  for (const char* bad : {"3-1", "x", "1-", "-1", "0-65536", "1;2", "99999999999", "1,,2"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_cpu_list(bad));
  }
  std::string many = "0-65535";
  for (int i = 0; i < 100; ++i) many += ",0-65535";
  CHECK_FALSE(parse_cpu_list(many));
  CHECK(format_cpu_list({0, 1, 2, 3, 8}) == "0-3,8");
  CHECK(format_cpu_list({}).empty());
}

TEST_CASE("masks of CPUs are words of 32 bits, highest first") {
  CHECK(parse_cpu_mask("f") == Cpus{0, 1, 2, 3});
  CHECK(parse_cpu_mask("1,00000002") == Cpus{1, 32});
  CHECK(parse_cpu_mask("0x1,,0x1") == Cpus{0, 64});
  CHECK(parse_cpu_mask("1,") == Cpus{32});
  CHECK(parse_cpu_mask("") == Cpus{});
  CHECK_FALSE(parse_cpu_mask("g"));
  CHECK_FALSE(parse_cpu_mask("123456789"));
  CHECK_FALSE(parse_cpu_mask(std::string(5000, ',')));
  CHECK(format_cpu_mask({0, 1, 32}) == "00000001,00000003");
  CHECK(format_cpu_mask({}) == "00000000");
  for (const Cpus& cpus : {Cpus{0}, Cpus{31, 32}, Cpus{5, 77, 128}})
    CHECK(parse_cpu_mask(format_cpu_mask(cpus)) == cpus);
}

TEST_CASE("bus ids in all spellings are one") {
  CHECK(normal_pci("1B:00.0") == "0000:1b:00.0");
  CHECK(normal_pci("00000000:1b:00.0") == "0000:1b:00.0");
  CHECK(normal_pci("0000:10:1c.0") == "0000:10:1c.0");
  CHECK(normal_pci("10000:01:00.1") == "10000:01:00.1");
  CHECK(normal_pci("FFFFFFF:FFFF:FF") == "fffffff:ffff:ff");
  CHECK(pci_number("0000:1b:00") == pci_number("0000:1b:00.0"));
  CHECK(pci_number("0001:1b:00.0") != pci_number("0000:1b:00.0"));
  for (const char* bad :
       {"", ":", ".", "1b", "1b:00.g", "1b:00.10", "0000:100:00.0", "0000:1b:000.0", "x:1b:00.0", "1b:00."}) {
    CAPTURE(bad);
    CHECK_FALSE(pci_number(bad));
  }
}

TEST_CASE("text that is no UTF-8 is found where it begins") {
  const auto good = std::string_view::npos;
  CHECK(first_invalid_utf8("plain") == good);
  CHECK(first_invalid_utf8("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80") == good);
  CHECK(first_invalid_utf8("ab\xff") == 2);
  CHECK(first_invalid_utf8("\xc3") == 0);              // cut
  CHECK(first_invalid_utf8("\xc0\x80") == 0);          // longer than needed
  CHECK(first_invalid_utf8("\xe0\x80\x80") == 0);      // the same in three
  CHECK(first_invalid_utf8("\xed\xa0\x80") == 0);      // half of a pair
  CHECK(first_invalid_utf8("\xf4\x90\x80\x80") == 0);  // beyond the last
  CHECK(first_invalid_utf8("\xc3\x28") == 0);
}

TEST_CASE("text for messages is short and harmless") {
  CHECK(shown("a\tb\x1b[4m", 20) == "a?b?[4m");
  CHECK(shown("abcdef", 3) == "abc…");
  CHECK(shown("ä", 1) == "…");
  CHECK(line_at("a\nb\nc", 4) == 3);
  CHECK(line_at("a", 99) == 1);
}

TEST_CASE("PCI functions are known by class and ids") {
  const auto kind = [](std::uint32_t pci_class, std::uint16_t vendor, std::uint16_t device) {
    return kind_of(PciFunction{.pci_class = pci_class, .vendor = vendor, .device = device});
  };
  CHECK(kind(0x030200, 0x10de, 0x2330) == DeviceKind::gpu);
  CHECK(kind(0x030000, 0x10de, 0x2684) == DeviceKind::gpu);
  CHECK(kind(0x120000, 0x1002, 0x74a1) == DeviceKind::gpu);
  CHECK(kind(0x030000, 0x1a03, 0x2000) == DeviceKind::other);  // a management controller
  CHECK(kind(0x030000, 0x1002, 0x515e) == DeviceKind::other);  // another
  CHECK(kind(0x020700, 0x15b3, 0x1021) == DeviceKind::nic);
  CHECK(kind(0x068000, 0x10de, 0x22a3) == DeviceKind::nv_switch);
  CHECK(kind(0x010802, 0x144d, 0xa808) == DeviceKind::other);
  CHECK(class_name(0x010802) == "NVMe");
  CHECK(compute_capability({.vendor = 0x10de, .device = 0x20b0}) == 80);
  CHECK(compute_capability({.vendor = 0x10de, .device = 0x2335}) == 90);
  CHECK(compute_capability({.vendor = 0x10de, .device = 0x2204}) == 86);
  CHECK(compute_capability({.vendor = 0x1002, .device = 0x2204}) == 0);
  CHECK(gfx_name({.vendor = 0x1002, .device = 0x740c}) == "90a");
}

TEST_CASE("rates of known hardware") {
  CHECK(rates::pci(32, 16).reached == Approx(48));
  CHECK(rates::pci(32, 16).rated == Approx(63.015385));
  CHECK(rates::pci(8, 16).rated == Approx(15.753846));
  CHECK(rates::pci(2.5, 1).rated == Approx(0.25));
  CHECK(rates::pci_link_of(63.015385).gigatransfers == 32);
  CHECK(rates::pci_link_of(63.015385).lanes == 16);
  CHECK(rates::pci_link_of(31.0).gigatransfers == 16);
  CHECK(rates::pci_link_of(0.25).lanes == 1);
  CHECK(rates::nvlink(90).rated * 18 * 2 == 900);  // both ways, as data sheets count
  CHECK(rates::nvlink(100).rated * 18 * 2 == 1800);
  CHECK(rates::nvlink(70).rated * 6 * 2 == 300);
  CHECK(rates::xgmi("gfx942").reached == 48);
}

TEST_CASE("sizes as the kernel writes them") {
  CHECK(parse_kernel_size("512K") == std::size_t{524288});
  CHECK(parse_kernel_size("1G") == std::size_t{1} << 30);
  CHECK(parse_kernel_size("48") == std::size_t{48});
  CHECK_FALSE(parse_kernel_size("K"));
  CHECK_FALSE(parse_kernel_size("99999999999999999999"));
  CHECK_FALSE(parse_kernel_size("1X"));
}
