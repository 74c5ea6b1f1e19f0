// SPDX-License-Identifier: BSD-3-Clause
//
// A snapshot by several processes; see snapshot_parts.h.
#include "core/snapshot_parts.h"

#include <stdexcept>
#include <utility>

#include "core/json_reader.h"
#include "core/regular_file.h"

namespace firesim {

namespace {

constexpr uint64_t kMaxAnswerLinks = uint64_t{1} << 32;
constexpr size_t kMaxLinkBytes = size_t{1} << 40;

std::string text_of(const nlohmann::json &order, const char *key) {
  return order.value(key, std::string());
}

}  // namespace

SnapshotParts::SnapshotParts(const PartOfTarget &part, const Scheduler &scheduler,
                             std::filesystem::path directory, Collect collect)
    : part_(part),
      processes_(*part.processes),
      scheduler_(scheduler),
      directory_(std::move(directory)),
      collect_(std::move(collect)) {}

std::filesystem::path SnapshotParts::partial(const std::string &name) const {
  return directory_ / (name + ".partial-" + processes_.name());
}

void SnapshotParts::make(const std::string &name, uint64_t cycle) {
  cleared_ = false;
  try {
    step(
        "write", name, [&] { write(name, cycle); }, [&](StateReader &state) { read_share(state); });
    SnapshotContent content;
    nlohmann::json models;
    content.cycle = cycle;
    content.configuration = parse_json(*part_.configuration, kDescriptionLimits);
    put_together(content, models);
    step("clear", name, [&] { clear(name); });
    step("place", name, [&] { place(name); });
    write_links_and_index(directory_ / name, content, models);
    sync_folder(directory_ / name);
  } catch (const std::exception &error) {
    processes_.order({{"step", "undo"}, {"name", name}});
    undo(name);
    throw std::runtime_error("cannot write the snapshot " + (directory_ / name).string() + ": " +
                             error.what());
  }
}

void SnapshotParts::remove(const std::string &name) {
  remove_snapshot(directory_ / name);
  processes_.order({{"step", "remove"}, {"name", name}});
}

void SnapshotParts::resume() { processes_.order({{"step", "resume"}}); }

// All answers are waited for before anything is thrown, so that none is taken for a later one's.
void SnapshotParts::step(const std::string &step, const std::string &name,
                         const std::function<void()> &own,
                         const std::function<void(StateReader &)> &answered) {
  processes_.order({{"step", step}, {"name", name}});
  std::string problem;
  try {
    own();
  } catch (const std::exception &error) {
    problem = "process " + processes_.name() + ": " + error.what();
  }
  for (const auto &[process, answer] : processes_.answers()) {
    const std::string where = "process " + processes_.name(process);
    StateReader state(where, answer, {});
    state.section("answer", 1);
    const std::string error = state.text();
    if (!error.empty() && problem.empty()) problem = where + ": " + error;
    if (problem.empty() && answered) answered(state);
  }
  if (!problem.empty()) throw std::runtime_error(problem);
}

void SnapshotParts::serve(uint64_t cycle) {
  std::string name;
  while (const auto order = processes_.next_order()) {
    const std::string step = text_of(*order, "step");
    if (step == "resume") return;
    name = text_of(*order, "name");
    if (!UntrustedFolder::is_plain_name(name)) {
      throw std::runtime_error("the first process ordered a snapshot " + name);
    }
    if (step == "remove") {
      remove_snapshot(directory_ / name);
    } else if (step == "undo") {
      undo(name);
    } else {
      take_step(step, name, cycle);
    }
  }
  // The first process is gone. What has been placed stays: the snapshot may have been complete.
  std::error_code ignored;
  if (!name.empty()) std::filesystem::remove_all(partial(name), ignored);
}

// The step "write" is answered with this process's share.
void SnapshotParts::take_step(const std::string &step, const std::string &name, uint64_t cycle) {
  std::string problem;
  try {
    if (step == "write") {
      write(name, cycle);
    } else if (step == "clear") {
      clear(name);
    } else {
      place(name);
    }
  } catch (const std::exception &error) {
    problem = error.what();
  }
  StateWriter state;
  state.section("answer", 1);
  state.text(problem);
  if (problem.empty() && step == "write") write_share(state);
  processes_.answer(state.data());
}

void SnapshotParts::write(const std::string &name, uint64_t cycle) {
  cleared_ = false;
  share_ = {};
  processes_.await_tokens(cycle);
  SnapshotContent content = collect_(cycle);
  for (const auto &[name, link] : part_.cut_links) {
    share_.halves[link.near_end].emplace(
        name, save_half(link, scheduler_, processes_.peer_model(link.process)));
  }
  for (SnapshotLink &link : content.links) share_.links.emplace(link.name, std::move(link.state));
  share_.ends = content.ends;
  const std::filesystem::path folder = partial(name);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  std::filesystem::create_directories(folder);
  share_.models = write_models(folder, content.models);
  sync_folder(folder);
}

void SnapshotParts::clear(const std::string &name) {
  cleared_ = true;
  remove_snapshot(directory_ / name);
}

void SnapshotParts::place(const std::string &name) {
  const std::filesystem::path from = partial(name), to = directory_ / name;
  std::filesystem::create_directories(to);
  for (const auto &entry : std::filesystem::directory_iterator(from)) {
    std::filesystem::rename(entry.path(), to / entry.path().filename());
  }
  std::filesystem::remove(from);
  sync_folder(to);
}

void SnapshotParts::undo(const std::string &name) {
  std::error_code ignored;
  std::filesystem::remove_all(partial(name), ignored);
  if (cleared_) remove_snapshot(directory_ / name);
}

void SnapshotParts::write_share(StateWriter &state) const {
  state.text(share_.models.dump());
  state.text(share_.ends.dump());
  state.u64(share_.links.size());
  for (const auto &[name, link] : share_.links) {
    state.text(name);
    state.bytes(link);
  }
  for (const auto &halves : share_.halves) {
    state.u64(halves.size());
    for (const auto &[name, half] : halves) {
      state.text(name);
      write_half(state, half);
    }
  }
}

// Adds another process's share to this one's.
void SnapshotParts::read_share(StateReader &state) {
  for (nlohmann::json &entry : parse_json(state.text(), kDescriptionLimits)) {
    share_.models.push_back(std::move(entry));
  }
  share_.ends.update(parse_json(state.text(), kDescriptionLimits));
  for (uint64_t left = state.u64(kMaxAnswerLinks); left > 0; --left) {
    const std::string name = state.text();
    share_.links[name] = state.bytes(kMaxLinkBytes);
  }
  for (auto &halves : share_.halves) {
    for (uint64_t left = state.u64(kMaxAnswerLinks); left > 0; --left) {
      const std::string name = state.text();
      halves.insert_or_assign(name, read_half(state));
    }
  }
  state.finish();
}

// Everything in the order of the description.
void SnapshotParts::put_together(SnapshotContent &content, nlohmann::json &models) {
  content.ends = std::move(share_.ends);
  std::map<std::string, nlohmann::json> entries;
  for (nlohmann::json &entry : share_.models) {
    const std::string name = entry.at("name");
    entries[name] = std::move(entry);
  }
  models = nlohmann::json::array();
  for (const std::string &name : part_.models) models.push_back(std::move(entries.at(name)));
  for (const std::string &name : part_.links) {
    SnapshotLink &link = content.links.emplace_back(SnapshotLink{name, {}});
    const auto whole = share_.links.find(name);
    if (whole != share_.links.end()) {
      link.state = std::move(whole->second);
      continue;
    }
    link.state =
        join_halves(std::move(share_.halves[0].at(name)), std::move(share_.halves[1].at(name)));
  }
  share_ = {};
}

}  // namespace firesim
