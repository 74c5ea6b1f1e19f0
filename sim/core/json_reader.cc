// SPDX-License-Identifier: BSD-3-Clause
//
// Strict reading of JSON text. See the header.
#include "core/json_reader.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "core/model.h"
#include "core/regular_file.h"

namespace firesim {

namespace {

using nlohmann::json;

constexpr int kNumberOverflow = 406;  // nlohmann's number of the error

std::string cut(const std::string &text, size_t most_bytes) {
  return text.size() <= most_bytes ? text : text.substr(0, most_bytes - 3) + "...";
}

// Goes over the text and leaves behind how far the parser has read: its events have no place.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  Cursor(const char *at, const char **read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  Cursor &operator++() {
    *read_ = at_++;
    return *this;
  }
  Cursor operator++(int) {
    const Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor &other) const { return at_ == other.at_; }
  bool operator!=(const Cursor &other) const { return at_ != other.at_; }

 private:
  const char *at_;
  const char **read_;
};

// Builds the value from the parser's events, or says what is wrong with it.
class Builder final : public nlohmann::json_sax<json> {
 public:
  explicit Builder(size_t most_depth) : most_depth_(most_depth) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(json::number_integer_t value) override { return put(value); }
  bool number_unsigned(json::number_unsigned_t value) override { return put(value); }
  bool number_float(json::number_float_t value, const std::string &text) override {
    // An integer of more than 64 bits comes here, too, and would be rounded.
    if (text.find_first_of(".eE") == std::string::npos) return refuse_number(text);
    return put(value);
  }
  bool string(std::string &value) override { return put(std::move(value)); }
  bool binary(json::binary_t &) override { return refuse("not valid JSON"); }
  bool start_object(size_t) override { return open(json::object()); }
  bool start_array(size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string &name) override {
    auto &object = open_.back()->get_ref<json::object_t &>();
    const auto [place, is_new] = object.emplace(name, nullptr);
    if (!is_new) return refuse("found the key " + shown(name) + " twice in one object");
    member_ = &place->second;
    return true;
  }
  bool parse_error(size_t, const std::string &token,
                   const nlohmann::detail::exception &error) override {
    return error.id == kNumberOverflow ? refuse_number(token) : refuse("not valid JSON");
  }

  json take() { return std::move(root_); }
  const std::string &problem() const { return problem_; }

 private:
  json *place(json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    *member_ = std::move(value);
    return member_;
  }
  bool put(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json value) {
    if (open_.size() == most_depth_) {
      return refuse("found more than " + std::to_string(most_depth_) +
                    " objects and arrays within each other");
    }
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  bool refuse(const std::string &problem) {
    problem_ = problem;
    return false;
  }
  bool refuse_number(const std::string &text) {
    return refuse("found the number " + cut(text, 40) + ", expected one that fits 64 bits");
  }

  const size_t most_depth_;
  json root_;
  // Only the innermost one grows, so that pointers to the others stay.
  std::vector<json *> open_;
  json *member_ = nullptr;
  std::string problem_;
};

}  // namespace

json parse_json(const std::string &text, const JsonLimits &limits) {
  if (text.size() > limits.bytes) {
    throw JsonError(1, "has " + std::to_string(text.size()) + " bytes, expected at most " +
                           std::to_string(limits.bytes));
  }
  const char *begin = text.data();
  const char *read = begin;
  Builder builder(limits.depth);
  // The parser takes a zero byte for the end of the text.
  const size_t zero = text.find('\0');
  const bool good = json::sax_parse(Cursor(begin, &read), Cursor(begin + text.size(), &read),
                                    &builder, json::input_format_t::json, true);
  if (good && zero == std::string::npos) return builder.take();
  const auto line = static_cast<size_t>(1 + std::count(begin, read, '\n'));
  throw JsonError(line, builder.problem().empty() ? "not valid JSON" : builder.problem());
}

json read_json_file(const std::filesystem::path &path, const JsonLimits &limits) {
  try {
    return parse_json(RegularFile(path).text(limits.bytes), limits);
  } catch (const FileError &error) {
    throw DescriptionError(path.string() + ": " + error.what());
  } catch (const JsonError &error) {
    throw DescriptionError(path.string() + ":" + std::to_string(error.line()) + ": " +
                           error.what());
  }
}

std::string dump_any(const json &value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

std::string shown(const json &value, size_t most_bytes) {
  // In ASCII, so that it can be cut anywhere and a terminal obeys nothing in it.
  return cut(value.dump(-1, ' ', true, json::error_handler_t::replace), most_bytes);
}

}  // namespace firesim
