// SPDX-License-Identifier: BSD-3-Clause
// What a target on a platform is inside, with the names of engine `rtl`: a model of the same blade
// for that engine, which never runs, and which takes over the registers and memories of the target
// where that stands, or gives it others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bridges/model_library.h"
#include "hostlib/target_state.h"

namespace firesim::bridges {

class TargetTwin {
 public:
  struct Files {
    std::filesystem::path library, manifest;  // of the model for engine rtl
    std::filesystem::path map;                // deploy/firesim/build/{state,scan}_map.py
  };
  using Ports = std::map<std::string, FiresimPort>;

  // `ports` are those of the target; they and `state`, what it holds, outlive this. Throws
  // ConfigError, starting with `where`, when the files are not of this target.
  TargetTwin(const Files &files, hostlib::TargetState &state, const Ports &ports,
             const std::string &where);

  // Why the state of the two is not the same. If there is a reason, only this is to be called.
  const std::optional<std::string> &refused() const { return refused_; }
  ModelInstance &model() { return model_; }
  // What a state of it fits, as RtlBlade::fingerprint() says it.
  std::string fingerprint() const;

  // Takes over the state of the target, and its inputs.
  void look();
  // Gives its state to the target. Returns the name of a register or memory that has a value here
  // that it cannot have there, and then the target's is what it was or must not run.
  std::optional<std::string> put();
  // Gives its inputs to the ports of the target.
  void put_inputs();

 private:
  // Bits of a word that are in both.
  struct Piece {
    FiresimSignal twin, target;
    uint32_t twin_low, target_low, width, rows;

    bool is_whole() const;
    void look() const;
    void put() const;
    bool is_equal() const;
  };
  struct Fixed {
    FiresimSignal twin;
    uint32_t low, width;
    uint64_t value;
    bool is_read;  // else the target's form leaves the bits out, and any value can go there
  };
  struct Constant {
    FiresimSignal twin;
    std::vector<uint8_t> content;
  };
  struct Input {
    FiresimPort twin, target;
  };

  void read_map(const nlohmann::json &map);

  std::string design_hash_;
  ModelInstance model_;
  hostlib::TargetState &state_;
  std::optional<std::string> refused_;
  std::vector<Piece> pieces_;
  std::vector<Fixed> fixed_;         // the target's form has no register for them
  std::vector<Constant> constants_;  // memories that nothing writes
  std::vector<Input> inputs_;
};

}  // namespace firesim::bridges
