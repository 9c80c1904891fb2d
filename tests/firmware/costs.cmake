# What is measured on the boards, one program each: solver, loss, penalty, the same in C++ and the options. The first three
# name the program. Both the tests and the programs of the boards include this.
set(tight ".lambda = 0.02f, .tolerance = 1e-3f")
set(loose ".lambda = 0.02f, .tolerance = 1e-2f")
set(costs
    "primal-dual|hinge|l1|PrimalDual|Hinge|L1|${loose}"
    "primal-dual|hinge|elastic-net|PrimalDual|Hinge|ElasticNet<float>|${loose}"
    "primal-dual|hinge|group-l2|PrimalDual|Hinge|GroupL2|${loose}"
    "primal-dual|hinge|group-linf|PrimalDual|Hinge|GroupLinf|${loose}"
    "constrained-primal-dual|hinge|l1|ConstrainedPrimalDual|Hinge|L1|.tolerance = 1e-2f, .eta = 0.2f"
    "two-phase|hinge|l1|TwoPhase|Hinge|L1|${tight}"
    "two-phase|hinge|group-l2|TwoPhase|Hinge|GroupL2|${tight}"
    "crammer-singer-dual|hinge|ridge|CrammerSingerDual|Hinge|Ridge|${tight}"
    "fista|squared-hinge|l1|Fista|SquaredHinge|L1|${loose}"
    "fista|squared-hinge|group-l2|Fista|SquaredHinge|GroupL2|${loose}"
    "fista|logistic|l1|Fista|Logistic|L1|${loose}"
    "fista|one-vs-rest-squared-hinge|l1|Fista|OneVsRestSquaredHinge|L1|${loose}"
    "block-coordinate-descent|squared-hinge|l1|BlockCoordinateDescent|SquaredHinge|L1|${tight}"
    "block-coordinate-descent|squared-hinge|group-l2|BlockCoordinateDescent|SquaredHinge|GroupL2|${tight}"
    "block-coordinate-descent|logistic|group-l2|BlockCoordinateDescent|Logistic|GroupL2|${tight}"
    "streamed-dual-averaging|hinge|l1|DualAveragingLearner|Hinge|L1|.lambda = 0.02f"
    "streamed-fobos|logistic|group-l2|FobosLearner|Logistic|GroupL2|.lambda = 0.02f")
