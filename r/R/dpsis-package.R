#' Differentially private feature selection
#'
#' [dp_inspect()] inspects a table, [dp_plan()] forecasts findings, [dp_select()] selects and [dp_fit()] fits a
#' model to the selected features, each charged to a ledger of [dp_ledger()]. [dp_choose()] chooses among candidates with scores
#' from elsewhere. The vignette `vignette("expression", "dpsis")` leads through them.
#'
#' @useDynLib dpsis, .registration = TRUE
#' @keywords internal
"_PACKAGE"
