#include "cli/study_plot.hpp"

#include <fmt/format.h>

#include "cli/gnuplot.hpp"
#include "cli/study_failures.hpp"

namespace tutti::cli {

namespace {

/// Columns of a table as data that gnuplot reads.
std::string block(const char* name, const StudyTable& table, const std::vector<std::size_t>& columns) {
  std::string text = fmt::format("${} << END\n", name);
  for (const auto& row : table.rows) {
    for (const std::size_t column : columns) text += (row[column] == "-" ? "NaN" : row[column]) + " ";
    text += "\n";
  }
  return text + "END\n";
}

std::string curve(const std::string& data, std::string_view title, std::size_t color, const char* more = "") {
  return fmt::format("{} title {} with linespoints lc rgb '{}' lw 1.8 pt 7 ps 0.5 {}", data,
                     gnuplot_text(std::string(title)), plot_colors[color % plot_colors.size()], more);
}

std::string gpus_axis(const std::vector<std::int64_t>& gpus) {
  std::string tics;
  for (const std::int64_t count : gpus) tics += fmt::format("{}'{}' {}", tics.empty() ? "" : ", ", count, count);
  return fmt::format("set logscale x 2\nset xlabel 'GPUs'\nset xtics ({}) rotate by -35\nset xrange [{}:{}]\n", tics,
                     static_cast<double>(gpus.front()) * 0.8, static_cast<double>(gpus.back()) * 1.25);
}

std::string scale_panel(const StudyPictures& study) {
  std::string text = gpus_axis(study.gpus) + "set logscale y 10\nset format y '%g'\nset ylabel 'milliseconds'\n" +
                     fmt::format("set title {}\n", gnuplot_text("all\\_reduce by algorithm: priced, and simulated"));
  text += "set key left top\nplot ";
  for (std::size_t column = 1; column <= 5; ++column) {
    const bool played = column == 5;
    text += curve(fmt::format("$scale using 1:{}", column + 1), study.scale.heads[column], column - 1,
                  played ? "dt 2" : "") +
            (played ? "\n" : ", \\\n     ");
  }
  return text;
}

std::string placement_panel() {
  return std::string("unset logscale\nset xtics auto norotate\nset xrange [0.8:7.2]\nset yrange [0:100]\n") +
         "set xlabel 'how many times the spine is too narrow'\nset ylabel '% of the time saved'\n" +
         fmt::format("set title {}\n", gnuplot_text("Switch order against 1,000 random orders, 128 machines")) +
         "set key right bottom\nset label 1 '46 %, a claim' at 7.15,49 right font ',10' textcolor rgb '#555555'\n"
         "plot $placement using 1:2:4 title 'least to most' with filledcurves fc rgb '#0072b2' fs transparent solid "
         "0.2, "
         "\\\n     " +
         curve("$placement using 1:3", "median", 0) +
         ", \\\n     46 notitle with lines lc rgb '#555555' dt 2\nunset label 1\nset yrange [*:*]\n";
}

std::string failures_panel(const StudyPictures& study) {
  std::string text = gpus_axis(study.gpus) + "set logscale y 10\nset ylabel 'hours between failures'\n" +
                     fmt::format("set title {}\n", gnuplot_text("Failures: nodes x rate, beside what was published"));
  text += "set key left bottom\nplot ";
  std::size_t number = 0;
  for (const FailureRate& rate : failure_rates()) {
    const double of_8 = mttf_hours(8, rate.per_1000_node_days);
    text += fmt::format("{:.6g}*8/x title '{} per 1,000 node-days' with lines lc rgb '{}' lw 1.8, \\\n     ", of_8,
                        rate.per_1000_node_days, plot_colors[number++ % plot_colors.size()]);
  }
  return text + "$published using 1:2 title 'published' with points pt 6 ps 1.4 lw 2 lc rgb '#000000'\n";
}

std::string goodput_panel(const StudyPictures& study) {
  return gpus_axis(study.gpus) + "unset logscale y\nset yrange [0:100]\nset ylabel '% of the time that counts'\n" +
         fmt::format("set title {}\n", gnuplot_text("Goodput, played")) + "set key left bottom\nplot " +
         curve("$goodput using 1:2", "restart from a checkpoint", 1) + ", \\\n     " +
         curve("$goodput using 1:3", "shrinking", 2) + "\n";
}

}  // namespace

std::string plot_script(const StudyPictures& study, const std::string& file) {
  std::string script = gnuplot_head(file, 1280, 960);
  script += block("scale", study.scale, {0, 1, 2, 3, 4, 5});
  script += block("placement", study.placement, {0, 2, 3, 4});
  script += block("goodput", study.goodput, {0, 4, 5});
  script += "$published << END\n";
  for (const PublishedMttf& each : published_mttf()) script += fmt::format("{} {}\n", each.gpus, each.hours);
  script += "END\n";
  script +=
      "set multiplot layout 2,2 title 'From one machine to 131,072 GPUs: priced and simulated, nothing measured' "
      "font ',16' margins 0.07,0.97,0.09,0.89 spacing 0.1,0.17\n";
  return script + scale_panel(study) + placement_panel() + failures_panel(study) + goodput_panel(study) +
         "unset multiplot\n";
}

}  // namespace tutti::cli
