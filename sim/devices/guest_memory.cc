// SPDX-License-Identifier: BSD-3-Clause
// Target DRAM content and its loaders; see guest_memory.h.
#include "devices/guest_memory.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <fstream>

#include "core/state.h"

namespace firesim::devices {
namespace {

std::vector<uint8_t> read_file(const std::filesystem::path &file, const std::string &where) {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream) {
    throw ConfigError(fmt::format("{}: cannot read {}", where, file.string()));
  }
  std::vector<uint8_t> bytes(size);
  stream.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(size));
  if (stream.gcount() != static_cast<std::streamsize>(size)) {
    throw ConfigError(fmt::format("{}: cannot read all of {}", where, file.string()));
  }
  return bytes;
}

// The types of one class of ELF files.
struct Elf32 {
  static constexpr int kClass = ELFCLASS32;
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
};
struct Elf64 {
  static constexpr int kClass = ELFCLASS64;
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
};

// The header of `bytes`, checked to be of a little-endian executable of this class; of a RISC-V
// one unless any processor will do.
template <typename Elf>
typename Elf::Header elf_header(const std::vector<uint8_t> &bytes, const std::string &name,
                                Processor processor, const std::string &where) {
  const bool any = processor == Processor::kAny;
  const auto fail = [&](const std::string &found) {
    throw ConfigError(fmt::format("{}: {} is {}, expected {} executable ELF file", where, name,
                                  found, any ? "an" : "a 64-bit RISC-V"));
  };
  typename Elf::Header header{};
  if (bytes.size() < sizeof header || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) {
    fail("not an ELF file");
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != Elf::kClass) fail("a 32-bit ELF file");
  if (header.e_ident[EI_DATA] != ELFDATA2LSB) fail("a big-endian ELF file");
  if (header.e_machine != EM_RISCV && !any)
    fail(fmt::format("for ELF machine {}", header.e_machine));
  if (header.e_type != ET_EXEC) fail(fmt::format("of ELF type {}", header.e_type));
  const uint64_t table = uint64_t{header.e_phnum} * sizeof(typename Elf::Segment);
  if (header.e_phentsize != sizeof(typename Elf::Segment) || header.e_phoff > bytes.size() ||
      table > bytes.size() - header.e_phoff) {
    fail("cut short");
  }
  return header;
}

}  // namespace

GuestMemory::GuestMemory(uint64_t base, uint64_t size_bytes)
    : base_(base), size_bytes_(size_bytes) {
  try {
    memory_ = MappedMemory::zeros(size_bytes);
  } catch (const std::runtime_error &error) {
    throw ConfigError(
        fmt::format("cannot reserve {} bytes of target memory: {}", size_bytes, error.what()));
  }
}

void GuestMemory::save(StateWriter &state) const {
  state.section("memory", 1);
  state.u64(base_);
  state.u64(size_bytes_);
  state.region("memory", memory_.data(), size_bytes_);
}

void GuestMemory::load(StateReader &state) {
  state.section("memory", 1);
  state.expect("the base of the memory", base_);
  state.expect("the size of the memory in bytes", size_bytes_);
  memory_ = state.region("memory", size_bytes_);
}

std::unique_ptr<GuestMemory> GuestMemory::make(Config &config,
                                               const SimulationContext &simulation) {
  const uint64_t base = config.required_integer("base", 0, UINT64_MAX >> 1);
  const uint64_t size = config.required_integer("size_bytes", 4096, uint64_t{1} << 44);
  if (size % 4096 != 0) config.fail("size_bytes", "a multiple of 4096");
  if (base % 4096 != 0) config.fail("base", "a multiple of 4096");
  auto memory = std::make_unique<GuestMemory>(base, size);
  memory->load_files(config, simulation);
  return memory;
}

void GuestMemory::load_files(Config &config, const SimulationContext &simulation) {
  const nlohmann::json &list = config.child("load");
  if (!list.is_null() && !list.is_array()) config.fail("load", "a list of files");
  for (size_t i = 0; i < list.size(); ++i) {
    Config item(list[i], fmt::format("{}.load[{}]", config.where(), i));
    const auto file = simulation.input_path(item.required_text("file"));
    const std::string format = item.choice("format", {"elf", "elf_any", "raw"});
    if (simulation.restored) {  // the snapshot has it, and what became of it
      item.integer("address", 0, 0, UINT64_MAX >> 1);
    } else if (format != "raw") {
      load_elf(file, item.where(), format == "elf" ? Processor::kRiscv64 : Processor::kAny);
    } else {
      load_raw(file, item.required_integer("address", 0, UINT64_MAX >> 1), item.where());
    }
    item.finish();
  }
}

std::vector<std::pair<uint64_t, uint64_t>> GuestMemory::filled() const {
  std::vector<std::pair<uint64_t, uint64_t>> found;
  for (const Loaded &each : loaded_) found.emplace_back(each.start - base_, each.end - each.start);
  return found;
}

void GuestMemory::claim(uint64_t address, uint64_t bytes, const std::string &file,
                        const std::string &where) {
  if (!contains(address, bytes)) {
    throw ConfigError(
        fmt::format("{}: {} wants {} bytes at 0x{:x}, but the memory is {} bytes at 0x{:x}", where,
                    file, bytes, address, size_bytes_, base_));
  }
  for (const Loaded &other : loaded_) {
    if (address < other.end && other.start < address + bytes) {
      throw ConfigError(fmt::format("{}: {} at 0x{:x} to 0x{:x} overlaps {} at 0x{:x} to 0x{:x}",
                                    where, file, address, address + bytes, other.file, other.start,
                                    other.end));
    }
  }
  loaded_.push_back({address, address + bytes, file});
}

void GuestMemory::load_elf(const std::filesystem::path &file, const std::string &where,
                           Processor processor) {
  const std::vector<uint8_t> bytes = read_file(file, where);
  const bool narrow = bytes.size() > EI_CLASS && bytes[EI_CLASS] == ELFCLASS32;
  if (narrow && processor == Processor::kAny) {
    load_segments<Elf32>(bytes, file.string(), processor, where);
  } else {
    load_segments<Elf64>(bytes, file.string(), processor, where);
  }
}

template <typename Elf>
void GuestMemory::load_segments(const std::vector<uint8_t> &bytes, const std::string &name,
                                Processor processor, const std::string &where) {
  const auto header = elf_header<Elf>(bytes, name, processor, where);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    typename Elf::Segment segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    if (segment.p_filesz > segment.p_memsz || segment.p_offset > bytes.size() ||
        segment.p_filesz > bytes.size() - segment.p_offset) {
      throw ConfigError(
          fmt::format("{}: segment {} of {} reaches beyond the end of the file", where, i, name));
    }
    claim(segment.p_paddr, segment.p_memsz, name, where);
    if (segment.p_filesz != 0) {
      std::memcpy(at(segment.p_paddr), bytes.data() + segment.p_offset, segment.p_filesz);
    }
  }
}

void GuestMemory::load_raw(const std::filesystem::path &file, uint64_t address,
                           const std::string &where) {
  const std::vector<uint8_t> bytes = read_file(file, where);
  claim(address, bytes.size(), file.string(), where);
  if (!bytes.empty()) std::memcpy(at(address), bytes.data(), bytes.size());
}

}  // namespace firesim::devices
