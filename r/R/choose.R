#' Choose among candidates by scores that were computed elsewhere
#'
#' @inheritParams dp_select
#' @param data A named vector of scores; a data frame or a CSV file with the columns `name`, `score` and perhaps
#'   `sensitivity`. Scores are data; names and sensitivities are public. Numbers are read exactly, of a double its
#'   shortest decimal text.
#' @param k How many to choose: 1 if not given; with `above` the largest number, any number if not given.
#' @param above Choose all candidates whose scores are above this public level; `parameters = c(alpha = 0.05, rate =
#'   "fdr")` bounds the expected share of names at or below it, `"fwer"` the probability of any.
#' @param sensitivity The most that one row can change any score; named, each score by its candidate's name.
#' @param columns Other names of the columns: `c(name = "model", score = "accuracy")`.
#' @param neighbors The relation of tables that the sensitivities are for: `"add-remove"` or `"replace-one"`.
#' @param monotonic Whether one row more changes all scores in one direction, as it does counts.
#' @param delta,mechanism,parameters As for [dp_select()]. Where sensitivities differ, a mechanism must be given.
#' @return An object of class `dpsis_choice`: see [dp_select()].
#' @section Privacy:
#' The whole result is epsilon-differentially private, provided that the sensitivities are right.
#' @examples
#' dp_choose(c(lasso = 0.8125, forest = 0.871), 20, sensitivity = 0.005)$names
#' @export
dp_choose <- function(data, epsilon, k = NULL, above = NULL, sensitivity = NULL, columns = NULL, neighbors = NULL,
                      monotonic = FALSE, delta = NULL, mechanism = NULL, parameters = NULL, ledger = NULL, note = "",
                      run_key = NULL, seed = NULL) {
  if (missing(epsilon)) no_budget()
  given <- list(
    epsilon = epsilon, k = k, above = above, sensitivity = sensitivity, columns = columns, neighbors = neighbors,
    monotonic = monotonic, delta = delta, mechanism = mechanism, parameters = parameters, ledger = ledger,
    run_key = run_key, seed = seed
  )
  terms <- terms_of(request_text("dp_choose", given), seed, ledger, note, run_key = run_key)
  own <- !is.null(names(sensitivity))
  candidates <- candidates_of(data, if (own) named(sensitivity, "sensitivity"), columns)
  if (own) given$sensitivity <- NULL
  known <- list(
    epsilon = exact, k = whole, above = exact, sensitivity = exact, neighbors = word, monotonic = flag, delta = exact,
    mechanism = word, parameters = exacts, columns = function(value, name) lapply(named(value, name), word, name)
  )
  options <- c(converted(given, known), list(candidates = candidates))
  choice(run_job("choose", options, terms))
}

# The candidates: a path, or for each its name, its score, and its own sensitivity if it has one.
candidates_of <- function(data, own, columns) {
  if (is_text(data) && is.null(names(data))) {
    if (length(own)) fail("a file of candidates has a column of sensitivities", "sensitivity")
    return(path(data, "data"))
  }
  if (is.data.frame(data)) {
    places <- c(name = "name", score = "score", sensitivity = "sensitivity")
    unknown <- setdiff(names(columns), names(places))
    if (length(unknown)) fail("the columns are name, score and sensitivity", "columns")
    places[names(columns)] <- unlist(columns)
    lacking <- setdiff(places[c("name", "score")], names(data))
    if (length(lacking)) fail(paste("the data frame has no column", encodeString(lacking[1], quote = "\"")), "columns")
    if (places[["sensitivity"]] %in% names(data)) {
      if (length(own)) fail("the sensitivity is given twice", "sensitivity")
      own <- stats::setNames(as.list(data[[places[["sensitivity"]]]]), data[[places[["name"]]]])
    }
    data <- stats::setNames(data[[places[["score"]]]], as.character(data[[places[["name"]]]]))
  }
  if (!is.atomic(data) || is.null(names(data))) fail("data must be a named vector, a data frame or a path", "data")
  scores <- named(data, "data")
  sensitivities <- if (!is.null(own)) {
    if (!all(names(scores) %in% names(own))) fail("the sensitivity of a candidate is not given", "sensitivity")
    own[names(scores)]
  }
  each <- function(place) {
    texts <- list(utf8(names(scores)[place]), exact(scores[[place]], "data"))
    if (is.null(own)) texts else c(texts, list(exact(sensitivities[[place]], "sensitivity")))
  }
  lapply(seq_along(scores), each)
}
