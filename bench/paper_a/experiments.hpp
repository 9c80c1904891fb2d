#pragma once
/// What the experiments of Chierchia et al. (2015) share: data and subsets, features of images, whole solves timed in
/// CPU time.

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../papers/common.hpp"
#include "tamis/features/scattering.hpp"

namespace tamis::paper_a {

using namespace papers;

// ---- data -----------------------------------------------------------------------------------------------------------

/// Reads two files of a data set; the classes are those of the first.
struct TrainAndTest {
  Labelled train, test;
};
TrainAndTest read(const std::string& train, const std::string& test, double scale = 1);

/// Whether a file of a data set is there; says so where it is not.
bool has_file(const Run& run, const std::string& file, const char* experiment);

/// Row numbers of `per_class` samples of each class, drawn without replacement: those of a smaller number come first in
/// the order of drawing, so the subsets of one seed are nested.
std::vector<std::size_t> draw(const Labelled& from, std::size_t per_class, std::uint64_t seed);

// ---- images ---------------------------------------------------------------------------------------------------------

/// Square images, pixels from 0 to 1: MNIST, or the digits of the repository in a quick run without TAMIS_DATA.
struct Images {
  std::string name;
  Index side;
  TrainAndTest data;
};
Images read_images(const Run& run);

/// What is made of an image, and the size of the blocks within a class in which its features are grouped.
struct Features {
  std::string name;
  Index side, block;
  std::optional<ScatteringOptions> scattering = {};  ///< otherwise pixels, patch of 2 × 2 after patch

  std::size_t count() const { return scattering ? scattering->coefficients() : std::size_t{side} * side; }
};
Features pixels(const Images& images);
/// Two layers of wavelets scaled up to 4 with 8 orientations, position after position: the paper's 81 maps, a quarter
/// as wide as the image with `oversampling` 0, half as wide with 1.
Features scattering_features(const Images& images, Index oversampling);

/// Features of the images with these row numbers, column-major, in float.
std::vector<float> features_of(const Features& kind, const Labelled& images, const std::vector<std::size_t>& rows);

/// A random subset with such features, in double.
std::unique_ptr<Problem> subset(const Labelled& images, const Features& kind, std::size_t per_class,
                                std::uint64_t seed);

/// Features of test images, some of them or all, a few hundred at a time.
class TestFeatures {
 public:
  TestFeatures(const Features& kind, const Labelled& images, std::size_t most);
  double error_percentage(const LinearModel<float>& model) const;
  double error_percentage(const Coefficients& model) const;

 private:
  static constexpr std::size_t each = 200;
  std::size_t count_;
  const std::vector<Label>& labels_;
  std::vector<std::vector<float>> values_;
  std::vector<DenseDesign<float>> designs_;
};

// ---- solves ---------------------------------------------------------------------------------------------------------

/// One optimisation problem of the paper and the algorithm for it.
struct Task {
  std::string name;  ///< in the tables
  LossKind loss = LossKind::hinge;
  PenaltyKind penalty = PenaltyKind::l1;
  Groups groups = {};
  SolverKind solver = SolverKind::automatic;
  bool constrained = false;
  bool intercept = true;
};

/// The paper's α: λ = α/n, or 2α/n for ridge, whose ½ the paper does not have; η = α in the constrained form. The
/// margin is 1 for every loss.
Options<double> options_for(const Task& task, double alpha, std::size_t samples);

/// When a solve ends: at a certified relative gap, or where `change` is above zero when ‖x⁺ − x‖ ≤ change·‖x⁺‖ for one
/// iteration of an algorithm that has this rule, and computes no certificate before; or after so many seconds.
struct Stopping {
  double gap = 1e-4;
  double change = 0;
  double seconds = std::numeric_limits<double>::infinity();
};

struct Solve {
  std::string status;  ///< of the report, or `stopping_rule`, or `time_limit`
  double seconds = 0;  ///< CPU time of the thread, from the start with all it prepares; looks at models not counted
  Report<double> report;
  Coefficients model;
};

/// What is seen on the way: the model at each certificate, or where there are none the model of the present iterate, at
/// looks that are a tenth apart in time.
using Watch = std::function<void(double seconds, const Report<double>&, const LinearModel<double>&)>;

Solve solve(const Problem& problem, const Task& task, double alpha, const Stopping& stopping, const Watch& watch = {});

void table1(Run& run);
void figure1(Run& run);
void figure2(Run& run);
void figure3(Run& run);
void figure4(Run& run);
void scattering(Run& run);

}  // namespace tamis::paper_a
