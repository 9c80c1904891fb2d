// The order of the pages beside the text: [title, page, panel] below headings; the panel of the demo page is where one can try it. Other
// pages are reached from these.
export default [
  ['Guide', [
    ['Start', 'README.md'],
    ['Problems', 'lib/docs/problems.md', 'draw'],
    ['Solvers', 'lib/docs/solvers.md', 'race'],
    ['Interactions', 'lib/docs/interactions.md', 'plane'],
    ['Kernels', 'lib/docs/kernels.md', 'plane'],
    ['Streams', 'lib/docs/streams.md'],
    ['Boards', 'lib/docs/boards.md', 'home'],
  ]],
  ['Interfaces', [
    ['The command', 'lib/cli/README.md', 'table'],
    ['C++', 'lib/docs/cpp.md'],
    ['C', 'lib/c/README.md'],
    ['Python', 'lib/python/README.md'],
    ['JavaScript', 'wasm/README.md'],
    ['The page', 'web/README.md'],
  ]],
  ['Reference', [
    ['C++', 'reference/cpp/README.md'],
    ['C', 'reference/c/README.md'],
    ['Python', 'reference/python.md'],
    ['JavaScript', 'reference/javascript/README.md'],
  ]],
  ['Changing it', [
    ['The library’s map', 'lib/README.md'],
    ['Extending', 'lib/docs/extending.md'],
    ['Contributing', '.github/CONTRIBUTING.md'],
    ['Tests', 'tests/README.md'],
    ['Benchmarks', 'bench/README.md', 'bench'],
    ['Set-up', 'toolchains/README.md'],
  ]],
  ['About', [
    ['Bibliography', 'lib/docs/bibliography.md'],
    ['Changes', 'CHANGELOG.md'],
  ]],
];
