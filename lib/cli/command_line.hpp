#pragma once
/// The command line: how subcommands declare options and what they do. Its parser, CLI11, is compiled in
/// command_line.cpp alone.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tamis::cli {

/// An option that a subcommand has, or none. It is used as a pointer is.
class Option {
 public:
  Option() = default;
  explicit Option(CLI::Option* option) : option_(option) {}
  explicit operator bool() const { return option_ != nullptr; }
  const Option* operator->() const { return this; }

  Option required() const;
  /// What --help calls its value.
  Option type_name(std::string_view type) const;
  Option description(std::string_view help) const;
  /// --help shows what the variable holds.
  Option capture_default_str() const;
  /// It may stand without a value, and --help shows this one.
  Option without_value(std::string_view value) const;
  /// A whole number from `least` to `most`.
  Option between(std::uint64_t least, std::uint64_t most) const;
  /// Each time it is given it takes one value, and others may follow.
  Option one_value_each() const;
  Option excludes(Option other) const;

  /// How often it was given.
  std::size_t count() const;
  std::string get_name() const;

 private:
  CLI::Option* option_ = nullptr;
};

/// A subcommand, or the command that they are of.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  Command add_subcommand(std::string_view name, std::string_view help) const;
  /// T: std::string, a list of these, int, or unsigned and std::uint32_t, std::uint64_t or std::size_t.
  template <class T>
  Option add_option(std::string_view name, T& variable, std::string_view help = {}) const;
  Option add_flag(std::string_view name, bool& variable, std::string_view help) const;
  /// One that was added.
  Option get_option(std::string_view name) const;
  /// What is done once everything is parsed.
  void callback(std::function<void()> action) const;

 private:
  CLI::App* app_;
};

}  // namespace tamis::cli
