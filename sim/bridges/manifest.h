// SPDX-License-Identifier: BSD-3-Clause
// model.json, Golden Gate's manifest of a model (docs/reference/interfaces/golden-gate.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hostlib/bridge_part.h"
#include "hostlib/capture_source.h"
#include "hostlib/scan_image.h"

namespace firesim::bridges {

// What an output that is not 0 may lead to.
enum class Wake {
  kNotice,  // the driver takes the tokens of this cycle, and its answer does not depend on them
  kAnswer,  // the driver may answer in the next cycle
};

// A trigger that may stand in RTL before the outputs of a bridge, which it names.
struct GateInfo {
  std::string when;
  std::vector<std::string> match;
};

// Edges of a bridge's clock for edges of the simulation's; 1 of 1 where a gate stops it, too.
struct ClockRatio {
  uint32_t edges = 1;
  uint32_t of = 1;
};

struct BridgeInfo {
  std::string kind;    // "nic"
  std::string module;  // "FireSimNICBridge"
  std::string path;    // place in the design, "blade.nic_bridge"
  bool several;        // its declaration lets a blade have more than one of the kind
  std::map<std::string, uint64_t> parameters;
  std::map<std::string, std::string> ports;  // name in the bridge -> name of the model's port
  std::map<std::string, Wake> wakes;         // outputs that wake the driver, by name in the bridge
  std::optional<GateInfo> gate;
  ClockRatio clock_ratio;
};

struct CounterInfo {
  std::string name;
  std::string description;
  std::string port;
};

// One argument of a print: bits of the print's port, and how they become text. `base` is one of
// b o d h, q (h with 'h before it), s (characters, zeros as blanks), S (without zeros before them),
// c (the last of them), e f g, u z v, n (one of `names`) and t (the target cycle, whatever the
// bits).
struct PrintArgument {
  uint32_t low_bit;
  uint32_t width_bits;
  char base;
  bool is_signed;
  char justify;  // < or >
  char pad;
  uint32_t least_width;
  int precision;                          // of e f g; -1 when not given
  std::map<uint64_t, std::string> names;  // by value
};

// An argument, or else text.
struct PrintPiece {
  std::string text;
  std::optional<PrintArgument> argument;
};

// What ends the blade. Where it has `pieces`, these are its text, else that is `message`.
struct AssertInfo {
  enum class Ends { kFail, kFinish, kStop };
  uint32_t bit;
  std::string message;
  std::string source;  // "file:line"
  std::string port;    // of the arguments; empty when there are none
  std::vector<PrintPiece> pieces;
  Ends ends;
};

struct PrintInfo {
  std::string port;  // of the arguments; empty when there are none
  std::vector<PrintPiece> pieces;
};

// A port within the tokens of a channel of a FAME-1 form.
struct FieldInfo {
  std::string port;
  uint32_t low_bit;
};

struct ChannelInfo {
  std::string name;
  bool is_input;  // host to target
  uint32_t width_bits;
  std::string bridge;  // its path; empty for what the target has beside its bridges
  std::vector<FieldInfo> fields;
};

// What is needed of a target on a platform beside the target itself.
struct HostInfo {
  // Of the model that holds the target and its host's side; empty for a form for an FPGA.
  std::string design_hash;
  // Those of `parts` are not among them.
  std::vector<ChannelInfo> channels;
  // Of a form for an FPGA with a scan chain.
  std::optional<hostlib::ScanLayout> scan;
  std::vector<hostlib::BridgePartInfo> parts;  // bridges whose host's side is RTL
  std::optional<hostlib::CaptureLayout> capture;
};

struct PortInfo {
  std::string name;
  uint32_t width_bits;
  bool is_input;
};

struct Manifest {
  std::string top;
  std::string design_hash;
  std::vector<BridgeInfo> bridges;
  std::vector<CounterInfo> counters;
  std::vector<AssertInfo> asserts;
  std::string assert_port;        // empty when the design has no asserts
  std::vector<PrintInfo> prints;  // by bit of the prints port
  std::string prints_port;        // empty when the design prints nothing
  std::string reset;
  std::vector<PortInfo> ports;
  std::optional<HostInfo> host;  // of a metasimulation or an FPGA

  // Throws ConfigError when the file is unreadable or not a model manifest of version 1.
  static Manifest read(const std::filesystem::path &file);
};

}  // namespace firesim::bridges
