/** The mixed norms as formulas, by p, q and r: l numbers samples, t kernels. */
export const penalties: Record<string, string> = {
  211: '<i>λ</i> Σ<sub><i>l</i></sub> √(Σ<sub><i>t</i></sub> <i>α</i><sub><i>lt</i></sub><sup>2</sup>)',
  212: '<i>λ</i> Σ<sub><i>t</i></sub> √(Σ<sub><i>l</i></sub> <i>α</i><sub><i>lt</i></sub><sup>2</sup>)',
  111: '<i>λ</i> Σ<sub><i>lt</i></sub> |<i>α</i><sub><i>lt</i></sub>|',
  122: '<i>λ</i>/2 Σ<sub><i>t</i></sub> (Σ<sub><i>l</i></sub> |<i>α</i><sub><i>lt</i></sub>|)<sup>2</sup>',
  121: '<i>λ</i>/2 Σ<sub><i>l</i></sub> (Σ<sub><i>t</i></sub> |<i>α</i><sub><i>lt</i></sub>|)<sup>2</sup>',
  221: '<i>λ</i>/2 Σ<sub><i>lt</i></sub> <i>α</i><sub><i>lt</i></sub><sup>2</sup>',
};
