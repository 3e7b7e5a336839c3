#' Differentially private feature selection
#'
#' [dp_inspect()] looks at a table, [dp_plan()] says what can be found, [dp_select()] selects and [dp_fit()] fits a
#' model to what is selected, each paid for by a ledger of [dp_ledger()]. [dp_choose()] chooses among candidates with scores
#' from elsewhere. The vignette `vignette("expression", "dpsis")` leads through them.
#'
#' @useDynLib dpsis, .registration = TRUE
#' @keywords internal
"_PACKAGE"
