"""Whether the measures give the numbers of a file of check values, and how many of them.

    python -m bench.science_checks PATH/science_checks.json

Each check goes through the public functions of `analysis/measures`; what differs by more than its tolerance is listed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import studentized_range

from analysis.measures.contrasts import adjust_text_contrasts, largest_t
from analysis.measures.correlations import naive_difference, regress_within_texts
from analysis.measures.informativity import carry_over
from analysis.measures.item_response import fit_item_response, fit_statistics, mantel_haenszel
from analysis.measures.prediction_powered import PEOPLE_ONLY, SLOPE_ONE, Cell, combine, fit, gain
from analysis.measures.rater_effects import crossed_components, d_study, g_study, rater_severity
from analysis.measures.reliability import alpha_of_covariances, alpha_of_parts, omega_of_loadings
from evaluation.metrics import Question, has_wordnet, list_metrics

Check = tuple[str, Any, Any, float]  # name, found, expected, tolerance
EXACT, PRINTED = 1e-6, 0.00051
WIDE = (-9.0, 9.0)
WORDNET = "/usr/share/wordnet"
SHROUT_FLEISS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float)


def check_published(data: dict[str, Any]) -> Iterator[Check]:
    lsat = data["LSAT6 (Bock & Lieberman 1970), patterns 00000, 00001 .. 11111"]
    patterns = np.array([[int(digit) for digit in f"{code:05b}"] for code in range(32)])
    answers = np.repeat(patterns, lsat["counts"], axis=0)
    alpha = alpha_of_parts(answers.astype(float))
    yield "LSAT6 KR-20", alpha.value, lsat["KR20"], PRINTED
    yield "LSAT6 Feldt", (alpha.low, alpha.high), lsat["Feldt_95"], PRINTED
    for name, slopes, tolerance in (
        ("rasch_slope_1", "one", PRINTED), ("rasch_common_slope", "common", PRINTED), ("2pl", "each", 0.01),
    ):  # fmt: skip
        model = fit_item_response(answers, slopes)  # type: ignore[arg-type]
        yield f"{name} difficulty", model.difficulty, lsat[name]["difficulty"], tolerance
        yield f"{name} log-likelihood", model.log_likelihood, lsat[name]["log_likelihood"], max(tolerance, PRINTED)
        if "slope" in lsat[name]:
            slope = model.slope if slopes == "each" else model.slope[0]
            yield f"{name} slope", slope, lsat[name]["slope"], tolerance
    study = data["Shrout & Fleiss 1979 as G study"]
    item, rater = (each.ravel() for each in np.indices(SHROUT_FLEISS.shape))
    g = g_study(item, rater, SHROUT_FLEISS.ravel())
    yield "G study", (g.objects, g.raters, g.residual), study["components_p_r_pr"], PRINTED
    ratios = (g.relative(1), g.absolute(1), g.relative(4), g.absolute(4))
    yield "Eρ², Φ", ratios, [study[key] for key in ("E_rho2_1_rater", "Phi_1", "E_rho2_4", "Phi_4")], 0.0051
    name = next(key for key in data if key.startswith("UCB"))
    dif, found = data[name], mantel_haenszel(np.array(data[name]["tables"]))
    yield "UCB odds ratio", found.odds_ratio, dif["odds_ratio"], EXACT
    yield "UCB ends", (found.low, found.high), dif["ci"], EXACT
    yield "UCB χ²", (found.chi2, found.chi2_corrected), (dif["chi2"], dif["chi2_corrected"]), 0.000051
    yield "UCB D", found.d, dif["MH_D_DIF"], EXACT


def analytic(data: dict[str, Any]) -> Iterator[Check]:
    loadings = np.array([0.8, 0.7, 0.6, 0.5])
    covariance = np.outer(loadings, loadings)
    np.fill_diagonal(covariance, 1)
    yield "ω", omega_of_loadings(loadings, 1 - loadings**2), data["omega of loadings .8 .7 .6 .5"], EXACT
    yield "α of the same", alpha_of_covariances(covariance), data["alpha of the same"], EXACT
    yield "gain", gain(0.7, 20, 100), data["gain 1/(1-(1-n/N)r^2), r .7, 20 of 100"], EXACT
    for generators, freedom, key in (
        (3, 9, "studentized range .95 / sqrt 2, g 3 df 9"), (4, 19, "g 4 df 19"),
    ):  # fmt: skip
        first, second = np.triu_indices(generators, 1)
        over = np.eye(generators)[first] - np.eye(generators)[second]
        yield f"range {key}", studentized_range.ppf(0.95, generators, freedom) / 2**0.5, data[key], EXACT
        yield f"max-T {key}", np.quantile(largest_t(over @ over.T / 2, freedom, 1), 0.95), data[key], 0.02
    expected = 1 / (1 + np.exp([[-1.0, 0.0, 1.0]]))
    for pattern, fits in data["Rasch fit, theta 0, difficulties -1 0 1"].items():
        one = fit_statistics(np.array([[int(digit) for digit in pattern]]), expected, axis=1)
        yield f"fit {pattern}", (one.infit[0], one.outfit[0]), (fits["infit"], fits["outfit"]), EXACT
    people, there = [0.9, 0.7, 0.8, 1, 0.6, 0.8], [0.8, 0.6, 0.9, 0.9, 0.5, 0.7]
    cell = Cell(
        np.array([*people, *[np.nan] * 6]),
        np.array([*there, 0.4, 0.9, 0.6, 0.7, 1, 0.3]),
        np.full(12, 0.5),
        np.ones(12),
    )
    wanted = next(value for key, value in data.items() if key.startswith("people"))
    found = fit(cell)
    yield "λ, θ", (found.slope, found.value), (wanted["lambda"], wanted["theta"]), EXACT
    yield "θ of λ 1", fit(cell, SLOPE_ONE).value, wanted["lambda_1"], EXACT


def check_joined(name: str, own: dict[str, Any]) -> Iterator[Check]:
    checks, n = own["checks"], len(own["probability_of_choice"])
    cells = []
    for stage in ("answerability", "guessability"):
        people = np.full(n, np.nan)
        people[own["texts_of_people"]] = own[f"people_{stage}"]
        predicted = np.array(own[f"model_{stage}_all_texts"])
        cells.append(Cell(people, predicted, np.array(own["probability_of_choice"]), np.ones(n)))
    found, alone = [fit(cell) for cell in cells], [fit(cell, PEOPLE_ONLY) for cell in cells]
    read, guess = found
    yield f"{name} λ", (read.slope, guess.slope), checks["lambda"], EXACT
    yield f"{name} A, G", (read.value, guess.value), checks["A_G"], EXACT
    difference = combine(found, (1, -1), WIDE, "fixed")
    yield f"{name} I", difference.value, checks["informativity"], EXACT
    errors = [combine([each], [1], WIDE, "fixed").texts ** 0.5 for each in found]
    yield f"{name} SE of A, G", errors, checks["se_A_G"], EXACT
    yield f"{name} SE of I", difference.texts**0.5, checks["se_informativity"], EXACT
    yield f"{name} df", difference.n_texts_effective - 1, checks["df"], EXACT
    yield f"{name} people only", [each.value for each in alone], checks["people_only_A_G"], EXACT
    error = combine(alone, (1, -1), WIDE, "fixed").texts ** 0.5
    yield f"{name} people only, SE", error, checks["people_only_se_informativity"], EXACT


def own_data(data: dict[str, Any], wordnet: str) -> Iterator[Check]:
    for name in ("people_and_models_equal_chance", "people_and_models_unequal_chance"):
        yield from check_joined(name, data[name])
    study = data["g_study_p_i_r"]
    components = crossed_components(np.array(study["ratings_person_item_rater"], dtype=float))
    wanted, shape = study["checks"], np.array(study["ratings_person_item_rater"]).shape
    for part, value in wanted["components"].items():
        yield f"p × i × r {part}", components[part], value, EXACT
    yield "as observed", d_study(components, *shape[1:]), wanted["E_rho2_Phi_as_observed"], EXACT
    yield "10 items, 2 raters", d_study(components, 10, 2), wanted["E_rho2_Phi_10_items_2_raters"], EXACT
    rated = data["rater_severity"]
    item, rater, value = (np.array(rated[key]) for key in ("item", "rater", "rating"))
    alone = np.zeros(item.max() + 1, dtype=np.int64)
    yield "severity", rater_severity(item, rater, value, alone, alone).severity, rated["checks"]["severity"], EXACT
    raw = np.bincount(rater, weights=value) / np.bincount(rater)
    yield "raw means of raters", raw - raw.mean(), rated["checks"]["raw_mean_minus_mean"], EXACT
    for name in ("dif", "dif_2"):
        checks = data[name]["checks"]
        found = mantel_haenszel(np.array(data[name]["strata_group_by_right_wrong_reference_first"]))
        numbers = (found.odds_ratio, found.d, found.error, found.chi2_corrected and found.p)
        names = ("odds_ratio", "MH_D_DIF", "se", "p_corrected")
        for key, number in zip(names, numbers, strict=True):
            yield f"{name} {key}", number, checks[key], EXACT
        yield f"{name} class", ord(found.category), ord(checks["class"]), 0
    for name in ("all_pairs", "all_pairs_4"):
        yield from pairs(name, data[name])
    rows, checks = data["carry_over"]["rows"], data["carry_over"]["checks"]
    item, text, guessed, right = (
        np.array([row[key] for row in rows]) for key in ("item", "text", "guessed_before", "right_of_3")
    )
    effect = carry_over(item, text, np.arange(len(item)), guessed == 1, right, np.full(len(item), 3.0), "fixed").parts
    yield "carry-over", effect.value, checks["effect"], EXACT
    yield "carry-over SE", effect.texts**0.5, checks["se_text_jackknife"], EXACT
    yield "carry-over df", effect.n_texts_effective - 1, checks["df"], EXACT
    flaw, checks = data["flaw_within_text"], data["flaw_within_text"]["checks"]
    text, y = np.array(flaw["text"]), np.array(flaw["informativity"])
    columns = np.stack([np.array(flaw["flaw"]), np.array(flaw["type_b"])], axis=1).astype(float)
    fitted = regress_within_texts(y[:, None], columns, text)
    without = fitted.without[:, 0, 0]
    error = ((len(without) - 1) / len(without) * ((without - without.mean()) ** 2).sum()) ** 0.5
    yield "flaw, naive", naive_difference(y, columns[:, 0] == 1), checks["naive"], EXACT
    yield "flaw, effect", fitted.coefficients[0, 0], checks["effect_flaw"], EXACT
    yield "flaw, SE", error, checks["se_text_jackknife"], EXACT
    yield "flaw, df", len(without) - 1, checks["df"], EXACT
    for pair in data["metrics_as_published"]:
        yield from metric_values(pair, wordnet)


def pairs(name: str, own: dict[str, Any]) -> Iterator[Check]:
    scores, checks = np.array(own["informativity_text_by_generator"]), own["checks"]
    k, g = scores.shape
    order = [(i, j) for i in range(g) for j in range(i)]
    over = np.stack([np.eye(g)[i] - np.eye(g)[j] for i, j in order], axis=1)
    found = adjust_text_contrasts(
        scores.mean(axis=0) @ over, (scores.sum(axis=0) - scores) / (k - 1) @ over, bounds=WIDE, seed=1
    )
    yield f"{name} contrasts", [each.value for each in found], checks["contrasts_i_minus_j_for_j_below_i"], EXACT
    error = np.array([each.high_adjusted - each.value for each in found]) / np.array(checks["se"])
    yield f"{name} critical value", error, np.full(len(found), checks["critical_max_t (tolerance .02)"]), 0.02
    yield f"{name} adjusted p", [each.p_adjusted for each in found], checks["adjusted_p (tolerance .01)"], 0.01


def metric_values(pair: dict[str, Any], wordnet: str) -> Iterator[Check]:
    """METEOR only where WordNet's files are."""
    asked = Question(pair["question"], "", "en", references=(pair["reference"],))
    for name, compute in list_metrics(wordnet).items():
        if name in pair:
            yield f"{name} of {pair['question']!r}", round(compute(asked), 4), pair[name], EXACT


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--wordnet", default=WORDNET, help="folder of WordNet's files, for METEOR")
    options = parser.parse_args()
    data = json.loads(options.file.read_text(encoding="utf-8"))
    checks = [
        *check_published(data["published"]),
        *analytic(data["analytic"]),
        *own_data(data["own_data"], options.wordnet),
    ]
    wrong = [each for each in checks if not np.allclose(each[1], each[2], rtol=0, atol=each[3])]
    for name, found, expected, tolerance in wrong:
        print(f"{name}: {found} instead of {expected} (tolerance {tolerance})")
    if not has_wordnet(options.wordnet):
        print(f"Without METEOR, as {options.wordnet} does not hold WordNet's files.")
    print(f"{len(checks) - len(wrong)} of {len(checks)}")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
