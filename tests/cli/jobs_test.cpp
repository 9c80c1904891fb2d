// Folds and halves side by side: the same bytes with any number of jobs, and what is said while they run.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "support/child.hpp"

namespace {

using tamis::testing::Child;
using tamis::testing::command;
using tamis::testing::Folder;
using tamis::testing::read_until;
using tamis::testing::run;
using tamis::testing::Terminal;
using Words = std::vector<std::string>;

const std::string iris = std::string(TAMIS_TEST_DATA) + "/iris.csv", wine = std::string(TAMIS_TEST_DATA) + "/wine.csv";

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Words cv{"cv", wine, "--standardise", "--loss", "squared-hinge", "--penalty", "group-l2"};
const Words stability{"stability", wine, "--standardise", "--loss", "hinge", "--penalty", "l1"};
const Words kernels{"kernels", iris, "--standardise", "--kernel", "gaussian:2", "--p", "1", "--q", "1", "--r", "1"};
const Words interactions{"interactions", iris,   "--standardise", "--hierarchy",  "weak",
                         "--norm",       "linf", "--loss",        "squared-hinge"};
const Words quick{"--lambdas", "3", "--lambda-ratio", "0.1", "--tolerance", "1e-1"};

/// What a run prints and writes, without what a clock has measured.
std::string outcome_of(const Words& arguments, const std::string& jobs, const Words& files) {
  const Folder folder;
  Words all = arguments + Words{"--jobs", jobs};
  for (const auto& file : files) all.insert(all.end(), {"--" + file, folder.path(file)});
  const auto outcome = run(all);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  std::string out = outcome.output;
  for (const auto& file : files) out += folder.read(file);
  out = std::regex_replace(out, std::regex("(\"[a-z_]*seconds\"): [-+.0-9e]*"), "$1: ");
  return std::regex_replace(out, std::regex("[.0-9]+ ms"), "ms");
}

TEST(JobsCommand, TheBytesAreThoseOfOneJob) {
  const auto compare = [](const Words& arguments, const Words& files) {
    const std::string one = outcome_of(arguments, "1", files);
    EXPECT_NE(one, "");
    for (const std::string jobs : {"2", "4"}) EXPECT_EQ(outcome_of(arguments, jobs, files), one) << arguments[0];
  };
  compare(cv + quick, {"model", "report", "coefficients", "plot"});
  compare(cv + quick + Words{"--refit", "--calibrate", "--max-features", "6", "--choose", "min"}, {"model", "report"});
  compare(cv + quick + Words{"--refit", "--precision", "float", "--validation", "1/3", "--choose", "min"},
          {"model", "report"});
  compare(stability + quick + Words{"--subsamples", "10", "--precision", "float"}, {"report"});
  compare(kernels + quick, {"model", "report"});
  compare(interactions + quick + Words{"--precision", "float"}, {"model", "report"});
}

TEST(JobsCommand, SaysWhereFewerAreUsed) {
  const auto said = [](const Words& arguments) {
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    return outcome.error;
  };
  const auto expect = [](const std::string& text, const std::string& sentence) {
    EXPECT_NE(text.find(sentence + "\n"), std::string::npos) << text;
  };
  expect(said(cv + quick + Words{"--jobs", "9"}),
         "--jobs 9: there are 5 folds and the path of all samples to be done, so that 6 are used");
  expect(said(kernels + quick + Words{"--jobs", "5", "--folds", "2"}),
         "--jobs 5: there are 2 folds and the path of all samples to be done, so that 3 are used");
  expect(said(stability + quick + Words{"--jobs", "4", "--subsamples", "6"}),
         "--jobs 4: there are 3 pairs of halves to be done, so that 3 are used");
  for (const std::string jobs : {"1", "2"})
    for (const Words& arguments : {cv, stability, kernels, interactions})
      EXPECT_EQ(said(arguments + quick + Words{"--jobs", jobs}).find("--jobs"), std::string::npos);
  EXPECT_EQ(said(cv + quick + Words{"--jobs", "9", "--quiet"}), "");
}

/// The least --memory-limit with which a command does not refuse: its refusals of less say it.
std::string least_limit(const Words& arguments) {
  std::string limit = "1000";
  for (std::smatch found;;) {
    const auto outcome = run(arguments + Words{"--memory-limit", limit});
    if (outcome.code == 0) return limit;
    EXPECT_EQ(outcome.code, 4) << outcome.error;
    if (!std::regex_search(outcome.error, found, std::regex("([0-9]+) bytes")) || found[1] == limit) return limit;
    limit = found[1];
  }
}

TEST(JobsCommand, MemoryForOneJobIsEnough) {
  for (const Words& arguments : {cv, stability, kernels, interactions}) {
    const Words all = arguments + quick;
    const std::string limit = least_limit(all), file = arguments[0] == "stability" ? "report" : "model";
    const auto outcome = run(all + Words{"--jobs", "2", "--memory-limit", limit});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_TRUE(
        std::regex_search(outcome.error, std::regex("--jobs 2: --memory-limit has room for 1 of their arenas of "
                                                    "[0-9]+ bytes, so that 1 is used\n")))
        << outcome.error;
    EXPECT_EQ(outcome_of(all + Words{"--memory-limit", limit}, "2", {file}),
              outcome_of(all + Words{"--memory-limit", limit}, "1", {file}));
  }
}

TEST(JobsCommand, SizeSaysWhatAllArenasTake) {
  const auto size = [](const std::string& jobs) {
    return run({"size", "--samples", "178", "--features", "13", "--classes", "3", "--loss", "squared-hinge",
                "--penalty", "group-l2", "--lambdas", "3", "--jobs", jobs})
        .output;
  };
  std::smatch found;
  const std::string two = size("2");
  ASSERT_TRUE(std::regex_search(two, found,
                                std::regex("\n([0-9]+) bytes in all for 'tamis cv', 5 folds and 3 lambdas: 2 arenas of "
                                           "([0-9]+)\n")))
      << two;
  const std::size_t all = std::stoul(found[1]), each = std::stoul(found[2]);
  EXPECT_EQ(all, 2 * each);
  EXPECT_NE(size("20").find(std::to_string(6 * each) + " bytes in all"), std::string::npos) << "there are six paths";
  const auto said = [&](std::size_t limit) {
    return run(cv + quick + Words{"--jobs", "2", "--memory-limit", std::to_string(limit)}).error.find("--jobs 2");
  };
  EXPECT_EQ(said(all), std::string::npos);
  EXPECT_NE(said(all - 1), std::string::npos);
  const auto alone = run({"size", "--samples", "9", "--features", "9", "--classes", "3", "--loss", "hinge", "--penalty",
                          "l1", "--folds", "3"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_NE(alone.error.find("--folds is for cross-validation: give --jobs too"), std::string::npos) << alone.error;
}

TEST(JobsCommand, RefusesWhatMakesNoSense) {
  const auto expect = [](const Words& arguments, const std::string& sentence) {
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << sentence;
    EXPECT_EQ(outcome.output, "");
    EXPECT_NE(outcome.error.find(sentence), std::string::npos) << outcome.error;
  };
  for (const std::string jobs : {"0", "-1", "1025", "two", "1.5"})
    for (const Words& arguments : {cv, stability, kernels, interactions})
      expect(arguments + quick + Words{"--jobs", jobs}, "--jobs: " + jobs + " is not a whole number from 1 to 1024");
  expect(kernels + Words{"--lambda", "0.1", "--jobs", "2"}, "--jobs is for choosing lambda");
  expect(interactions + Words{"--lambda", "0.1", "--jobs", "2"}, "--jobs is for choosing lambda");
}

TEST(JobsCommand, ARefusalIsThatOfTheFirstFold) {
  const Folder folder;  // without fold 2, and without fold 3, a class is missing
  const std::string data = folder.write("d.csv", "a,1\na,2\na,3\na,2\nb,5\nb,6\nc,9\nc,8\nb,7\nc,9\n");
  const std::string subjects = folder.write("s.txt", "1\n1\n1\n1\n2\n2\n3\n3\n2\n3\n");
  const Words all{"cv", data,         "--loss", "hinge",   "--penalty", "l1",      "--lambdas",
                  "3",  "--subjects", subjects, "--folds", "3",         "--model", folder.path("m")};
  const auto one = run(all);
  EXPECT_EQ(one.code, 3);
  EXPECT_NE(one.error.find("all its samples are in fold 1"), std::string::npos) << one.error;
  for (int again = 0; again < 5; ++again) EXPECT_EQ(run(all + Words{"--jobs", "4"}).error, one.error);
  EXPECT_EQ(folder.files(), 2u);
}

// ---- progress

/// What the command shows at a terminal, at which ten seconds pass between two looks at the clock, or none.
std::string shown(const Words& arguments, bool time_passes) {
  Terminal terminal;
  const int nowhere = ::open("/dev/null", O_WRONLY);
  Child child(
      [&] {
        if (time_passes) tamis::testing::hurry();
        else tamis::cli::progress_clock = [] { return 0.0; };
        return command(arguments);
      },
      nowhere, terminal.theirs);
  ::close(nowhere);
  ::close(std::exchange(terminal.theirs, -1));
  const std::string out = read_until(terminal.ours, "");
  EXPECT_EQ(child.wait(), 0) << out;
  return out;
}

TEST(ProgressLine, SaysWhereARunIs) {
  const auto expect = [](const Words& arguments, const std::string& pattern) {
    const std::string text = shown(arguments, true);
    EXPECT_TRUE(std::regex_search(text, std::regex("\r\x1b\\[K" + pattern))) << text;
    EXPECT_EQ(text.rfind("\r\x1b[K\r\n"), std::string::npos);
    EXPECT_EQ(shown(arguments, false).find("iteration"), std::string::npos) << "before two seconds";
    EXPECT_EQ(shown(arguments + Words{"--quiet"}, true), "");
  };
  const std::string state = "iteration [0-9]+, within [-+.e0-9]+ % of optimal, [0-9]+ weights";
  const std::string left = "; [0-9]+ (s|min) left", lambda = ", lambda [-+.e0-9]+: ";
  expect({"train", wine, "--standardise", "--loss", "hinge", "--penalty", "l1", "--lambda", "0.01"}, state);
  expect(Words{"path"} + Words(cv.begin() + 1, cv.end()) + quick, "path" + lambda + state + left);
  for (const std::string jobs : {"1", "3"}) {
    const Words all = quick + Words{"--jobs", jobs};
    expect(cv + all, "fold [1-5] of 5" + lambda + state + left);
    expect(cv + all, "path" + lambda + state);
    expect(stability + all + Words{"--subsamples", "8"}, "half [1-8] of 8" + lambda + state + left);
    expect(kernels + all, "fold [1-5] of 5" + lambda + state + left);
    expect(interactions + all, "fold [1-5] of 5" + lambda + state + left);
  }
}

TEST(ProgressLine, IsForTerminalsAlone) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  Child child(
      [&] {
        tamis::testing::hurry();
        return command(cv + quick + Words{"--jobs", "2"});
      },
      ::open("/dev/null", O_WRONLY), pipe[1]);
  ::close(pipe[1]);
  const std::string text = read_until(pipe[0], "");
  EXPECT_EQ(child.wait(), 0);
  EXPECT_NE(text.find("held-out error"), std::string::npos) << text;
  EXPECT_EQ(text.find_first_of("\r\x1b"), std::string::npos) << text;
}

}  // namespace
