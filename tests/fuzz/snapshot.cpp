/// @file  What tutti doctor was given: a snapshot of a machine, the XML of nvidia-smi, the registers of a bridge.
#include <vector>

#include "doctor/pci_config.hpp"
#include "doctor/rule.hpp"
#include "doctor/smi.hpp"
#include "doctor/snapshot.hpp"
#include "harness.hpp"

using namespace tutti;
using doctor::Snapshot;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  Snapshot snapshot;
  fuzz::may_refuse([&] {
    snapshot = doctor::read_snapshot(text, "input");
    fuzz::expect(doctor::read_snapshot(doctor::write_snapshot(snapshot), "again") == snapshot,
                 "a snapshot is read as it was written");
  });
  if (snapshot == Snapshot{}) snapshot.outputs["nvidia-smi -q -x"] = text;
  doctor::smi_gpus(snapshot);
  for (const Finding& finding : doctor::diagnose(std::vector{snapshot, snapshot})) {
    fuzz::expect(!finding.id.empty() && !finding.what.empty(), "a finding has an id and a sentence", finding.id);
  }
  doctor::acs_control(text);
  return 0;
}
