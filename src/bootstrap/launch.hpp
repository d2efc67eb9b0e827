/// @file  Launch: what the variables of a launcher say, before anything is opened. A function of the environment.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tutti/base/environment.hpp"
#include "tutti/bootstrap/endpoint.hpp"

namespace tutti {

struct Launch {
  std::string launcher = "alone";  ///< as World::launcher
  int rank = 0;
  int size = 1;
  int local_rank = -1;    ///< -1: the launcher does not say
  bool one_host = false;  ///< the launcher says that all ranks are on this host
  std::string job;        ///< empty: named after the launcher's process, see `job_of_parent`
  bool job_of_parent = false;
  std::vector<Endpoint> store;  ///< rank 0 serves the first that is free; empty: a unix socket named by the job
  bool store_given = false;     ///< by TUTTI_STORE
  std::string listen;
  std::string secret;
  std::string host_id;  ///< what TUTTI_HOST_ID adds
  std::chrono::milliseconds timeout{60'000};
};

/// Throws Error(invalid_argument) that names the variable, its value and the remedy.
Launch launch_from(const Environment& environment);

}  // namespace tutti
