#' Forecast the findings of a selection: a power analysis that reads no data
#'
#' @inheritParams dp_select
#' @param n,d The numbers of rows with a usable target (of people, if they have several rows), and of features.
#' @param k The number of features to select; without it all significant ones are selected.
#' @param class_shares The share of the rarer of two classes, or of each class; by default all are equal. Without
#'   `classes`, one share stands for two classes, more for as many; without both the target is a number that is split at a
#'   private median.
#' @param effect_size An effect size from 0 to 1: report the rows, and the epsilon, that it needs.
#' @param over Other epsilons to look at.
#' @param ... Further arguments of [dp_select()] that need no table: `classes`, `score`, `bounds`, `delta`, `neighbors`,
#'   `shares`, `mechanism`, `parameters` and others.
#' @param draws The number of simulated tables.
#' @param output A folder for a page with a figure.
#' @param seed Of the draws.
#' @return An object of class `dpsis_plan`: a list of `record`, all figures; `json`, their text; and `report`, which is
#'   printed. Its methods are `print`, `plot` and `as.data.frame`.
#' @section Privacy:
#' No data are read; the given numbers must be public.
#' @examples
#' planned <- dp_plan(1000, 50, 3, 1, draws = 20, over = c(1, 2))
#' planned
#' plot(planned)
#' @export
dp_plan <- function(n, d, k = NULL, epsilon, class_shares = NULL, effect_size = NULL,
                    over = c(0.1, 0.25, 0.5, 1, 2, 4, 8), ..., draws = NULL, output = NULL, seed = 0,
                    progress = interactive()) {
  if (missing(epsilon)) no_budget()
  check_names(list(...), setdiff(names(select_options), c("k", "epsilon", "unit_target", "memory")))
  given <- list(
    rows = n, features = d, k = k, epsilon = epsilon, class_shares = class_shares, effect_size = effect_size, over = over, ...,
    tables = draws, seed = seed
  )
  each <- function(convert) function(values, name) lapply(unname(values), convert, name)
  known <- c(select_options, list(
    rows = whole, features = whole, class_shares = each(number), effect_size = number, over = each(exact),
    tables = whole, seed = whole
  ))
  output <- if (is.null(output)) "" else path(output, "output")
  document(run_job("plan", converted(given, known), progress = progress, output = output), "dpsis_plan")
}

#' The effect sizes of a power analysis over epsilon
#'
#' @param x The result of [dp_plan()].
#' @param row.names,optional Not used.
#' @param ... Further arguments of [graphics::matplot()].
#' @return `as.data.frame` returns one row for each epsilon, with the effect sizes from which features are `found` and
#'   `significant`, in half of all runs (`_50`) and in nine of ten (`_90`); `plot` returns `x`, invisibly.
#' @examples
#' as.data.frame(dp_plan(1000, 50, 3, 1, draws = 20, over = 1))
#' @export
as.data.frame.dpsis_plan <- function(x, row.names = NULL, optional = FALSE, ...) {
  over <- x$record$over
  if (!length(over)) over <- list(list(epsilon = x$record$epsilon, needed = x$record$needed))
  value <- function(kind, place) {
    vapply(over, function(at) {
      one <- at$needed[[kind]][[place]]
      if (is.null(one)) NA_real_ else as.numeric(one$value)
    }, 0)
  }
  data.frame(
    epsilon = vapply(over, function(at) number_of(at$epsilon), 0),
    found_50 = value("found", 1), found_90 = value("found", 2),
    significant_50 = value("significant", 1), significant_90 = value("significant", 2)
  )
}

# The number of a text such as 1/3.
number_of <- function(text) Reduce(`/`, as.numeric(strsplit(text, "/", fixed = TRUE)[[1]]))

#' @rdname as.data.frame.dpsis_plan
#' @export
plot.dpsis_plan <- function(x, ...) {
  all <- as.data.frame(x)
  kinds <- c(significant_50 = "significant, half of all runs", significant_90 = "significant, nine in ten")
  # Without k, all found features are significant.
  if (!is.null(x$record$k)) {
    kinds <- c(kinds, found_50 = "found, half of all runs", found_90 = "found, nine in ten")
  }
  lines <- rep(2:1, length(kinds) / 2)
  colors <- rep(seq_len(length(kinds) / 2), each = 2)
  frame <- list(
    x = all$epsilon, y = as.matrix(all[names(kinds)]), log = "x", type = "o", pch = 20, lty = lines, col = colors,
    ylim = c(0, 1), xlab = "epsilon", ylab = "effect size"
  )
  do.call(graphics::matplot, utils::modifyList(frame, list(...)))
  graphics::legend("topright", legend = unname(kinds), lty = lines, col = colors, pch = 20, bty = "n")
  invisible(x)
}
