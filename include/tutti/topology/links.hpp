/// @file  What links and memories carry, by data sheet and in practice: the tables behind every assumed number.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tutti {

/// One generation of one kind of link. Bandwidths are GB/s (10^9 bytes), after the line code, before headers.
struct LinkFacts {
  std::string_view family;    ///< "NVLink", "PCIe", "InfiniBand", "Ethernet"
  std::string_view name;      ///< "NVLink 4", "PCIe 5", "NDR"
  std::string_view unit;      ///< what `one_way` is of: "link", "lane", "port"
  double one_way;             ///< one unit, one direction
  int units;                  ///< that a GPU or slot has at most: 18 links, 16 lanes, 1 port
  std::string_view on;        ///< what has that many: "H100, H200", "x16 slot"
  double reached;             ///< one unit, one direction, that large transfers are seen to reach; 0: see `source`
  std::string_view signal;    ///< "2 pairs at 100 Gbit/s each way"
  std::string_view source;    ///< of the rated numbers
  std::string_view remark{};  ///< where popular tables are wrong; may be empty

  constexpr double total_one_way() const { return one_way * units; }
  constexpr double total_both_ways() const { return 2 * total_one_way(); }
};
/// By family, slow to fast.
std::span<const LinkFacts> link_table();

/// A GPU's memory and links, by its data sheet.
struct GpuFacts {
  std::string_view name;    ///< "H100 SXM"
  std::string_view memory;  ///< "HBM3"
  double gigabytes;         ///< 10^9 bytes, as sold
  double bandwidth;         ///< GB/s of the memory
  int nvlink;               ///< generation; 0: none
  int nvlinks;              ///< physical links; 0: none
  int pcie;                 ///< generation
  std::string_view source;
};
/// NVIDIA by age, then AMD.
std::span<const GpuFacts> gpu_table();

/// Both tables for people, with sources as footnotes; ends with a line end.
std::string links_text();
/// Both tables as a JSON document: {"links": […], "gpus": […]}, names as above.
std::string links_json();

}  // namespace tutti
