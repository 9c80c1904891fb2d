// What makes features, in Tamis and in the client of a worker alike.

/** Gives a class the functions that make features by its features(name, data, options, wishes). */
export function withFeatures({ prototype }) {
  for (const name of ['scatterImages', 'scatterSignals', 'windowFeatures', 'hashText'])
    prototype[name] = function (...given) {
      return this.features(name, ...given);
    };
  prototype.tfIdf = async function (...given) {
    const [data, { TfIdf }] = await Promise.all([this.features('tfIdf', ...given), import('./tf-idf.js')]);
    return new TfIdf(data);
  };
}
