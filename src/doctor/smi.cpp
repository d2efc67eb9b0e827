#include "doctor/smi.hpp"

#include <fmt/format.h>

#include <charconv>
#include <pugixml.hpp>

namespace tutti::doctor {

namespace {

/// All leaves below a node, by their path.
void gather(const pugi::xml_node& node, const std::string& path, int depth, SmiGpu& gpu) {
  for (const pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element || depth > 8) continue;
    const std::string here = path.empty() ? child.name() : path + "/" + child.name();
    if (child.first_child().type() == pugi::node_element) {
      gather(child, here, depth + 1, gpu);
    } else {
      gpu.says.emplace(here, child.text().as_string());
    }
  }
}

}  // namespace

std::string SmiGpu::title() const { return fmt::format("gpu{} ({})", index, name); }

std::string_view SmiGpu::say(const std::string& path) const {
  const auto found = says.find(path);
  return found == says.end() ? std::string_view{} : std::string_view(found->second);
}

std::optional<double> SmiGpu::number(std::initializer_list<const char*> paths) const {
  for (const char* path : paths) {
    const auto text = say(path);
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault == std::errc{}) return value;
  }
  return {};
}

bool SmiGpu::slowed_by(std::string_view reason) const {
  for (const auto& [path, text] : says) {
    if (path.ends_with(reason) && path.find("_reasons/") != std::string::npos) return text == "Active";
  }
  return false;
}

std::vector<SmiGpu> smi_gpus(const Snapshot& snapshot) {
  std::vector<SmiGpu> gpus;
  const auto output = snapshot.outputs.find("nvidia-smi -q -x");
  if (output == snapshot.outputs.end()) return gpus;
  pugi::xml_document document;
  if (!document.load_buffer(output->second.data(), output->second.size())) return gpus;
  for (const pugi::xml_node node : document.child("nvidia_smi_log").children("gpu")) {
    SmiGpu gpu{.index = static_cast<int>(gpus.size()), .id = node.attribute("id").as_string()};
    gather(node, {}, 0, gpu);
    gpu.name = std::string(gpu.say("product_name"));
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

}  // namespace tutti::doctor
