"""Chierchia et al.'s (2015) algorithms, and those it times them against, as it prints them: their iterates and the library's agree.

A problem is that of the paper: L samples φ(u) with labels z, K classes, x the (M + 1) × K coefficients, the last row being
the offsets; T as a matrix. The library's λ is 1/(Lλ) of the paper's and its η is η/L; with weights w of samples, which the
paper has not, λ_ℓ = c_ℓ/λ and Σ c_ℓ ζ_ℓ ≤ η, c = w/Σw, as the library's text has it.
"""
import itertools
import unittest

from compare import distance, l1_ball, library, np, simplex, soft, tolerance

penalties = {"squares": 0, "l1": 1, "l1,2": 2, "l1,inf": 3}
losses = {"square": 1, "logit": 2, "one-vs-all": 3}


class Problem:
    def __init__(self, seed, L, M, K, penalty, block=0, intercept=True, weighted=False, size=1.0):
        random = np.random.default_rng(seed)
        self.phi = random.standard_normal((L, M))
        self.z = np.concatenate([np.arange(K), random.integers(K, size=L - K)])
        self.phi[np.arange(L), self.z % M] += 1.5  # so that there is something to learn
        self.phi *= size
        self.mu = random.uniform(0.5, 1.5, L)
        w = random.integers(1, 4, L).astype(float) if weighted else np.ones(L)
        self.weights, self.c = w, w / w.sum()
        self.L, self.M, self.K = L, M, K
        self.penalty, self.block, self.intercept = penalty, block, intercept
        varphi = np.hstack([self.phi, np.ones((L, 1))]) if intercept else self.phi
        self.varphi, self.rows = varphi, varphi.shape[1]
        T = np.zeros((L, K, self.rows, K))
        for l, k in itertools.product(range(L), range(K)):
            T[l, k, :, k] += varphi[l]
            T[l, k, :, self.z[l]] -= varphi[l]
        self.T = T.reshape(L * K, self.rows * K)
        self.r = np.where(np.arange(K) == self.z[:, None], 0, self.mu[:, None])

    def library(self, algorithm, iterations, lam=0.0, eta=0.0, loss="square"):
        return library(
            algorithm, samples=self.L, features=self.M, classes=self.K, columns=self.phi.T, labels=self.z,
            weights=self.weights, margins=self.mu, penalty=penalties[self.penalty], block=self.block,
            intercept=self.intercept, eta=eta, iterations=iterations, loss=losses[loss], **{"lambda": lam})

    def prox_g(self, x, step):
        """prox of step·g; g is ½‖·‖², the l1 norm, or the sum of the norms of groups, and never of the offsets."""
        x = x.reshape(self.rows, self.K).copy()
        w = x[: self.M]
        if self.penalty == "squares":
            w /= 1 + step
        elif self.penalty == "l1":
            w[:] = soft(w, step)
        else:
            norm_prox = self.prox_l2 if self.penalty == "l1,2" else self.prox_linf
            for group in self.groups():
                w[group] = norm_prox(w[group], step)
        return x.ravel()

    def groups(self):
        if not self.block:  # a feature's coefficients across classes
            return [(m, slice(None)) for m in range(self.M)]
        return [(slice(b, b + self.block), k) for b in range(0, self.M, self.block) for k in range(self.K)]

    @staticmethod
    def prox_l2(v, step):
        size = np.sqrt((v**2).sum())
        return v * max(0.0, 1 - step / size) if size > 0 else v

    @staticmethod
    def prox_linf(v, step):
        return v - l1_ball(v, step)

    def of_scores(self, y):
        """Tᵀy is ΦᵀU with this U: what the library multiplies with."""
        U = y.reshape(self.L, self.K).copy()
        rows = np.arange(self.L)
        U[rows, self.z] -= U.sum(axis=1)
        return U


def algorithm_1(p, lam, norm):
    tau = sigma = 1 / norm
    x, y = np.zeros(p.rows * p.K), np.zeros(p.L * p.K)
    while True:
        x_next = p.prox_g(x - tau * p.T.T @ y, tau)
        y_hat = y + sigma * p.T @ (2 * x_next - x)
        u = (y_hat + sigma * p.r.ravel()).reshape(p.L, p.K)
        y_next = np.array([simplex(row, c / lam) for row, c in zip(u, p.c)]).ravel()
        yield p.of_scores(y), 2 * x_next - x, x_next
        x, y = x_next, y_next


def half_space(zeta, c, eta):
    """The projection onto {Σ c ζ ≤ η}."""
    return zeta - max(0.0, (c * zeta).sum() - eta) / (c**2).sum() * c


def epigraph(y, zeta, r):
    """Proposition 3.3."""
    nu = np.sort(y + r)
    K = nu.size
    for k in range(K + 1):  # the paper's k̄ is k + 1
        theta = (zeta + nu[k:].sum()) / (K - k + 1)
        if (k == 0 or nu[k - 1] < theta) and (k == K or theta <= nu[k]):
            return np.minimum(y, theta - r), theta
    raise AssertionError("no k̄")


def algorithm_2(p, eta, norm):
    tau = sigma = 1 / max(norm, 1)
    x, zeta, y, xi = np.zeros(p.rows * p.K), np.zeros(p.L), np.zeros(p.L * p.K), np.zeros(p.L)
    while True:
        x_next = p.prox_g(x - tau * p.T.T @ y, tau)
        zeta_next = half_space(zeta - tau * xi, p.c, eta)
        y_hat = (y + sigma * p.T @ (2 * x_next - x)).reshape(p.L, p.K)
        xi_hat = xi + sigma * (2 * zeta_next - zeta)
        projected = [epigraph(y_hat[l] / sigma, xi_hat[l] / sigma, p.r[l]) for l in range(p.L)]
        y_next = (y_hat - sigma * np.array([of_y for of_y, _ in projected])).ravel()
        xi_next = xi_hat - sigma * np.array([of_xi for _, of_xi in projected])
        yield p.of_scores(y), 2 * x_next - x, x_next
        x, zeta, y, xi = x_next, zeta_next, y_next, xi_next


def linear_constraints(p, eta, norm):
    """Section 4.2: FBPD with the first constraint in the place of V, and one dual for each of the other three sets."""
    tau = sigma = 1 / max(norm, np.sqrt(3))
    c = np.repeat(p.c[:, None], p.K, axis=1)

    def all_equal(zeta):
        return np.repeat(zeta.mean(axis=1, keepdims=True), p.K, axis=1)

    def below(y, zeta):  # {y + r ≤ ζ}, a half-plane for each ℓ and k
        beyond = np.maximum(y + p.r - zeta, 0) / 2
        return y - beyond, zeta + beyond

    shape = (p.L, p.K)
    x, zeta = np.zeros(p.rows * p.K), np.zeros(shape)
    equal, positive, of_y, of_zeta = (np.zeros(shape) for _ in range(4))
    while True:
        x_next = p.prox_g(x - tau * p.T.T @ of_y.ravel(), tau)
        zeta_next = half_space(zeta - tau * (equal + positive + of_zeta), c, p.K * eta)
        x_ahead, zeta_ahead = 2 * x_next - x, 2 * zeta_next - zeta
        yield p.of_scores(of_y), x_ahead, x_next
        equal_hat, positive_hat = equal + sigma * zeta_ahead, positive + sigma * zeta_ahead
        y_hat, zeta_hat = of_y + sigma * (p.T @ x_ahead).reshape(shape), of_zeta + sigma * zeta_ahead
        equal = equal_hat - sigma * all_equal(equal_hat / sigma)
        positive = positive_hat - sigma * np.maximum(positive_hat / sigma, 0)
        projected = below(y_hat / sigma, zeta_hat / sigma)
        of_y, of_zeta = y_hat - sigma * projected[0], zeta_hat - sigma * projected[1]
        x, zeta = x_next, zeta_next


def slope(p, loss, x):
    """The gradient of problems (19), (20) and, with its sign mended, (21) with respect to the scores, c in front."""
    scores = p.varphi @ x.reshape(p.rows, p.K)
    rows = np.arange(p.L)
    is_label = np.arange(p.K) == p.z[:, None]
    if loss == "one-vs-all":
        sign = np.where(is_label, 1, -1)
        return p.c[:, None] * -2 * sign * np.maximum(0, p.mu[:, None] - sign * scores)
    ahead = p.r + scores - scores[rows, p.z][:, None]
    if loss == "square":
        u = np.where(is_label, 0, 2 * np.maximum(0, ahead))
        u[rows, p.z] = -u.sum(axis=1)
    else:
        u = np.exp(ahead) / np.exp(ahead).sum(axis=1, keepdims=True)
        u[rows, p.z] -= 1
    return p.c[:, None] * u


def proximal_gradient(p, loss, lam, norm, accelerated):
    curvature = {"square": 2 * p.K, "logit": 0.5, "one-vs-all": 2}[loss] * p.c.max() * norm**2
    x = y = np.zeros(p.rows * p.K)
    t = 1.0
    while True:
        u = slope(p, loss, y)
        x_next = p.prox_g(y - (p.varphi.T @ u).ravel() / curvature, lam / curvature)
        yield u, y, x_next
        t_next = (1 + np.sqrt(1 + 4 * t * t)) / 2
        y = x_next + (t - 1) / t_next * (x_next - x) if accelerated else x_next
        x, t = x_next, t_next


def problems():
    yield Problem(1, 12, 5, 3, "l1")
    yield Problem(2, 25, 9, 4, "l1,2")
    yield Problem(3, 20, 30, 2, "l1,inf", block=7)
    yield Problem(4, 30, 8, 5, "l1,2", block=3, weighted=True)
    yield Problem(5, 18, 6, 3, "squares", intercept=False)
    yield Problem(6, 40, 12, 6, "l1,inf", intercept=False, weighted=True)


def problems_and_one_of_short_rows():
    """The last has ‖T‖ < 1, where the steps are cut."""
    return itertools.chain(problems(), [Problem(7, 15, 6, 3, "squares", intercept=False, size=0.04)])


class Iterates(unittest.TestCase):
    def check(self, p, printed, transcribe, operator):
        """Each iteration's duals and points, and the last iterate; the norm is that of the operator, or a little more."""
        (name, (norm,)), *lines = printed
        self.assertEqual(name, "norm")
        true_norm = np.linalg.norm(operator, 2)
        self.assertLessEqual(true_norm, norm)
        self.assertLess(norm, 1.011 * true_norm)
        iterations = len(lines) // 2
        self.assertEqual([name for name, _ in lines], ["dual", "point"] * iterations + ["last"])
        for i, (dual, point, x) in enumerate(itertools.islice(transcribe(norm), iterations)):
            self.assertLess(distance(lines[2 * i][1], dual), tolerance, f"dual of iteration {i}")
            self.assertLess(distance(lines[2 * i + 1][1], point), tolerance, f"point of iteration {i}")
        self.assertLess(distance(lines[-1][1], x), tolerance)
        w = x.reshape(p.rows, p.K)[: p.M]
        self.assertGreater(np.abs(w).max(), 0.01, "coefficients have moved")
        return (w == 0).mean()

    def check_all(self, algorithm, iterations, kinds, settings, transcribe, operator, **more):
        zeros = []
        for p, setting in zip(kinds, itertools.cycle(settings)):
            with self.subTest(algorithm, penalty=p.penalty, L=p.L, **setting):
                printed = p.library(algorithm, iterations, **setting, **more)
                zeros.append(self.check(p, printed, lambda norm: transcribe(p, norm, *setting.values()), operator(p)))
        self.assertGreater(max(zeros, default=1), 0.05, "somewhere coefficients are zero")

    def test_algorithm_1(self):
        self.check_all("primal-dual", 60, problems_and_one_of_short_rows(), [{"lam": lam} for lam in (0.03, 0.1, 0.01)],
                       lambda p, norm, lam: algorithm_1(p, lam, norm), lambda p: p.T)

    def check_constrained(self, algorithm, transcribe):
        self.check_all(algorithm, 60, problems_and_one_of_short_rows(), [{"eta": eta} for eta in (0.5, 0.2, 0.3)],
                       lambda p, norm, eta: transcribe(p, eta, norm), lambda p: p.T)

    def test_algorithm_2(self):
        self.check_constrained("constrained", algorithm_2)

    def test_linear_constraints(self):
        self.check_constrained("linear-constraints", linear_constraints)

    def check_gradients(self, algorithm, accelerated):
        for loss in losses:
            self.check_all(algorithm, 60, problems(), [{"lam": 0.05}],
                           lambda p, norm, lam: proximal_gradient(p, loss, lam, norm, accelerated),
                           lambda p: p.varphi, loss=loss)

    def test_fista(self):
        self.check_gradients("fista", True)

    def test_forward_backward(self):
        self.check_gradients("forward-backward", False)


if __name__ == "__main__":
    unittest.main()
