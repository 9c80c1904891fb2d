#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "data.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "tamis/version.hpp"

namespace tamis::cli {

Option Option::required() const { return Option(option_->required()); }
Option Option::type_name(std::string_view type) const { return Option(option_->type_name(std::string(type))); }
Option Option::description(std::string_view help) const { return Option(option_->description(std::string(help))); }
Option Option::capture_default_str() const { return Option(option_->capture_default_str()); }
Option Option::without_value(std::string_view value) const {
  return Option(option_->expected(0, 1)->default_str(std::string(value)));
}
Option Option::between(std::uint64_t least, std::uint64_t most) const {
  const auto check = [=](const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool fits = error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most;
    return fits ? "" : text + " is not a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  };
  const std::string range = "UINT in [" + std::to_string(least) + " - " + std::to_string(most) + "]";
  return Option(option_->check(CLI::Validator(check, range, "")));
}
Option Option::one_value_each() const { return Option(option_->allow_extra_args(false)); }
Option Option::excludes(Option other) const { return Option(option_->excludes(other.option_)); }
std::size_t Option::count() const { return option_->count(); }
std::string Option::get_name() const { return option_->get_name(); }

Command Command::add_subcommand(std::string_view name, std::string_view help) const {
  return Command(*app_->add_subcommand(std::string(name), std::string(help)));
}
template <class T>
Option Command::add_option(std::string_view name, T& variable, std::string_view help) const {
  return Option(app_->add_option(std::string(name), variable, std::string(help)));
}
template Option Command::add_option(std::string_view, std::string&, std::string_view) const;
template Option Command::add_option(std::string_view, std::vector<std::string>&, std::string_view) const;
template Option Command::add_option(std::string_view, int&, std::string_view) const;
template Option Command::add_option(std::string_view, unsigned&, std::string_view) const;
template Option Command::add_option(std::string_view, unsigned long&, std::string_view) const;
template Option Command::add_option(std::string_view, unsigned long long&, std::string_view) const;
Option Command::add_flag(std::string_view name, bool& variable, std::string_view help) const {
  return Option(app_->add_flag(std::string(name), variable, std::string(help)));
}
Option Command::get_option(std::string_view name) const { return Option(app_->get_option(std::string(name))); }
void Command::callback(std::function<void()> action) const { app_->callback(std::move(action)); }

namespace {

/// Standard input and standard output can be one file each. Throws ArgumentError.
void check_standard_streams(const CLI::App& command) {
  for (const std::string type : {input_type, output_type}) {
    std::string taken;
    for (const auto* option : command.get_options())
      for (const auto& file : option->results()) {
        if (option->get_type_name() != type || file != standard_stream) continue;
        if (!taken.empty())
          throw ArgumentError(option->get_name() + ": standard " + (type == input_type ? "input" : "output") +
                              " is already that of " + taken + ": give one of them a file");
        taken = option->get_name();
      }
  }
}

}  // namespace

int run_command(int argc, const char* const* argv) {
  CLI::App app{
      "Sparse multiclass classifiers, trained in a fixed piece of memory and certified.\n"
      "Objective: (1/sum w_i) sum_i w_i loss(W'x_i + b, y_i) + lambda * penalty(W); intercepts b are free.\n"
      "With --eta instead of --lambda: penalty(W) subject to (1/sum w_i) sum_i w_i loss(W'x_i + b, y_i) <= eta.",
      "tamis"};
  app.set_version_flag("--version", tamis::version);
  app.require_subcommand(1);
  for (const auto declare :
       {declare_train, declare_path, declare_cv, declare_stability, declare_update, declare_interactions,
        declare_kernels, declare_predict, declare_export, declare_size, declare_solvers})
    declare(Command(app));

  app.parse_complete_callback([&app] {  // before any subcommand does anything
    for (const auto* command : app.get_subcommands()) check_standard_streams(*command);
  });
  app.footer(
      "INPUT and OUTPUT are files; - is standard input, and standard output, beside which people are spoken to on "
      "standard error.\n"
      "Exit codes: 0 done, 2 wrong arguments or an output that cannot be written, 3 wrong data, 4 not enough memory, 5 "
      "stopped by\nSIGINT or SIGTERM, with what there was until then; a second signal ends at once.");
  const Interruptible interruptible;

  const auto fail = [](const char* sentence, int code) {
    std::cerr << "tamis: " << sentence << '\n';
    return code;
  };
  if (argc > 1 && argv[1][0] != '-') {
    std::string names;
    bool known = false;
    for (const auto* command : app.get_subcommands({})) {
      known |= command->get_name() == argv[1];
      names += (names.empty() ? "" : ", ") + command->get_name();
    }
    if (!known)
      return fail(("'" + std::string(argv[1]) + "' is not one of the subcommands " + names).c_str(), exit_arguments);
  }
  try {
    app.parse(argc, argv);
    write_file(std::string(standard_stream), "");  // what was printed so far may not have been
    return 0;
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    return fail(error.what(), exit_arguments);
  } catch (const ArgumentError& error) {
    return fail(error.what(), exit_arguments);
  } catch (const DataError& error) {
    return fail(error.what(), exit_data);
  } catch (const Interrupted& error) {
    return fail(error.what(), exit_interrupted);
  } catch (const MemoryError& error) {
    return fail(error.what(), exit_memory);
  } catch (const std::bad_alloc&) {
    return fail("the machine has not enough memory for these data", exit_memory);
  } catch (const nlohmann::json::exception& error) {
    constexpr int not_utf8 = 316;
    return fail(error.id == not_utf8 ? "a label, a name or a path is not UTF-8, which JSON must be: convert it, with "
                                       "iconv say"
                                     : "a file of JSON has a part that is missing or of the wrong type",
                exit_data);
  } catch (const std::exception& error) {
    return fail(error.what(), exit_data);
  }
}

}  // namespace tamis::cli
