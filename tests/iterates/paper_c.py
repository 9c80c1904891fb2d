"""Jiu et al.'s (2020) algorithms, and those it compares them with, as it prints them: their iterates and the library's agree.

A problem is that of the paper: L samples φ of N features with targets y, (v_k, Θ_k) for each of K outputs (1 for a
regression), λ₁ and λ₂. The library's are λ₁/L and λ₂/L. Printed and right, where these differ, as in the library's text:
β has the factor 2 that v = v⁺ − v⁻ brings, 1/τ − qσ ≥ β/2 with q = 2 for the strong hierarchy, and the projections onto E_r
are completed where the propositions have no case. W = (Θ, v) is K × N × (N + 1), v the last column.
"""
import itertools
import unittest

from compare import distance, l1_ball, library, np, soft, tolerance


class Problem:
    def __init__(self, seed, L, N, K, strong, linf, lambda1, lambda2):
        random = np.random.default_rng(seed)
        self.phi = random.standard_normal((L, N)) * 0.7
        signal = self.phi[:, 0] + 2 * self.phi[:, 1] - 3 * self.phi[:, 0] * self.phi[:, 1] + self.phi[:, 2] ** 2
        signal += 0.1 * random.standard_normal(L)
        self.y = signal if K == 1 else np.searchsorted(np.quantile(signal, np.arange(1, K) / K), signal)
        self.L, self.N, self.K, self.strong, self.linf = L, N, K, strong, linf
        self.lambda1, self.lambda2 = lambda1, lambda2
        gram = self.phi @ self.phi.T
        self.norm = np.linalg.norm(gram + gram * gram, 2)

    def library(self, algorithm, iterations, **more):
        targets = {"values": self.y} if self.K == 1 else {"labels": self.y}
        return library(
            algorithm, samples=self.L, features=self.N, classes=self.K, columns=self.phi.T, strong=self.strong,
            linf=self.linf, lambda2=self.lambda2 / self.L, intercept=0, eta=0, iterations=iterations, **targets, **more,
            **{"lambda": self.lambda1 / self.L})

    def residuals(self, theta, v):
        """b = −∇f with respect to the scores, L × K."""
        f = np.einsum("li,kij,lj->lk", self.phi, theta, self.phi) + self.phi @ v.T
        if self.K == 1:
            return self.y[:, None] - f
        is_label = np.arange(self.K) == self.y[:, None]
        u = np.where(is_label, 0, 2 * np.maximum(0, 1 - (f[np.arange(self.L), self.y][:, None] - f)))
        u[np.arange(self.L), self.y] = -u.sum(axis=1)
        return -u

    def products(self, b):
        """Σ_ℓ b_ℓ φφᵀ and Σ_ℓ b_ℓ φ, for each output."""
        return np.einsum("li,lk,lj->kij", self.phi, b, self.phi), b.T @ self.phi

    def prox(self, theta, v, step):
        """prox of step·Ω without symmetry, row by row: Σ_j λ₁ max(|v_j|, ‖Θ_j‖_r) + λ₂ ‖Θ‖₁."""
        theta, v = theta.copy(), v.copy()
        of_row = prox_of_tree if self.linf else prox_by_bisection
        for k, j in itertools.product(range(self.K), range(self.N)):
            theta[k, j], v[k, j] = of_row(theta[k, j], v[k, j], step * self.lambda1, step * self.lambda2)
        return theta, v


def prox_of_tree(theta, v, t, s):
    """r = ∞: from the leaves to the root, Jenatton et al.: the entries, then the largest of them and v."""
    joint = np.append(soft(theta, s), v)
    joint = joint - l1_ball(joint, t)
    return joint[:-1], joint[-1]


def prox_by_bisection(theta, v, t, s):
    """r = 1: max(|v|, ‖θ‖₁) = max over α in [0, 1] of (1 − α)|v| + α‖θ‖₁, whose saddle point is where both are equal."""
    def at(alpha):
        return soft(theta, s + t * alpha), soft(v, t * (1 - alpha))

    def excess(alpha):
        of_theta, of_v = at(alpha)
        return np.abs(of_theta).sum() - abs(of_v)

    low, high = 0.0, 1.0
    if excess(low) <= 0:
        return at(low)
    if excess(high) >= 0:
        return at(high)
    for _ in range(100):
        middle = (low + high) / 2
        if excess(middle) > 0:
            low = middle
        else:
            high = middle
    return at((low + high) / 2)


def project_e_inf(plus, minus, u):
    """Proposition 4.1 by t = η⁺ + η⁻; u stays where it is within, and t = 0 where the formula is negative."""
    s = plus + minus
    if np.abs(u).max() <= s:
        return plus, minus, u
    nu = np.sort(np.abs(u))
    for n in range(nu.size):  # the paper's n̄ is n + 1
        many = nu.size - n
        t = (s + 2 * nu[n:].sum()) / (1 + 2 * many)
        if (n == 0 or nu[n - 1] < t) and t <= nu[n]:
            break
    t = max(t, 0.0)
    return plus + (t - s) / 2, minus + (t - s) / 2, np.clip(u, -t, t)


def project_e_1(plus, minus, u):
    """Propositions 4.2 and 4.3 by α = η^± − ω^±; u stays where it is within, and none of its entries may be left."""
    s = plus + minus
    if np.abs(u).sum() <= s:
        return plus, minus, u
    mu = np.append(np.sort(np.abs(u))[::-1], 0)
    alpha = -s / 2
    for m in range(mu.size - 1, 0, -1):
        alpha_m = (mu[:m].sum() - s) / (m + 2)
        if mu[m - 1] > alpha_m >= mu[m]:
            alpha = alpha_m
            break
    return plus + alpha, minus + alpha, soft(u, alpha) if alpha < mu[0] else 0 * u


def primal_dual(p):
    """Algorithm 2 (weak), 3 (strong) and, with classes, 4."""
    square = (p.phi**2).sum(axis=1)
    beta = (1 if p.K == 1 else 4 * (p.K - 1)) * (2 * square.sum() + (square**2).sum())
    tau = 1.9 / beta
    sigma = (1 / tau - beta / 2) / (2 if p.strong else 1)
    project = project_e_inf if p.linf else project_e_1
    rows, matrices = (p.K, p.N), (p.K, p.N, p.N)
    plus, minus, s_plus, s_minus = (np.zeros(rows) for _ in range(4))
    theta, of_sum, dual = (np.zeros(matrices) for _ in range(3))  # dual: Λ, with strong Λ₂; of_sum: Λ₁
    while True:
        of_theta, of_v = p.products(p.residuals(theta, plus - minus))
        plus_next = np.maximum(0, plus + tau * of_v - tau * p.lambda1 - tau * s_plus)
        minus_next = np.maximum(0, minus - tau * of_v - tau * p.lambda1 - tau * s_minus)
        if p.strong:
            moved = theta + tau * of_theta - tau * (of_sum + dual)
            theta_next = (moved + moved.transpose(0, 2, 1)) / 2
            hat = of_sum + sigma * (2 * theta_next - theta)
            of_sum = hat - sigma * soft(hat / sigma, p.lambda2 / sigma)
        else:
            theta_next = soft(theta + tau * of_theta - tau * dual, tau * p.lambda2)
        plus_hat = s_plus + sigma * (2 * plus_next - plus)
        minus_hat = s_minus + sigma * (2 * minus_next - minus)
        dual_hat = dual + sigma * (2 * theta_next - theta)
        for k, i in itertools.product(range(p.K), range(p.N)):
            of_plus, of_minus, of_row = project(plus_hat[k, i] / sigma, minus_hat[k, i] / sigma, dual_hat[k, i] / sigma)
            s_plus[k, i] = plus_hat[k, i] - sigma * of_plus
            s_minus[k, i] = minus_hat[k, i] - sigma * of_minus
            dual[k, i] = dual_hat[k, i] - sigma * of_row
        plus, minus, theta = plus_next, minus_next, theta_next
        yield theta, plus - minus


def fista(p, norm, prox):
    """Beck and Teboulle with the constant step 1/L, L = c·norm, c = 1 or 2K."""
    step = 1 / ((1 if p.K == 1 else 2 * p.K) * norm)
    theta, v = np.zeros((p.K, p.N, p.N)), np.zeros((p.K, p.N))
    theta_ahead, v_ahead, t = theta, v, 1.0
    while True:
        of_theta, of_v = p.products(p.residuals(theta_ahead, v_ahead))
        theta_next, v_next = prox(theta_ahead + step * of_theta, v_ahead + step * of_v, step)
        t_next = (1 + np.sqrt(1 + 4 * t * t)) / 2
        theta_ahead = theta_next + (t - 1) / t_next * (theta_next - theta)
        v_ahead = v_next + (t - 1) / t_next * (v_next - v)
        theta, v, t = theta_next, v_next, t_next
        yield theta, v


def dykstra(p, rounds):
    """prox of step·Ω with symmetry by Dykstra's alternation, Bauschke and Combettes: the last symmetric point."""
    def prox(theta, v, step):
        first, of_first, second, of_second = (np.zeros_like(part) for part in (theta, v, theta, v))
        for _ in range(rounds):
            joint = theta + first
            symmetric, of_symmetric = (joint + joint.transpose(0, 2, 1)) / 2, v + of_first
            first, of_first = joint - symmetric, v + of_first - of_symmetric
            theta, v = p.prox(symmetric + second, of_symmetric + of_second, step)
            second, of_second = symmetric + second - theta, of_symmetric + of_second - v
        return symmetric, of_symmetric

    return prox


def admm(p, norm, rho, rounds):
    """hierNet's, Bien et al. section 5.2, Θ by proximal gradient steps."""
    step = 1 / (norm + rho)
    theta, copy, dual = (np.zeros((1, p.N, p.N)) for _ in range(3))
    v = np.zeros((1, p.N))
    while True:
        for _ in range(rounds):
            of_theta, of_v = p.products(p.residuals(theta, v))
            theta, v = p.prox(theta + step * (of_theta - dual - rho * (theta - copy)), v + step * of_v, step)
        joint = theta + dual / rho
        copy = (joint + joint.transpose(0, 2, 1)) / 2
        dual = dual + rho * (theta - copy)
        yield theta, v


def problems(strong, linf=(False, True)):
    for one in linf:
        yield Problem(1, 20, 5, 1, strong, one, 0.8, 0.4)
        yield Problem(2, 30, 9, 1, strong, one, 3, 1.5)
        yield Problem(3, 24, 6, 3, strong, one, 2, 0.7)
        yield Problem(4, 18, 7, 2, strong, one, 1, 0.3)


class Iterates(unittest.TestCase):
    def check_all(self, algorithm, iterations, kinds, transcribe, **more):
        zeros = []
        for p in kinds:
            with self.subTest(algorithm, K=p.K, N=p.N, strong=p.strong, linf=p.linf):
                (name, (norm,)), *lines = p.library(algorithm, iterations, **more)
                self.assertEqual([name, *(name for name, _ in lines)], ["norm"] + ["rows"] * iterations)
                self.assertLessEqual(p.norm, norm)
                self.assertLess(norm, 1.011 * p.norm)
                for i, ((_, ours), (theta, v)) in enumerate(zip(lines, transcribe(p, norm))):
                    apart = distance(ours, np.concatenate([theta, v[:, :, None]], axis=2))
                    self.assertLess(apart, tolerance, f"iteration {i}")
                self.assertGreater(np.abs(theta).max(), 0.01, "products have moved")
                self.assertGreater(np.abs(v).max(), 0.01, "features have moved")
                zeros.append((theta == 0).mean())
        return zeros

    def check_some_zero(self, zeros):
        self.assertGreater(max(zeros, default=1), 0.05, "somewhere products are zero")

    def test_primal_dual_weak(self):
        self.check_some_zero(self.check_all("interaction-primal-dual", 60, problems(False), lambda p, _: primal_dual(p)))

    def test_primal_dual_strong(self):  # Θ is zero in the limit only: its norm is among the duals
        self.check_all("interaction-primal-dual", 60, problems(True), lambda p, _: primal_dual(p))

    def test_fista_weak(self):
        self.check_some_zero(
            self.check_all("interaction-fista", 60, problems(False), lambda p, norm: fista(p, norm, p.prox)))

    def test_fista_strong(self):
        self.check_all("interaction-dykstra", 40, problems(True), lambda p, norm: fista(p, norm, dykstra(p, 8)), rounds=8)

    def test_admm_strong(self):
        kinds = [p for p in problems(True, linf=(False,)) if p.K == 1]
        for rho in (1.0, 20.0):
            self.check_some_zero(self.check_all("interaction-admm", 30, kinds, lambda p, norm: admm(p, norm, rho, 5),
                                                rho=rho, rounds=5))


if __name__ == "__main__":
    unittest.main()
