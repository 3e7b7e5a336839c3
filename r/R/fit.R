#' Select features and fit a model to them, both under one budget
#'
#' A number gets a linear regression, one of two `classes` a logistic one. Every value is clipped to a range of its
#' column: the one that `bounds` (of the target `target_bounds`) gives, else one that is drawn privately.
#'
#' If the released values do not determine even the mean of the target, there is no model: then only the record and
#' the names are there.
#'
#' @inheritParams dp_select
#' @param epsilon The privacy budget of the whole.
#' @param features Fit to these features, which must be public knowledge, and select none: without `k`.
#' @param levels A named list of the levels of categorical columns, `list(stage = c("I", "II", "III"))`, which are public
#'   knowledge: in the model each but the first is a column of 0 and 1. A row at no level counts as one at the first. A
#'   factor or a column of texts needs levels, or must be excluded.
#' @param selection_share The selection's share of epsilon.
#' @param ranges The share of the rest for ranges that are not given.
#' @param lambda With two `classes`: the regularization of the sum over rows. It pulls coefficients
#'   towards 0: a smaller one pulls less, and takes more noise. By default 2.5 times the standard deviation of the noise,
#'   in rows: it depends on the budget and the number of features alone, and is in the report.
#' @param ... All others of [dp_select()]. A model takes features as they are: `groups`, `adjust` and `scale = "cpm"`
#'   are refused.
#' @return An object of class `dpsis_fit`, a list of `names`, `indices`, `private`, `record`, `json` and `report` as of
#'   [dp_select()], and `model`, the model as the text of a file that `dpsis predict` reads; `NULL` without a model. Its
#'   methods are `print`, `summary`, `coef`, `predict` and `as.data.frame`.
#' @examples
#' set.seed(1)
#' x <- matrix(runif(20000, 0, 10), 5000, 4)
#' fitted <- dp_fit(x, 1, 5, y = 2 * x[, 3] + 1, bounds = c(0, 10), target_bounds = c(0, 25))
#' coef(fitted)
#' predict(fitted, matrix(c(0, 0, 4, 0), 1))
#' @export
dp_fit <- function(...) UseMethod("dp_fit")

#' @rdname dp_fit
#' @export
dp_fit.default <- function(data, k = NULL, epsilon, target = NULL, ..., features = NULL, levels = NULL, selection_share = NULL,
                           ranges = NULL, lambda = NULL, ledger = NULL, note = "", run_key = NULL, seed = NULL,
                           progress = interactive(), dry_run = FALSE) {
  if (missing(epsilon)) no_budget()
  check_names(list(...), c(names(select_options), names(table_facts), memory_facts))
  given <- list(
    k = k, epsilon = epsilon, target = target, ..., features = features, levels = levels, selection_share = selection_share,
    ranges = ranges, lambda = lambda, ledger = ledger, run_key = run_key, seed = seed
  )
  found <- run("fit", data, given, fit_options, note, progress, dry_run)
  if (dry_run) {
    return(document(found, "dpsis_dry_run"))
  }
  record <- jsonlite::fromJSON(found$json, simplifyVector = FALSE)
  selected <- vapply(record$selection$selected, function(one) one$name, "")
  model <- if (!is.null(found$model)) jsonlite::fromJSON(found$model, simplifyVector = FALSE)
  parts <- list(
    names = if (is.null(model)) selected else vapply(model$features, coefficient_name, ""), indices = found$indices,
    private = record$private, record = record, json = found$json, report = found$report, model = found$model
  )
  delivered(found, structure(parts, class = "dpsis_fit"))
}

#' @rdname dp_fit
#' @export
dp_fit.formula <- function(formula, data, ..., exclude = NULL) {
  # The arguments as they are: a call that is made of values would show them in an error of R.
  named <- of_formula(formula, data, exclude, list(...))
  dp_fit.default(named$data, target = named$target, exclude = named$exclude, ...)
}

# The name of a feature, and the level that its coefficient is for.
coefficient_name <- function(feature) paste(c(feature[["name"]], feature[["level"]]), collapse = "=")

# The content of the file of a fitted model.
model_of <- function(object) {
  if (is.null(object$model)) {
    fail("there is no model: the released values do not determine even the mean of the target", "epsilon")
  }
  jsonlite::fromJSON(object$model, simplifyVector = FALSE)
}

#' Predict by a private model
#'
#' Columns are found by their names; all others are ignored. Of a matrix without names they are the columns of the one that
#' the model was fitted to. Every row has a prediction: a missing number counts as the middle of the range of its column,
#' and a level that the model does not know as the first one.
#'
#' @section Privacy:
#' A prediction is a function of the row that it is for: predictions for the rows of a sensitive table must not be
#' published.
#'
#' @param object The result of [dp_fit()].
#' @param newdata A path, data frame, matrix or `SummarizedExperiment`, as for [dp_select()].
#' @param type Of a logistic model: `"response"` for the probability of the second class, or `"class"`.
#' @param ... Facts about the table, as for [dp_select()]: `missing`, `delimiter`, ...
#' @return A vector with one element for each row: numbers within the range of the target, probabilities, or a factor.
#' @export
predict.dpsis_fit <- function(object, newdata, type = c("response", "class"), ...) {
  type <- match.arg(type)
  model <- model_of(object)
  classes <- unlist(model$target$classes)
  if (type == "class" && is.null(classes)) fail("a linear model predicts numbers", "type")
  check_names(list(...), c(names(table_facts), memory_facts))
  with_levels <- Filter(function(one) !is.null(one[["level"]]), model$features)
  levels <- stats::setNames(with_levels, vapply(with_levels, function(one) one$name, ""))
  given <- list(data = newdata, levels = levels, ...)
  table <- table_of(given, as_matrix = FALSE, needs_target = FALSE, has_target = FALSE)
  found <- watched(FALSE, function(look) native(wrap__predict, object$model, table$described, table$x, look))
  if (type == "response") found$predicted else factor(classes[1 + (found$predicted > 0.5)], levels = classes)
}

#' @importFrom stats coef
#' @export
coef.dpsis_fit <- function(object, ...) {
  model <- model_of(object)
  each <- vapply(model$features, function(one) one$coefficient, 0)
  c("(Intercept)" = model$intercept, structure(each, names = object$names))
}

#' @importFrom stats predict
#' @export
print.dpsis_fit <- function(x, ...) {
  mark(x$private)
  if (is.null(x$model)) {
    cat("no model: the released values do not determine even the mean of the target\n")
  } else {
    print(coef(x))
  }
  invisible(x)
}

#' @export
summary.dpsis_fit <- function(object, ...) structure(object, class = "summary.dpsis")

#' @export
as.data.frame.dpsis_fit <- function(x, ...) {
  features <- model_of(x)$features
  columns <- setdiff(unique(unlist(lapply(features, names))), "range")
  of_each <- function(column) unlist(lapply(features, function(one) if (is.null(one[[column]])) NA else one[[column]]))
  frame <- as.data.frame(sapply(columns, of_each, simplify = FALSE))
  frame$range_low <- vapply(features, function(one) one$range[[1]], 0)
  frame$range_high <- vapply(features, function(one) one$range[[2]], 0)
  frame
}

#' Draw the coefficients of a model
#'
#' Draws the coefficients in the units of their features: of a linear model with their 90% intervals, of a logistic one with
#' two standard deviations of the noise of privacy.
#'
#' @param x The result of [dp_fit()].
#' @param ... Further arguments of [graphics::dotchart()].
#' @return `x`, invisibly.
#' @examples
#' x <- matrix(runif(8000), 2000, 4)
#' plot(dp_fit(x, 2, 5, y = x[, 1], bounds = c(0, 1), target_bounds = c(0, 1)))
#' @export
plot.dpsis_fit <- function(x, ...) {
  all <- as.data.frame(x)
  frame <- list(x = all$coefficient, labels = x$names, xlab = "coefficient", main = mark_of_plot(x))
  if (!is.null(all$noise)) {
    all$low <- all$coefficient - 2 * all$noise
    all$high <- all$coefficient + 2 * all$noise
  }
  if (!is.null(all$low)) frame$xlim <- range(0, all$low, all$high, all$coefficient, na.rm = TRUE)
  do.call(graphics::dotchart, utils::modifyList(frame, list(...)))
  places <- seq_along(x$names)
  if (!is.null(all$low)) graphics::segments(all$low, places, all$high, places)
  graphics::abline(v = 0, lty = 2, col = "gray40")
  invisible(x)
}

#' Load a model from a file
#'
#' Reads a model that `writeLines(fitted$model, path)`, the command line or Python wrote, for [predict()] and [coef()].
#'
#' @param path The file.
#' @return An object of class `dpsis_fit` with `names`, `private` and `model`.
#' @export
dp_load_model <- function(path) {
  text <- native(wrap__load_model, path.expand(word(path, "path")))$model
  model <- jsonlite::fromJSON(text, simplifyVector = FALSE)
  parts <- list(names = vapply(model$features, coefficient_name, ""), private = isTRUE(model$guarantee$private), model = text)
  structure(parts, class = "dpsis_fit")
}
