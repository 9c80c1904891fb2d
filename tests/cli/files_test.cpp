// Where the command writes to and reads from, which invalid input it refuses, and how signals end it.
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "output_file.hpp"
#include "support/child.hpp"

namespace {

using nlohmann::json;
using tamis::cli::write_file;
using tamis::testing::Child;
using tamis::testing::command;
using tamis::testing::Folder;
using tamis::testing::read_until;
using tamis::testing::run;
using tamis::testing::SignalledRun;
using tamis::testing::Terminal;

const std::string iris = std::string(TAMIS_TEST_DATA) + "/iris.csv";
const std::string wine = std::string(TAMIS_TEST_DATA) + "/wine.csv";
const std::string digits = std::string(TAMIS_TEST_DATA) + "/digits.csv";

std::vector<std::string> train(const std::string& data, std::vector<std::string> more = {}) {
  std::vector<std::string> out{"train", data, "--loss", "hinge", "--penalty", "l1", "--lambda", "0.05"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

::mode_t mode_of(const std::string& path) {
  struct ::stat there;
  EXPECT_EQ(::stat(path.c_str(), &there), 0);
  return there.st_mode & 0777;
}

// ---- writing

TEST(Files, ALinkStaysAndItsTargetIsReplaced) {
  const Folder folder;
  std::filesystem::create_directory(folder.path("there"));
  folder.write("there/old", "old");
  std::filesystem::create_symlink("there/old", folder.path("link"));
  std::filesystem::create_symlink("link", folder.path("second"));
  std::filesystem::create_symlink("there/new", folder.path("dangling"));
  write_file(folder.path("second"), "new");
  write_file(folder.path("dangling"), "created");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")) && std::filesystem::is_symlink(folder.path("second")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("dangling")));
  EXPECT_EQ(folder.read("there/old"), "new");
  EXPECT_EQ(folder.read("there/new"), "created");
  std::filesystem::create_symlink("round", folder.path("round"));
  EXPECT_EQ(run(train(iris, {"--model", folder.path("round")})).code, 2);
}

TEST(Files, PermissionsStayOrAreTheUsual) {
  const Folder folder;
  folder.write("old", "old");
  ::chmod(folder.path("old").c_str(), 0640);
  write_file(folder.path("old"), "new");
  EXPECT_EQ(mode_of(folder.path("old")), 0640u);
  const auto mask = ::umask(027);
  write_file(folder.path("new"), "new");
  ::umask(mask);
  EXPECT_EQ(mode_of(folder.path("new")), 0640u);
}

TEST(Files, DevicesAndPipesAreWrittenToAsTheyStand) {
  const Folder folder;
  const std::string full = folder.path("full");
  std::filesystem::create_symlink("/dev/full", full);  // that a broken writer replaces, and not the device
  const auto outcome = run(train(iris, {"--model", full}));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.error, "tamis: " + full + ": cannot be written (No space left on device)\n");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_TRUE(std::filesystem::is_symlink(full));
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  const int reader = ::open(folder.path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  write_file(folder.path("pipe"), "through");
  EXPECT_EQ(read_until(reader, ""), "through");
  EXPECT_TRUE(std::filesystem::is_fifo(folder.path("pipe")));
  ::close(reader);
  EXPECT_EQ(folder.files(), 2u);
}

TEST(Files, AFileThatCannotBeWrittenIsTheOldOne) {
  const Folder folder;
  folder.write("old", "old");
  std::filesystem::create_directory(folder.path("folder"));
  Child limited([&] {
    const ::rlimit small{5, 5};
    ::setrlimit(RLIMIT_FSIZE, &small);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
      write_file(folder.path("old"), "longer than that");
    } catch (const std::runtime_error& error) {
      return std::string(error.what()) == folder.path("old") + ": cannot be written (File too large)" ? 7 : 8;
    }
    return 9;
  });
  EXPECT_EQ(limited.wait(), 7);
  // The whole command meets the limit as an error of writing, and not as a signal that ends it.
  const int nowhere = ::open("/dev/null", O_WRONLY);
  Child whole(
      [&] {
        const ::rlimit small{5, 5};
        ::setrlimit(RLIMIT_FSIZE, &small);
        return command(train(iris, {"--model", folder.path("old")}));
      },
      nowhere, nowhere);
  EXPECT_EQ(whole.wait(), 2);
  ::close(nowhere);
  EXPECT_EQ(folder.read("old"), "old");
  for (const std::string name : {"folder", "old/below", "none/below"})
    EXPECT_EQ(run(train(iris, {"--model", folder.path(name)})).code, 2) << name;
  EXPECT_EQ(folder.read("old"), "old");
  EXPECT_EQ(folder.files(), 2u);  // and nothing beside it
}

TEST(Files, TwoWritersOfOneFileLeaveOneOfTheirTexts) {
  const Folder folder;
  const std::string first(1 << 16, 'a'), second(1 << 17, 'b');
  std::vector<std::unique_ptr<Child>> writers;
  for (const auto* text : {&first, &second})
    writers.push_back(std::make_unique<Child>([&folder, text] {
      try {
        for (int round = 0; round < 50; ++round) {
          write_file(folder.path("shared"), *text);
          const std::string found = folder.read("shared");  // whichever of the two is there is whole
          if (found.find_first_not_of(found[0]) != std::string::npos) return 1;
          if (found.size() != (found[0] == 'a' ? std::size_t(1) << 16 : std::size_t(1) << 17)) return 2;
        }
      } catch (const std::runtime_error&) {
        return 3;
      }
      return 0;
    }));
  for (auto& writer : writers) EXPECT_EQ(writer->wait(), 0);
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Files, AFileIsWholeWhereverTheWriterIsKilled) {
  const Folder folder;
  const std::string first(1 << 18, 'a'), second(1 << 19, 'b');
  folder.write("old", first);
  for (bool met = false; !met;) {  // until a writer was killed with its file half written
    Child writer([&]() -> int {
      for (;;)
        for (const auto* text : {&second, &first}) write_file(folder.path("old"), *text);
    });
    while (folder.files() == 1 && writer.runs()) ::sched_yield();  // what it writes to at first is beside the file
    writer.signal(SIGKILL);
    EXPECT_EQ(writer.wait(), -SIGKILL);
    const std::string found = folder.read("old");
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(found == first || found == second) << found.size();
    met = folder.files() > 1;
  }
  write_file(folder.path("old"), "new");  // the next writer is not in the way of what the last one has left
  EXPECT_EQ(folder.read("old"), "new");
  EXPECT_EQ(folder.files(), 2u);
}

TEST(Files, AFolderWithoutPermissionKeepsItsFiles) {
  const Folder folder;
  folder.write("iris.csv", (std::ostringstream() << std::ifstream(iris).rdbuf()).str());
  folder.write("old", "old");
  ::chmod(folder.path("old").c_str(), 0666);  // it may be written to, and nothing may be put beside it
  ASSERT_EQ(::chmod(folder.path(".").c_str(), 0555), 0);
  const ::uid_t nobody = 65534;
  const auto refused = [&](const std::string& name) {
    const int error = ::open("/dev/null", O_WRONLY);
    Child child(
        [&] {
          if (::geteuid() == 0 && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) return 77;
          if (::access(folder.path("iris.csv").c_str(), R_OK) != 0) return 77;
          try {
            write_file(folder.path(name), "new");
          } catch (const std::runtime_error& failure) {
            if (std::string(failure.what()) != folder.path(name) + ": cannot be written (Permission denied)") return 8;
            return command(train(folder.path("iris.csv"), {"--model", folder.path(name)}));
          }
          return 9;
        },
        error, error);
    ::close(error);
    return child.wait();
  };
  const int with_old = refused("old"), without = refused("new");
  ::chmod(folder.path(".").c_str(), 0755);
  EXPECT_EQ(folder.read("old"), "old");
  EXPECT_EQ(folder.files(), 2u);
  if (with_old == 77) GTEST_SKIP() << "root may write anywhere, and cannot become another user here";
  EXPECT_EQ(with_old, 2);
  EXPECT_EQ(without, 2);
}

// ---- standard streams

TEST(Files, ADashIsStandardOutputAndPeopleReadStandardError) {
  const auto outcome = run(train(iris, {"--model", "-"}));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(json::parse(outcome.output)["format"], "tamis-model");
  EXPECT_NE(outcome.error.find("converged: objective"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists("-"));
  const auto path = run({"path", iris, "--loss", "hinge", "--penalty", "l1", "--lambdas", "3", "--report", "-"});
  EXPECT_EQ(json::parse(path.output)["penalty"], "l1");
  const auto twice = run(train(iris, {"--model", "-", "--report", "-"}));
  EXPECT_EQ(twice.code, 2);
  EXPECT_NE(twice.error.find("standard output is already that of --"), std::string::npos) << twice.error;
  EXPECT_EQ(twice.output, "");
}

TEST(Files, ADescriptorIsWrittenToThoughItIsThatOfAFile) {
  const Folder folder;
  std::filesystem::create_symlink("/dev/stdout", folder.path("link"));
  const int out = ::open(folder.path("out").c_str(), O_WRONLY | O_CREAT, 0600);
  Child child([&] { return command(train(iris, {"--report", folder.path("link"), "--quiet"})); }, out);
  EXPECT_EQ(child.wait(), 0);
  ASSERT_EQ(::write(out, "\n", 1), 1);  // the same file, behind what was written
  ::close(out);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(json::parse(folder.read("out"))["status"], "converged");
  EXPECT_TRUE(folder.read("out").ends_with("}\n\n"));
}

TEST(Files, ADashIsStandardInput) {
  const Folder folder;
  const auto with_input = [&](const std::string& input, const std::vector<std::string>& arguments) {
    const int from = ::open(input.c_str(), O_RDONLY), to = ::open("/dev/null", O_WRONLY);
    Child child([&] { return command(arguments); }, to, to, from);
    ::close(from), ::close(to);
    return child.wait();
  };
  ASSERT_EQ(run(train(iris, {"--model", folder.path("m")})).code, 0);
  EXPECT_EQ(with_input(iris, train("-", {"--model", folder.path("same")})), 0);
  EXPECT_EQ(folder.read("same"), folder.read("m"));
  EXPECT_EQ(with_input(folder.path("m"), {"export", "-", "--format", "c", "--output", folder.path("h")}), 0);
  std::string weights, numbers;
  for (int i = 0; i < 150; ++i) weights += "1\n";
  EXPECT_EQ(with_input(folder.write("w", weights), train(iris, {"--sample-weights", "-"})), 0);
  const auto twice = run(train("-", {"--margins", "-"}));
  EXPECT_EQ(twice.code, 2);
  EXPECT_NE(twice.error.find("standard input is already that of"), std::string::npos) << twice.error;
}

TEST(Files, AFullStandardOutputIsAnError) {
  const int full = ::open("/dev/full", O_WRONLY), nowhere = ::open("/dev/null", O_WRONLY);
  Child child([&] { return command(train(iris)); }, full, nowhere);
  EXPECT_EQ(child.wait(), 2);
  ::close(full), ::close(nowhere);
}

// ---- bytes that are no text

TEST(Files, BytesThatAreNotUtf8AreRefusedWithTheirPlace) {
  const Folder folder;
  const std::string advice = "of the text is not UTF-8: convert the file, with iconv say\n";
  const auto refused = [&](const std::string& name, const std::string& text, const std::string& place,
                           const std::vector<std::string>& more = {}) {
    const auto outcome = run(train(folder.write(name, text), more));
    EXPECT_EQ(outcome.code, 3) << name;
    EXPECT_EQ(outcome.error, "tamis: " + folder.path(name) + place + advice);
  };
  refused("label.csv", "a,1\nb,2\ncaf\xe9,3\n", ", line 3, column 1: byte 4 ");
  refused("names.csv", "kind,l\xe4nge\na,1\nb,2\n", ", line 1, column 2: byte 2 ");
  refused("label.svm", "a 1:1\n\xff 1:2\n", ", line 2, column 1: byte 1 ");
  refused("texts.csv", "kind,text\na,x\nb,\xc3\n", ", line 3, column 2 (text): byte 1 ", {"--text", "tf-idf"});
  folder.write("numbers.csv", "1\n2\n");
  const auto labels = run(train(folder.path("numbers.csv"), {"--labels", folder.write("labels", "a\n\xfe\n")}));
  EXPECT_EQ(labels.error, "tamis: " + folder.path("labels") + ", line 2, column 1: byte 1 " + advice);
  const auto model = run({"predict", folder.write("m", "{\n\"\xe9\": 1}"), iris});
  EXPECT_EQ(model.code, 3);
  EXPECT_EQ(model.error, "tamis: " + folder.path("m") + ", line 2: byte 2 " + advice);
}

TEST(Files, NoExceptionOfJsonIsSpokenToPeople) {
  const Folder folder;
  const std::string matrix = folder.write("k\xe9.csv", "1,0\n0,1\n"), labels = folder.write("y", "a\nb\n");
  const auto outcome = run({"kernels", "--kernel-matrix", matrix, "--labels", labels, "--p", "1", "--q", "1", "--r",
                            "1", "--lambda", "0.1", "--report", folder.path("r")});
  EXPECT_EQ(outcome.error.find("json.exception"), std::string::npos) << outcome.error;
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.error.find("is not UTF-8"), std::string::npos) << outcome.error;
}

// ---- signals

// A run of a published baseline without an end worth waiting for.
std::vector<std::string> endless(const std::vector<std::string>& more) {
  auto out =
      train(digits, {"--solver", "fobos-as-printed", "--learning-rate", "0.1", "--max-iterations", "4000000000"});
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST(Signals, TheBestModelSoFarIsCertifiedAndWritten) {
  for (const int which : {SIGINT, SIGTERM}) {
    const Folder folder;
    const SignalledRun run(endless({"--model", folder.path("m"), "--report", folder.path("r")}), "iteration", which);
    EXPECT_EQ(run.code, 5) << run.error;
    EXPECT_NE(run.output.find("stopped: objective"), std::string::npos) << run.output;
    EXPECT_TRUE(run.says("tamis: stopped by a signal")) << run.error;
    const json report = json::parse(folder.read("r"));
    EXPECT_EQ(report["status"], "stopped");
    EXPECT_GE(report["gap"].get<double>(), 0);
    EXPECT_EQ(json::parse(folder.read("m"))["format"], "tamis-model");
    EXPECT_EQ(folder.files(), 2u);
    EXPECT_EQ(tamis::testing::run({"predict", folder.path("m"), digits}).code, 0);
  }
}

TEST(Signals, ASecondOneEndsAtOnce) {
  const Folder folder;
  ASSERT_EQ(::mkfifo(folder.path("plot").c_str(), 0600), 0);
  const int pipe = ::open(folder.path("plot").c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_LE(::fcntl(pipe, F_SETPIPE_SZ, 4096), 4096);  // less than a plot
  Terminal terminal;
  Child child(
      [&] {
        tamis::testing::hurry();
        return command(endless({"--plot-confusion", folder.path("plot")}));
      },
      -1, terminal.theirs);
  read_until(terminal.ours, "iteration");
  child.signal(SIGINT);
  for (char byte; ::read(pipe, &byte, 1) != 1 && child.runs();) ::sched_yield();
  EXPECT_TRUE(child.runs());  // it has taken the first, and waits for somebody who reads the rest
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait(), -SIGTERM);
  ::close(pipe);
}

TEST(Signals, APathKeepsItsPoints) {
  const Folder folder;
  const SignalledRun run({"path", digits, "--loss", "hinge", "--penalty", "l1", "--lambdas", "100000", "--tolerance",
                          "1e-6", "--model", folder.path("m"), "--report", folder.path("r")},
                         "\n", SIGINT, true);
  EXPECT_EQ(run.code, 5) << run.error;
  std::istringstream lines(run.output);
  std::size_t points = 0;
  json last;
  for (std::string line; std::getline(lines, line); ++points) last = json::parse(line);
  EXPECT_GE(points, 2u);
  EXPECT_LT(points, 100000u);
  EXPECT_EQ(last["status"], "stopped");
  EXPECT_GE(last["relative_gap"].get<double>(), 0);
  EXPECT_EQ(json::parse(folder.read("r"))["lambda"], last["lambda"]);
  EXPECT_EQ(json::parse(folder.read("m"))["lambda"], last["lambda"]);
}

TEST(Signals, WhereNothingCanBeChosenYetNothingIsWritten) {
  const std::vector<std::string> problem{"--loss", "squared-hinge", "--penalty", "l1"};
  for (const auto& [name, jobs] : {std::pair<std::string, std::string>{"cv", "1"},
                                   {"cv", "3"},
                                   {"stability", "1"},
                                   {"stability", "3"},
                                   {"kernels", "3"},
                                   {"interactions", "3"}}) {
    const Folder folder;
    std::vector<std::string> arguments{
        name, name == "interactions" ? wine : digits, "--report", folder.path("r"), "--lambdas", "100000", "--jobs",
        jobs};
    if (name == "kernels")
      arguments.insert(arguments.end(), {"--kernel", "gaussian:30", "--p", "1", "--q", "1", "--r", "1"});
    else if (name == "interactions") arguments.insert(arguments.end(), {"--hierarchy", "weak", "--standardise"});
    else arguments.insert(arguments.end(), problem.begin(), problem.end());
    const SignalledRun run(arguments, "iteration", SIGTERM);
    EXPECT_EQ(run.code, 5) << run.error;
    EXPECT_TRUE(run.says("nothing is written")) << run.error;
    EXPECT_EQ(run.output, "");
    EXPECT_EQ(folder.files(), 0u);
  }
}

TEST(Signals, InteractionsAndKernelsStopWithTheirBest) {
  const std::vector<std::string> without_end{"--lambda",    "1e-7",   "--precision",      "double",
                                             "--tolerance", "1e-300", "--max-iterations", "4000000000"};
  for (std::vector<std::string> arguments :
       {std::vector<std::string>{"interactions", wine, "--hierarchy", "weak", "--loss", "least-squares",
                                 "--no-intercept", "--solver", "weak-primal-dual-as-printed"},
        std::vector<std::string>{"kernels", wine, "--kernel", "gaussian:100", "--p", "1", "--q", "1", "--r", "1",
                                 "--solver", "forward-backward-as-printed"}}) {
    const Folder folder;
    arguments.insert(arguments.end(), without_end.begin(), without_end.end());
    arguments.insert(arguments.end(), {"--model", folder.path("m"), "--report", folder.path("r")});
    const SignalledRun run(arguments, "iteration", SIGINT);
    EXPECT_EQ(run.code, 5) << run.error;
    EXPECT_EQ(json::parse(folder.read("r"))["status"], "stopped");
    EXPECT_EQ(json::parse(folder.read("m"))["format"], "tamis-model");
  }
}

TEST(Signals, AnUpdateKeepsWhatItHasLearned) {
  const Folder folder;
  const std::string data = folder.write("mail.tsv", "spam\tWin money now\nham\tLunch at noon?\nspam\tmoney, money!\n");
  ASSERT_EQ(run({"train", data, "--text", "tf-idf", "--loss", "squared-hinge", "--penalty", "l1", "--lambda", "0.01",
                 "--model", folder.path("old")})
                .code,
            0);
  folder.write("more.tsv", "spam\tmoney\nham\t!\n");  // a text without words is said, when all have been read
  const SignalledRun run({"update", folder.path("old"), folder.path("more.tsv"), "--model", folder.path("new"),
                          "--learning-rate", "0.1", "--passes", "4000000000"},
                         "\n", SIGINT);
  EXPECT_EQ(run.code, 5) << run.error;
  EXPECT_EQ(std::filesystem::exists(folder.path("new")), run.says("the model has learned from")) << run.error;
}

/// Where the flag is raised just before a call that waits, the call ends all the same.
TEST(Signals, NoneIsMissedBeforeACallThatWaits) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  for (const bool before : {true, false}) {
    Child child([&] {
      const tamis::cli::Interruptible interruptible;
      if (before) tamis::cli::interrupt_flag = true;
      const tamis::cli::InterruptibleCall call;
      if (!before) std::raise(SIGINT);
      char byte;
      return ::read(ends[0], &byte, 1) == -1 && errno == EINTR ? 0 : 1;
    });
    EXPECT_EQ(child.wait(), 0) << before;
  }
  ::close(ends[0]), ::close(ends[1]);
}

TEST(Signals, WhileSamplesAreReadNothingIsWritten) {
  const Folder folder;
  ASSERT_EQ(::mkfifo(folder.path("data").c_str(), 0600), 0);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  Child child([&] { return command(train(folder.path("data"), {"--model", folder.path("m")})); }, nowhere, nowhere);
  const int writer = ::open(folder.path("data").c_str(), O_WRONLY);  // it has opened the pipe, and waits for its lines
  child.signal(SIGINT);
  EXPECT_EQ(child.wait(), 5);
  ::close(writer), ::close(nowhere);
  EXPECT_EQ(folder.files(), 1u);
}

}  // namespace
