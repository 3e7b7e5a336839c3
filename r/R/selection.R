# Results of releases.

# A release of names, whose warnings are issued.
choice <- function(found, class = NULL) {
  record <- jsonlite::fromJSON(found$json, simplifyVector = FALSE)
  parts <- list(
    names = vapply(record$selected, function(one) one$name, ""), indices = found$indices, private = record$private,
    record = record, json = found$json, report = found$report
  )
  delivered(found, structure(parts, class = c(class, "dpsis_choice")))
}

# Marks seeded results.
mark <- function(private) if (!private) cat("seeded: not for release\n")

#' @export
print.dpsis_choice <- function(x, ...) {
  mark(x$private)
  print(x$names, quote = FALSE)
  if (inherits(x, "dpsis_selection")) cat(x$record$significance$text, "\n", sep = "")
  invisible(x)
}

#' @export
summary.dpsis_choice <- function(object, ...) structure(object, class = "summary.dpsis")

#' @export
print.summary.dpsis <- function(x, ...) {
  mark(x$private)
  cat(x$report)
  invisible(x)
}

#' @export
as.data.frame.dpsis_choice <- function(x, ...) {
  frame <- data.frame(name = x$names, index = x$indices)
  members <- Filter(Negate(is.null), lapply(x$record$selected, function(one) one$members))
  if (length(members)) {
    frame$members <- vapply(members, function(one) as.integer(one$present), 0L)
    frame$missing <- lengths(lapply(members, function(one) one$missing))
  }
  data.frame(frame, estimates(x)[-1])
}

# The released estimates, one row each.
estimates <- function(x) {
  all <- x$record$estimates
  if (!length(all)) {
    return(data.frame(name = x$names))
  }
  of_each <- function(column) {
    values <- lapply(all, function(one) if (is.null(one[[column]])) NA else one[[column]])
    unlist(values)
  }
  columns <- c("name", "effect_size", "low", "high", "p_value", "significant", "direction", "direction_error")
  frame <- as.data.frame(sapply(columns, of_each, simplify = FALSE))
  frame[c(TRUE, !vapply(frame[-1], function(column) all(is.na(column)), NA))]
}

features_of_a_figure <- 60L

# The effect sizes to draw, from the smallest of this page to the largest.
drawable <- function(x, page) {
  all <- estimates(x)
  if (is.null(all$effect_size)) fail("no feature was named, or no effect sizes were released: there is nothing to draw")
  all$filled <- if (is.null(all$significant)) TRUE else !(all$significant %in% FALSE)
  all <- all[order(all$significant %in% TRUE, all$effect_size, decreasing = TRUE), ]
  pages <- (nrow(all) - 1L) %/% features_of_a_figure + 1L
  if (!page %in% seq_len(pages)) fail(sprintf("page must be from 1 to %d", pages), "page")
  first <- (page - 1L) * features_of_a_figure
  all[rev(seq(first + 1L, min(nrow(all), first + features_of_a_figure))), ]
}

# The significance threshold; NULL if significance was not tested.
threshold <- function(x) x$record$significance$threshold

# The title of a plot that must not be released.
mark_of_plot <- function(x) if (!x$private) "seeded: not for release"

effect_size_label <- function(level) if (is.null(level)) "effect size, with its 90% interval" else "effect size"

#' Draw the effect sizes of selected features
#'
#' Draws the effect sizes by size, and the significance threshold, which allows for the noise of the
#' points; without a threshold, points have their 90% intervals. Hollow points are not significant.
#'
#' @param x,object The result of [dp_select()].
#' @param page Features 1 to 60 by size, 61 to 120, and so on.
#' @param ... Further arguments of [graphics::plot.default()].
#' @return `plot` returns `x`, invisibly; `autoplot` of ggplot2 a plot.
#' @examples
#' x <- matrix(runif(8000), 2000, 4)
#' plot(dp_select(x, 2, 5, y = x[, 1], bounds = c(0, 1), target_bounds = c(0, 1)))
#' @export
plot.dpsis_selection <- function(x, page = 1, ...) {
  all <- drawable(x, page)
  places <- seq_len(nrow(all))
  width <- max(graphics::strwidth(all$name, units = "inches", cex = 0.9)) + 0.5
  old <- graphics::par(mai = c(1, width, 0.6, 0.3))
  on.exit(graphics::par(old))
  filled <- ifelse(all$filled, "steelblue", "white")
  level <- threshold(x)
  frame <- list(
    x = all$effect_size, y = places, pch = 21, col = "steelblue", bg = filled, xlim = c(0, 1), ylab = "", yaxt = "n",
    ylim = c(0.5, nrow(all) + 0.5), xlab = effect_size_label(level), main = mark_of_plot(x)
  )
  do.call(graphics::plot.default, utils::modifyList(frame, list(...)))
  if (is.null(level)) {
    graphics::segments(all$low, places, all$high, places, col = "steelblue")
  } else {
    graphics::rect(0, 0, min(level, 1), nrow(all) + 1, col = "gray93", border = NA)
  }
  graphics::points(all$effect_size, places, pch = 21, col = "steelblue", bg = filled)
  graphics::axis(2, places, all$name, las = 1, cex.axis = 0.9)
  if (!is.null(level) && level <= 1) {
    graphics::abline(v = level, lty = 2, col = "gray40")
    graphics::mtext(sprintf("significant from %.2f on", level), adj = 0, line = 0.3, cex = 0.9)
  }
  invisible(x)
}

# The column names in expressions for ggplot2.
utils::globalVariables(".data")

#' @rdname plot.dpsis_selection
#' @exportS3Method ggplot2::autoplot
autoplot.dpsis_selection <- function(object, page = 1, ...) {
  all <- drawable(object, page)
  all$name <- factor(all$name, levels = all$name)
  level <- threshold(object)
  points <- ggplot2::aes(fill = .data$filled)
  drawn <- if (is.null(level)) {
    list(ggplot2::geom_pointrange(points, shape = 21, show.legend = FALSE))
  } else {
    list(
      ggplot2::annotate("rect", xmin = 0, xmax = min(level, 1), ymin = -Inf, ymax = Inf, fill = "gray82"),
      if (level <= 1) ggplot2::geom_vline(xintercept = level, linetype = 2),
      ggplot2::geom_point(points, shape = 21, size = 3, show.legend = FALSE)
    )
  }
  ggplot2::ggplot(all, ggplot2::aes(x = .data$effect_size, y = .data$name, xmin = .data$low, xmax = .data$high)) +
    drawn +
    ggplot2::scale_fill_manual(values = c(`TRUE` = "black", `FALSE` = "white")) +
    ggplot2::coord_cartesian(xlim = c(0, 1)) +
    ggplot2::labs(x = effect_size_label(level), y = NULL, title = mark_of_plot(object))
}
