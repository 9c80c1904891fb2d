// Which data and programs of the papers are not to be had, and what stands in for each: said at the head of a paper's results.

const list = (rows) => rows.map(([what, instead]) => `- ${what}: ${instead}.`).join('\n');

export const dataSets = {
  a: `The data sets are those of the paper: leukemia (Golub), MNIST, 20 newsgroups. What is not to be had, and what stands in for it:\n\n${list([
    ['its vectors of News20 (26,214 terms)', '20 newsgroups by date, tf-idf of as many terms, chosen on the training part'],
    ['SVM-struct (figure 4)', "liblinear's Crammer–Singer solver, which minimises the same objective; where it is not installed, nothing"],
    ['the one-vs-all solver of its reference [30]', 'FISTA on the same objective with all classes at once, which separates into them'],
    ['its MATLAB programs and its machine', "the algorithms as printed in C++; the published times are curves of another machine's, so only their order can be compared"],
  ])}`,
  b: `Of the five data sets of the paper MNIST is here (4,000 of its samples unless a run is full). What is not to be had, and what stands in for it:\n\n${list([
    ['Amazon7 (1,362,109 × 262,144, 7 classes)', 'nothing of that size; of the data here 20 newsgroups has the most features'],
    ['RCV1 (534,135 × 47,236, 52 classes)', '20 newsgroups, sparse texts of 20 classes'],
    ['Sector (9,619 × 55,197, 105 classes)', '20 newsgroups for its sparse texts, letter for its many classes (26)'],
    ['its vectors of News20 (18,846 × 130,088)', 'the 11,314 training texts of 20 newsgroups by date, tf-idf of 26,214 terms'],
    ['SpaRSA and FOBOS by their authors', 'both as printed in C++'],
  ])}\n\nBeside them: digits, usps, letter and pendigits.`,
  c: `The speech data of Parkinson are those of the paper. What is not to be had, and what stands in for it:\n\n${list([
    ['the 639 isolates of HIV-1 and their susceptibility to 3TC', '1,057 isolates of a later release of the same database, of the same 240 loci'],
    ['its draws of the synthetic designs', 'draws by its description, from seeds of our own'],
    ['its random halves and thirds of the samples', 'random ones from seeds of our own, as many or more'],
    ['its programs and its machine', 'the algorithms as printed in C++; its times are not compared'],
  ])}`,
  d: `The Titanic of the paper is here: realisation 1 of its benchmark, 150 passengers to train and 2,051 to test. What is not to be had, and what stands in for it:\n\n${list([
    ['the other realisations of that benchmark', 'random splits of the same 2,201 passengers, of the same sizes'],
    ['its program and its machine', 'its algorithm as printed in C++, with the factor that the printed gradient lacks'],
  ])}\n\nBanana and digits are not data of the paper.`,
};
