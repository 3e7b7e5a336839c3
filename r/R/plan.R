#' Say what a selection would find, before any data are touched
#'
#' @inheritParams dp_select
#' @param n,d The numbers of rows with a usable target, and of features.
#' @param fwer Without `k`: as for [dp_select()].
#' @param share The share of the rarer of two classes; without it the target is a number that is split at a private
#'   median.
#' @param strength A strength from 0 to 1: say how many rows, or which epsilon, it takes to find it.
#' @param over Other epsilons to look at.
#' @param score,neighbors,shares,threads As for [dp_select()].
#' @param mechanism,gamma With `k`: the mechanisms to compare, and the values of gamma of `"canonical"`.
#' @param draws With `k`: how many tables are imagined.
#' @param output With `k`: a folder for a page with figures.
#' @param seed Of the draws.
#' @return An object of class `dpsis_plan`: a list of `record`, all figures; `json`, their text; and `report`, which is
#'   printed.
#' @section Privacy:
#' No data are read; the numbers stated must be public.
#' @examples
#' dp_plan(1000, 50, 3, 1, mechanism = "canonical", gamma = 0.5, draws = 20, over = 1)
#' @export
dp_plan <- function(n, d, k = NULL, epsilon, fwer = NULL, share = NULL, strength = NULL,
                    over = c(0.1, 0.25, 0.5, 1, 2, 4, 8), score = "ks", mechanism = NULL, gamma = NULL,
                    neighbors = "add-remove", shares = NULL, draws = NULL, output = NULL, seed = 0, threads = NULL,
                    progress = interactive()) {
  if (missing(epsilon)) no_budget()
  of_k <- list(mechanism = mechanism, gamma = gamma, draws = draws, output = output)
  wrong <- names(of_k)[lengths(of_k) > 0]
  if (is.null(k) && length(wrong)) {
    fail("mechanisms are compared, and tables imagined, for a number of features", c(wrong, "k"))
  }
  if (!is.null(k) && !is.null(fwer)) fail("a bound on false names goes without k", c("k", "fwer"))
  stated <- list(
    n = n, d = d, k = k, epsilon = epsilon, fwer = fwer, share = share, strength = strength, over = over, score = score,
    mechanism = mechanism, gamma = gamma, neighbors = neighbors, shares = shares, draws = draws, output = output,
    seed = seed, threads = threads
  )
  exact_each <- function(values, name) lapply(unname(values), exact, name)
  known <- list(
    n = whole, d = whole, k = whole, epsilon = exact, fwer = exact, share = number, strength = number,
    over = exact_each, score = word, mechanism = words, gamma = exact_each, neighbors = word, shares = exacts,
    draws = whole, output = path, seed = whole, threads = whole
  )
  options <- as_json(converted(stated, known))
  document(watched(progress, function(look) native(wrap__plan, options, look)), "dpsis_plan")
}
