/// @file  validate_prices FOLDER: predicted against measured, over published tables of nccl-tests.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "price_fit.hpp"
#include "price_tables.hpp"

namespace {

using namespace tutti;
using namespace tutti::bench;

constexpr const char* usage =
    "validate_prices FOLDER [--quick] [--rows TABLE] [--fit SEED]\n"
    "  FOLDER       of .csv tables, and README.md that says on which machines they were measured\n"
    "  --quick      no leave-one-out errors: they take a fit for each table\n"
    "  --rows NAME  the rows of the tables that have NAME in their names\n"
    "  --fit SEED   fits all tables and prints the coefficients\n";

struct Given {
  std::string folder{};
  bool quick = false;
  std::string rows{};
  int seed = 0;
};

bool read(int argc, char** argv, Given& given) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--quick") {
      given.quick = true;
    } else if (word == "--rows" && i + 1 < argc) {
      given.rows = argv[++i];
    } else if (word == "--fit" && i + 1 < argc) {
      given.seed = std::atoi(argv[++i]);
    } else if (given.folder.empty() && !word.empty() && word.front() != '-') {
      given.folder = word;
    } else {
      return false;
    }
  }
  return !given.folder.empty();
}

/// Percent error of each table, by coefficients fitted to all the others.
std::vector<double> leave_one_out(const std::vector<PriceTable>& tables) {
  std::vector<double> errors(tables.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t t = next++; t < tables.size(); t = next++) {
      constexpr int effort = 3000;
      errors[t] = mean_absolute_error(tables[t], fit(tables, static_cast<int>(t), effort, 1));
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return errors;
}

void print_rows(const PriceTable& table) {
  fmt::print("\n{}\n{:>14} {:>12} {:>12} {:>8}  by\n", table.name, "bytes", "measured us", "predicted us", "error");
  for (const TableRow& row : table.rows) {
    const auto best =
        choose::prices(table.collective, static_cast<std::size_t>(row.bytes), table.platform, table.wanted).front();
    fmt::print("{:>14.0f} {:>12.1f} {:>12.1f} {:>+7.1f}%  {} {}\n", row.bytes, row.us, best.us,
               100 * (best.us / row.us - 1), name(best.pattern), name(best.protocol));
  }
}

int run(const Given& given) {
  std::vector<std::string> left_out;
  const auto tables = read_price_tables(given.folder, left_out);
  if (given.seed > 0) {
    auto fitted = fit(tables, -1, 25000, static_cast<unsigned>(given.seed));
    for_each_coefficient(
        fitted, [](const std::string& name, double& value, double) { fmt::print("{} {:.4g}\n", name, value); });
    for (const PriceTable& table : tables)
      fmt::print("{:<46} {:>6.1f} %\n", table.name, mean_absolute_error(table, fitted));
    return EXIT_SUCCESS;
  }
  if (!given.rows.empty()) {
    for (const PriceTable& table : tables) {
      if (table.name.find(given.rows) != std::string::npos) print_rows(table);
    }
    return EXIT_SUCCESS;
  }
  const std::vector<double> without = given.quick ? std::vector<double>{} : leave_one_out(tables);
  fmt::print(
      "Mean absolute percentage error over rows in place. Left out: predicted by coefficients fitted to the other "
      "tables.\n\n");
  fmt::print("{:<46} {:>5} {:>8} {:>8} {:>9}\n", "table", "rows", "error %", "target %", "left out %");
  int missed = 0;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const PriceTable& table = tables[t];
    const double error = mean_absolute_error(table, choose::shipped_coefficients());
    const bool bad = table.target > 0 && error > table.target;
    missed += bad ? 1 : 0;
    fmt::print("{:<46} {:>5} {:>8.1f} {:>8} {:>9}{}\n", table.name, table.rows.size(), error,
               table.target > 0 ? fmt::format("{:.0f}", table.target) : "-",
               without.empty() ? "-" : fmt::format("{:.1f}", without[t]), bad ? "  missed" : "");
  }
  for (const std::string& reason : left_out) fmt::print("not read: {}\n", reason);
  return missed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  Given given;
  if (!read(argc, argv, given)) {
    fmt::print(stderr, "{}", usage);
    return 2;
  }
  try {
    return run(given);
  } catch (const std::exception& error) {
    fmt::print(stderr, "validate_prices: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
