// SPDX-License-Identifier: BSD-3-Clause
//
// When snapshots are made, and of what.
#include "core/snapshot_maker.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "core/fields.h"
#include "core/json_reader.h"
#include "core/printable.h"
#include "core/snapshot.h"

namespace firesim {

namespace {

constexpr size_t kMaxRequests = 16;
constexpr auto kMostFailures = 16;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool is_plain_name(const std::string &name) {
  return !name.empty() && name.size() <= 64 && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
         });
}

}  // namespace

SnapshotMaker::SnapshotMaker(const nlohmann::json &settings, const std::string &description,
                             const SimulationContext &context, Scheduler &scheduler,
                             const std::vector<std::unique_ptr<Model>> &models,
                             const std::vector<std::string> &kinds, const PartOfTarget *part)
    : description_(description), scheduler_(scheduler), models_(models), kinds_(kinds) {
  read_settings(settings, context);
  if (part != nullptr) {
    parts_ = std::make_unique<SnapshotParts>(*part, scheduler, directory_,
                                             [this](uint64_t cycle) { return collect(cycle); });
    leads_ = part->processes->is_first();
    remove_leftovers(part->processes->name());
  }
  if (!at_cycles_.empty() || interval_cycles_ != 0 || interval_s_ > 0) check_models();
  PauseOptions pauses;
  pauses.next_cycle = [this](uint64_t after) { return next_cycle(after); };
  if (leads_) {
    pauses.interval_s = interval_s_;
    pauses.at_pause = [this](uint64_t cycle, bool timed) { at_pause(cycle, timed); };
    if (parts_) pauses.resumed = [this] { parts_->resume(); };
  } else {
    pauses.at_pause = [this](uint64_t cycle, bool) { take_part(cycle); };
  }
  scheduler_.set_pauses(std::move(pauses));
}

void SnapshotMaker::read_settings(const nlohmann::json &settings,
                                  const SimulationContext &context) {
  static const nlohmann::json none = nlohmann::json::object();
  const auto found = settings.find("snapshots");
  Fields fields(found == settings.end() || found->is_null() ? none : *found, "\"snapshots\"");
  const std::string directory = fields.optional_text("directory").value_or("snapshots");
  directory_ = context.results_directory / directory;
  for (const nlohmann::json &cycle : fields.array("at_cycles", false)) {
    if (!cycle.is_number_unsigned() || cycle == 0 || cycle > kLastSnapshotCycle) {
      fields.fail("at_cycles",
                  "an array of target cycles from 1 to " + std::to_string(kLastSnapshotCycle));
    }
    at_cycles_.push_back(cycle);
  }
  std::sort(at_cycles_.begin(), at_cycles_.end());
  interval_cycles_ = fields.integer("interval_cycles", 0, kLastSnapshotCycle, 0);
  interval_s_ = fields.number("interval_s", 0, 1e9, 0);
  keep_ = fields.integer("keep", 1, 1'000'000, 2);
  fields.finish();
}

// Of a process that was ended while it wrote.
void SnapshotMaker::remove_leftovers(const std::string &process) const {
  std::error_code ignored;
  const std::string ending = ".partial-" + process;
  for (const auto &entry : std::filesystem::directory_iterator(directory_, ignored)) {
    if (entry.path().filename().string().ends_with(ending)) {
      std::filesystem::remove_all(entry.path(), ignored);
    }
  }
}

void SnapshotMaker::check_models() const {
  for (const auto &model : models_) {
    if (const auto reason = model->can_save()) {
      throw SnapshotError(model->name() + ": " + *reason + ", so there can be no snapshots of " +
                          "this system");
    }
  }
}

uint64_t SnapshotMaker::next_cycle(uint64_t after) const {
  const auto planned = std::upper_bound(at_cycles_.begin(), at_cycles_.end(), after);
  uint64_t next = planned == at_cycles_.end() ? UINT64_MAX : *planned;
  if (interval_cycles_ != 0 && after < kLastSnapshotCycle) {
    next = std::min(next, (after / interval_cycles_ + 1) * interval_cycles_);
  }
  return next;
}

// All models stand at `cycle`.
void SnapshotMaker::at_pause(uint64_t cycle, bool timed) {
  if (std::binary_search(at_cycles_.begin(), at_cycles_.end(), cycle)) {
    try_make(cycle, "cycle-" + std::to_string(cycle));
  }
  if (timed || (interval_cycles_ != 0 && cycle % interval_cycles_ == 0)) {
    const std::string name = "auto-" + std::to_string(cycle);
    if (automatic_.empty() || automatic_.back() != name) {
      if (try_make(cycle, name)) automatic_.push_back(name);
      drop_oldest();
    }
  }
  answer_requests(cycle);
}

void SnapshotMaker::drop_oldest() {
  while (automatic_.size() > keep_) {
    const std::string name = automatic_.front();
    automatic_.pop_front();
    if (parts_) {
      parts_->remove(name);
    } else {
      remove_snapshot(directory_ / name);
    }
    for (size_t i = 0; i < made_.size(); ++i) {
      if (made_[i].at("name") != name) continue;
      made_.erase(i);
      break;
    }
  }
}

// In another process than the first one.
void SnapshotMaker::take_part(uint64_t cycle) {
  try {
    parts_->serve(cycle);
  } catch (const std::exception &error) {
    scheduler_.fail(error.what());
  }
}

// All but the cycle and the description.
SnapshotContent SnapshotMaker::collect(uint64_t cycle) const {
  SnapshotContent content;
  content.ends = nlohmann::json::object();
  for (size_t i = 0; i < models_.size(); ++i) {
    const Model &model = *models_[i];
    if (const auto reason = model.can_save()) throw SnapshotError(model.name() + ": " + *reason);
    SnapshotModel &saved = content.models.emplace_back(
        SnapshotModel{model.name(), kinds_[i], model.fingerprint(), {}});
    ModelState::save(model, saved.state, cycle);
    if (model.end()) content.ends[model.name()] = model.end()->cycle;
  }
  for (const std::string &link : scheduler_.link_names()) {
    if (parts_ && parts_->is_cut(link)) continue;
    StateWriter state;
    scheduler_.save_link(link, state);
    content.links.push_back({link, state.data()});
  }
  return content;
}

nlohmann::json SnapshotMaker::make(uint64_t cycle, const std::string &name) {
  const double started_s = now_s();
  const std::filesystem::path folder = directory_ / name;
  if (parts_) {
    parts_->make(name, cycle);
  } else {
    SnapshotContent content = collect(cycle);
    content.cycle = cycle;
    content.configuration = parse_json(description_, kDescriptionLimits);
    write_snapshot(folder, content);
  }
  const nlohmann::json entry = {
      {"name", name}, {"cycle", cycle}, {"path", folder.string()}, {"wall_s", now_s() - started_s}};
  made_.push_back(entry);
  return entry;
}

bool SnapshotMaker::try_make(uint64_t cycle, const std::string &name) {
  try {
    make(cycle, name);
    return true;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", printable(error.what()).c_str());
    note_failure({{"name", name}, {"cycle", cycle}, {"error", error.what()}});
    return false;
  }
}

// The last ones: on a disk that stays full, result.json must not become longer for ever.
void SnapshotMaker::note_failure(nlohmann::json failure) {
  const auto failed = [](const nlohmann::json &entry) { return entry.contains("error"); };
  if (std::count_if(made_.begin(), made_.end(), failed) >= kMostFailures) {
    made_.erase(std::find_if(made_.begin(), made_.end(), failed));
  }
  made_.push_back(std::move(failure));
}

void SnapshotMaker::answer_requests(uint64_t cycle) {
  for (;;) {
    Request request;
    {
      const std::lock_guard lock(mutex_);
      if (requests_.empty()) return;
      request = std::move(requests_.front());
      requests_.pop_front();
    }
    try {
      if (std::filesystem::exists(directory_ / request.name)) {
        throw SnapshotError("there is a snapshot " + request.name +
                            " already, expected another name");
      }
      nlohmann::json answer = make(cycle, request.name);
      answer["ok"] = true;
      request.answer.set_value(std::move(answer));
    } catch (const std::exception &error) {
      request.answer.set_value({{"error", error.what()}});
    }
  }
}

nlohmann::json SnapshotMaker::request(const std::string &name) {
  if (!is_plain_name(name) || name.rfind("auto-", 0) == 0 || name.rfind("cycle-", 0) == 0) {
    throw SnapshotError("\"name\" is " + shown(name, 80) +
                        ", expected up to 64 letters, digits and the characters _ - . that do "
                        "not begin with \".\", \"auto-\" or \"cycle-\"");
  }
  std::future<nlohmann::json> answer;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) throw SnapshotError("the run is over");
    if (requests_.size() >= kMaxRequests) {
      throw SnapshotError("too many snapshots are being asked for at once");
    }
    Request &request = requests_.emplace_back();
    request.name = name;
    answer = request.answer.get_future();
  }
  scheduler_.request_pause();
  nlohmann::json found = answer.get();
  if (found.contains("error")) throw SnapshotError(found.at("error").get<std::string>());
  return found;
}

void SnapshotMaker::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (Request &request : requests_) {
    request.answer.set_value(
        {{"error", "the run ended before the snapshot " + request.name + " could be made"}});
  }
  requests_.clear();
}

}  // namespace firesim
