// Images, what is made of them, and errors on test images.
#include <algorithm>
#include <cmath>

#include "data.hpp"
#include "experiments.hpp"

namespace tamis::paper_a {

namespace {

/// Memory of the alignment that arenas have.
class AlignedMemory {
 public:
  explicit AlignedMemory(std::size_t bytes) : lines_((bytes + sizeof(Line) - 1) / sizeof(Line)) {}
  std::span<std::byte> span() { return {lines_.data()->bytes, lines_.size() * sizeof(Line)}; }

 private:
  struct alignas(Arena::alignment) Line {
    std::byte bytes[Arena::alignment];
  };
  std::vector<Line> lines_;
};

/// Patches of 2×2 pixels, one after another: images are `side` × `side`, rows first, `side` even.
std::vector<std::size_t> patches(std::size_t side) {
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < side; row += 2)
    for (std::size_t column = 0; column < side; column += 2)
      for (const std::size_t pixel :
           {row * side + column, row * side + column + 1, (row + 1) * side + column, (row + 1) * side + column + 1})
        order.push_back(pixel);
  return order;
}

Labelled rows_of(const Labelled& from, std::size_t first, std::size_t last) {
  std::vector<std::size_t> rows;
  for (std::size_t i = first; i < last; ++i) rows.push_back(i);
  Labelled out{cli::select_rows(from.table, rows), {}, from.classes};
  for (const std::size_t row : rows) out.labels.push_back(from.labels[row]);
  return out;
}

}  // namespace

Images read_images(const Run& run) {
  if (!run.data.empty())
    return {"MNIST", 28,
            read(run.path("mnist/train-images-idx3-ubyte.gz,") + run.path("mnist/train-labels-idx1-ubyte.gz"),
                 run.path("mnist/t10k-images-idx3-ubyte.gz,") + run.path("mnist/t10k-labels-idx1-ubyte.gz"), 255)};
  const std::string digits = TAMIS_TEST_DATA "/digits.csv";
  const Labelled all = read(digits, digits, 16).train;
  const std::size_t trained_on = 1200;
  return {"digits", 8, {rows_of(all, 0, trained_on), rows_of(all, trained_on, all.labels.size())}};
}

Features pixels(const Images& images) { return {"pixels", images.side, 4}; }

Features scattering_features(const Images& images, Index oversampling) {
  const ScatteringOptions options{
      .height = images.side, .width = images.side, .oversampling = oversampling, .by_position = true};
  const std::string side = std::to_string(images.side / (oversampling ? 2 : 4));
  return {"scattering " + side + "x" + side, images.side, options.maps(), options};
}

std::vector<float> features_of(const Features& kind, const Labelled& images, const std::vector<std::size_t>& rows) {
  const std::size_t n = rows.size(), count = kind.count(), of = images.table.samples;
  const std::size_t size = std::size_t{kind.side} * kind.side;
  std::vector<float> out(n * count), image(size), made(count);
  const ScatteringOptions options = kind.scattering.value_or(ScatteringOptions{});
  AlignedMemory memory(kind.scattering ? ScatteringTransform<float>::requirement(options).bytes : 1);
  ScatteringTransform<float> transform(options);
  if (kind.scattering) transform.start(memory.span());
  const std::vector<std::size_t> order = patches(kind.side);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t p = 0; p < size; ++p)
      image[p] = static_cast<float>(images.table.values[(kind.scattering ? p : order[p]) * of + rows[i]]);
    if (kind.scattering) transform.transform(image, made);
    for (std::size_t j = 0; j < count; ++j) out[j * n + i] = kind.scattering ? made[j] : image[j];
  }
  return out;
}

std::unique_ptr<Problem> subset(const Labelled& images, const Features& kind, std::size_t per_class,
                                std::uint64_t seed) {
  const auto rows = draw(images, per_class, seed);
  const auto values = features_of(kind, images, rows);
  cli::Table table;
  table.samples = rows.size();
  table.features = kind.count();
  table.values.assign(values.begin(), values.end());
  std::vector<Label> labels;
  for (const std::size_t row : rows) labels.push_back(images.labels[row]);
  return std::make_unique<Problem>(std::move(table), std::move(labels), images.classes);
}

TestFeatures::TestFeatures(const Features& kind, const Labelled& images, std::size_t most)
    : count_(std::min(most, images.labels.size())), labels_(images.labels) {
  for (std::size_t first = 0; first < count_; first += each) {
    std::vector<std::size_t> rows;
    for (std::size_t i = first; i < std::min(first + each, count_); ++i) rows.push_back(i);
    values_.push_back(features_of(kind, images, rows));
    designs_.emplace_back(values_.back().data(), static_cast<Index>(rows.size()), static_cast<Index>(kind.count()));
  }
}

double TestFeatures::error_percentage(const LinearModel<float>& model) const {
  std::vector<Index> used;
  for (Index j = 0; j < model.features; ++j)
    if (model.uses(j)) used.push_back(j);
  std::vector<float> scores(each * model.stride());
  std::size_t wrong = 0, first = 0;
  for (const auto& design : designs_) {
    design.multiply(used.data(), static_cast<Index>(used.size()), model.coefficients, model.stride(),
                    row_of(model.coefficients, model.features, model.stride()), scores.data());
    for (Index i = 0; i < design.samples(); ++i) {
      const float* row = row_of(scores.data(), i, model.stride());
      wrong += static_cast<Label>(std::max_element(row, row + model.classes) - row) != labels_[first + i];
    }
    first += design.samples();
  }
  return 100 * static_cast<double>(wrong) / static_cast<double>(count_);
}

double TestFeatures::error_percentage(const Coefficients& coefficients) const {
  const LinearModel<double> model = coefficients.view();
  const Index stride = padded<float>(model.classes);
  AlignedMemory memory((std::size_t{model.features} + 1) * stride * sizeof(float));
  auto* values = reinterpret_cast<float*>(memory.span().data());
  for (Index j = 0; j <= model.features; ++j)
    for (Index k = 0; k < model.classes; ++k)
      values[std::size_t{j} * stride + k] = static_cast<float>(row_of(model.coefficients, j, model.stride())[k]);
  return error_percentage(LinearModel<float>{values, model.features, model.classes});
}

}  // namespace tamis::paper_a
