#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "data.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "tamis/version.hpp"

namespace tamis::cli {

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
  declare_train(app);
  declare_path(app);
  declare_cv(app);
  declare_stability(app);
  declare_update(app);
  declare_interactions(app);
  declare_kernels(app);
  declare_predict(app);
  declare_export(app);
  declare_size(app);
  declare_solvers(app);

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
