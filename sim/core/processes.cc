// SPDX-License-Identifier: BSD-3-Clause
//
// One of several processes that simulate a target; see processes.h.
#include "core/processes.h"

#include <algorithm>
#include <stdexcept>

#include "core/fields.h"
#include "core/json_reader.h"
#include "core/regular_file.h"

namespace firesim {

Processes::Processes(const nlohmann::json &entries, const std::string &where,
                     const std::string &self) {
  std::vector<std::string> names;
  for (size_t i = 0; i < entries.size(); ++i) {
    Fields fields(entries[i], where + "[" + std::to_string(i) + "]");
    ProcessPlace place;
    place.name = fields.text("name");
    if (!UntrustedFolder::is_plain_name(place.name))
      fields.fail("name", "a name as a file may have");
    if (std::find(names.begin(), names.end(), place.name) != names.end()) {
      fields.fail("name", "a name that no other process has");
    }
    place.host = fields.text("host");
    place.port = static_cast<uint16_t>(fields.integer("port", 1, UINT16_MAX - entries.size()));
    place.threads = static_cast<uint32_t>(fields.integer("threads", 0, 1024, 0));
    fields.finish();
    names.push_back(place.name);
    places_.push_back(std::move(place));
  }
  const auto found = std::find(names.begin(), names.end(), self);
  if (found == names.end()) {
    throw DescriptionError(where + ": found no process \"" + self + "\"" +
                           did_you_mean(self, names));
  }
  self_ = static_cast<size_t>(found - names.begin());
}

size_t Processes::of_model(const nlohmann::json &entry, const std::string &where) const {
  const auto found = entry.find("process");
  if (found == entry.end() || found->is_null()) return 0;
  std::vector<std::string> names;
  for (const ProcessPlace &place : places_) names.push_back(place.name);
  Fields fields(entry, where);
  const std::string name = fields.choice("process", names);
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

void Processes::connect(const MeshFactory &factory, const std::string &agreement, bool compressed,
                        Scheduler &scheduler, const std::map<size_t, Wire> &wires) {
  scheduler_ = &scheduler;
  mesh_ = factory({places_, self_, agreement, compressed});
  for (const auto &[process, wire] : wires) {
    Peer &peer = peers_[process];
    peer.model = std::make_unique<PeerModel>(places_[process].name, process, wire.links,
                                             wire.cycles, *mesh_, scheduler);
    peer.index = scheduler.add_model(*peer.model, false);
  }
}

void Processes::send_all(const Message &message, std::optional<size_t> but) {
  for (size_t process = 0; process < places_.size(); ++process) {
    if (process != self_ && process != but) mesh_->send(process, message);
  }
}

void Processes::start_at(uint64_t cycle) {
  for (const auto &[process, peer] : peers_) peer.model->start_at(cycle);
}

std::map<size_t, nlohmann::json> Processes::meet(const nlohmann::json &ready) {
  for (const auto &[process, peer] : peers_) peer.model->join(peer.index);
  PauseAgreement agreement;
  if (is_first()) agreement.want = [this] { want_pause(); };
  agreement.reached = [this](uint64_t cycle) {
    if (is_first()) return reached(self_, cycle);
    mesh_->send(0, encode_number(MessageKind::kReached, cycle));
  };
  scheduler_->set_agreement(std::move(agreement));
  scheduler_->set_outside({[this] { mesh_->wait(); }, [this] { mesh_->interrupt(); }});
  mesh_->open({[this](size_t process, const Parcel &message) { received(process, message); },
               [this](size_t process, const std::string &why) { lost(process, why); }});
  send_all(encode_text(MessageKind::kReady, dump_any(ready)));
  std::unique_lock lock(mutex_);
  changed_.wait(lock,
                [this] { return !lost_early_.empty() || ready_.size() + 1 == places_.size(); });
  if (!lost_early_.empty()) throw std::runtime_error(lost_early_);
  return ready_;
}

void Processes::start() {
  std::unique_lock lock(mutex_);
  while (!early_.empty()) {
    const std::vector<std::pair<size_t, Parcel>> early = std::exchange(early_, {});
    lock.unlock();
    for (const auto &[process, message] : early) obey(process, message);
    lock.lock();
  }
  running_ = true;
  if (!lost_early_.empty()) scheduler_->fail(lost_early_);
}

// By whoever hears it.
void Processes::received(size_t process, const Parcel &parcel) {
  try {
    const std::span<const uint8_t> message = parcel.bytes;
    const MessageKind kind = kind_of(message);
    std::unique_lock lock(mutex_);
    if (kind == MessageKind::kReady) {
      ready_[process] = parse_json(decode_text(message), kDescriptionLimits);
      changed_.notify_all();
    } else if (kind == MessageKind::kDone) {
      done_[process] = decode_text(message);
      abandon_waiting();
    } else if (take_pause_message(process, message)) {
      changed_.notify_all();
    } else if (!running_) {
      early_.emplace_back(process, parcel);
    } else {
      lock.unlock();
      obey(process, parcel);
    }
  } catch (const std::exception &error) {
    scheduler_->fail("process " + name(process) + ": " + error.what());
  }
}

void Processes::obey(size_t process, const Parcel &parcel) {
  const std::span<const uint8_t> message = parcel.bytes;
  switch (kind_of(message)) {
    case MessageKind::kStop:
      return stopped(process, parse_json(decode_text(message), kDescriptionLimits));
    case MessageKind::kHold:
      return scheduler_->hold();
    case MessageKind::kReached:
      return reached(process, decode_number(message));
    case MessageKind::kPause:
      return scheduler_->pause_at(decode_number(message));
    default:
      break;
  }
  const auto peer = peers_.find(process);
  if (peer == peers_.end()) throw std::runtime_error("sent tokens, and no link leads there");
  peer->second.model->receive(parcel);
}

void Processes::stopped(size_t process, const nlohmann::json &why) {
  const std::string error = why.at("error");
  {
    const std::lock_guard lock(mutex_);
    stopped_by_other_ = true;
    for (const nlohmann::json &lost : why.at("lost")) note_lost(lost);
    abandon_waiting();
  }
  if (error.empty()) {
    scheduler_->request_stop();
  } else {
    scheduler_->fail("process " + name(process) + ": " + error);
  }
}

// Guarded by mutex_.
void Processes::note_lost(const std::string &name) {
  const auto place = std::lower_bound(lost_.begin(), lost_.end(), name);
  if (place == lost_.end() || *place != name) lost_.insert(place, name);
}

// By the thread of the mesh. One that has said that it is done may leave.
void Processes::lost(size_t process, const std::string &why) {
  const std::string text =
      "process " + name(process) + " on " + places_[process].host + " is lost: " + why;
  const std::lock_guard lock(mutex_);
  if (!done_.try_emplace(process, "").second) return;
  note_lost(name(process));
  abandon_waiting();
  if (!running_) {
    lost_early_ = text;
  } else {
    scheduler_->fail(text);
  }
}

void Processes::end(const RunResult &result, nlohmann::json &part,
                    const std::vector<std::string> &models) {
  if (!stopped_by_other_ && (result.reason == "error" || result.reason == "interrupted")) {
    const std::string error = result.reason == "error" ? result.message : "";
    send_all(encode_text(MessageKind::kStop, dump_any({{"error", error}, {"lost", lost()}})));
  }
  part["lost"] = lost();
  const MeshTraffic sent = mesh_->sent();
  part["transport"] = {
      {"messages", sent.messages}, {"bytes", sent.bytes}, {"bytes_on_wire", sent.bytes_on_wire}};
  send_all(encode_text(MessageKind::kDone, ""), 0);
  if (!is_first()) mesh_->send(0, encode_text(MessageKind::kDone, dump_any(part)));
  while (!all_done()) mesh_->wait();
  mesh_->close();
  part["lost"] = lost();
  if (!is_first()) return;
  std::vector<nlohmann::json> others;
  for (const auto &[process, text] : done_) {
    if (!text.empty()) others.push_back(parse_json(text, kDescriptionLimits));
  }
  merge_results(part, others, models);
}

bool Processes::all_done() {
  const std::lock_guard lock(mutex_);
  return done_.size() + 1 == places_.size();
}

nlohmann::json Processes::lost() {
  const std::lock_guard lock(mutex_);
  return lost_;
}

}  // namespace firesim
