/** What is trained on the points: linear, with interactions, or with kernels; one shape for all that is shown of them. */
import type { Hierarchy, Kernel, KernelTerm, InteractionTerm, Report, TrainOptions } from 'tamis';
import type { WorkerClient } from 'tamis/worker';
import type { Offer } from '../../panel';
import type { Recipe } from '../../recipe';
import type { Points } from './points';
import type { Scorer } from './regions';

export interface Wish {
  /** Trained on. */
  points: Points;
  /** Held out. */
  test: Points;
  kind: 'linear' | 'interactions' | 'kernels';
  lambda: number;
  hierarchy: Hierarchy;
  kernels: Kernel[];
  /** p, q and r in three digits. */
  norm: string;
}

export interface Trained extends Scorer {
  readonly report: Report;
  /** Of the classes in the order of the scores. */
  readonly labels: number[];
  /** Features, or products of them, and the classes that use them. */
  readonly interactions: readonly InteractionTerm[] | null;
  readonly kernelTerms: readonly KernelTerm[] | null;
  readonly offer: Offer;
}

const samplesOf = (points: Points) => ({
  X: { values: Float32Array.from(points.flatMap(({ x, y }) => [x, y])), samples: points.length, features: 2 },
  y: points.map(({ label }) => label),
});
const normOf = ({ norm }: Wish) => [...norm].map(Number) as [p: 1 | 2, q: 1 | 2, r: 1 | 2];

const tolerance = 0.01;
const most_iterations = 20_000;
export const featureNames = ['x₁', 'x₂'];

export async function train(client: WorkerClient, wish: Wish, options: TrainOptions): Promise<Trained> {
  const { points, kind, lambda } = wish;
  const data = {
    ...samplesOf(points),
    lambda,
    tolerance,
    maxIterations: most_iterations,
    featureNames,
  };
  const offerOf = (model: Offer['model'], loss: string, penalty: string): Offer =>
    ({ title: 'plane', model, samples: points.length, features: 2, classes: model.classes!.length, loss, penalty });
  const shared = { interactions: null, kernelTerms: null };
  if (kind === 'linear') {
    const model = await client.train({ ...data, loss: 'squared-hinge', penalty: 'l1' }, options);
    const terms = model.keptFeatures.flatMap((j) => model.classes.map((label, k) => ({
      class: label, features: [j], names: [featureNames[j]!], coefficient: model.weights[j * model.classes.length + k]!,
    })));
    return {
      ...shared, report: model.report, labels: model.classes.map(Number), scores: (x) => model.scores(x),
      interactions: terms.filter(({ coefficient }) => coefficient !== 0),
      offer: offerOf(model, 'squared-hinge', 'l1'),
    };
  }
  if (kind === 'interactions') {
    const model = await client.trainInteractions({ ...data, hierarchy: wish.hierarchy }, options);
    return {
      ...shared, report: model.report, labels: model.classes!.map(Number), scores: (x) => model.scores(x), interactions: model.terms,
      offer: offerOf(model, 'squared-hinge', 'hierarchical'),
    };
  }
  const [p, q, r] = normOf(wish);
  const model = await client.trainKernels({ ...data, kernels: wish.kernels, p, q, r, intercept: true }, options);
  return {
    ...shared, report: model.report, labels: model.classes.map(Number), scores: (x) => model.scores(x), kernelTerms: model.terms,
    offer: offerOf(model, 'squared-hinge', 'mixed-norm'),
  };
}

/** The same, for code to reproduce. */
export function recipeOf(wish: Wish): Recipe {
  const { points, test, kind, lambda, hierarchy, kernels } = wish;
  const [p, q, r] = normOf(wish);
  const about = { lambda, tolerance };
  return {
    title: 'plane', label: 'class', training: samplesOf(points), ...(test.length > 0 ? { heldOut: samplesOf(test) } : {}), featureNames: ['x1', 'x2'],
    asked: kind === 'linear' ? { kind, loss: 'squared-hinge', penalty: 'l1', ...about }
      : kind === 'interactions' ? { kind, hierarchy, ...about } : { kind, kernels, p, q, r, intercept: true, ...about },
  };
}
