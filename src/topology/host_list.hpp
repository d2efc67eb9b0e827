/// @file  Lists of host names in Slurm's short form: "node[001-128,200],login".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tutti {

/// The longest list that is spelled out.
inline constexpr std::int64_t max_hosts = std::int64_t{1} << 20;

/// How many names a list has, without spelling them out. Nothing when it is no list: unclosed brackets, ranges that run
/// backwards, empty names, more than `max_hosts`.
std::optional<std::int64_t> count_hosts(std::string_view list);

/// Calls `visit` for each name, in order; false where count_hosts() gives nothing, and then nothing was visited.
/// Several brackets in one name vary the last fastest: "r[1-2]n[1-2]" is r1n1 r1n2 r2n1 r2n2.
bool for_each_host(std::string_view list, const std::function<void(const std::string&)>& visit);

}  // namespace tutti
