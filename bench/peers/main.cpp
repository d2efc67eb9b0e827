/// @file  tutti-peers: `tutti bench` beside the collectives of one MPI, built once for each. bench/peers/run starts it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/bench_command.hpp"

int main(int argc, char** argv) {
  int status = EXIT_SUCCESS;
  try {
    CLI::App app{"tutti's collectives and those of " TUTTI_PEER ", in turn"};
    tutti::bench::BenchText text;
    text.sizes = "8,64,1K,8K,64K,512K,4M,32M,128M";
    text.in_place = "0";
    text.peer = "mpi";
    tutti::cli::add_bench_options(app, text);
    app.callback([&] { status = tutti::cli::bench_command(text); });
    CLI11_PARSE(app, argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tutti-peers: {}\n", error.what());
    return EXIT_FAILURE;
  }
  return status;
}
