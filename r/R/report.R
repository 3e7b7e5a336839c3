#' Make a report of a result
#'
#' The report is an HTML page of its own. The first printed page has the findings, their interpretation, the
#' guarantee, the budget that is left and what may be published; a paragraph for the methods section of a paper and all
#' details follow.
#'
#' @param x The result of [dp_select()], [dp_choose()], [dp_fit()], [dp_plan()], [dp_load_model()] or [dp_ledger()].
#' @param file A file to write the page to.
#' @param title The title; one made from the record if it is empty.
#' @param study,contact The study or the data, and the person to ask. They are published with the page.
#' @return The page as text; invisibly if a file is given.
#' @examples
#' x <- matrix(runif(8000), 2000, 4)
#' found <- dp_select(x, 1, 1, y = x[, 1], bounds = c(0, 1), target_bounds = c(0, 1))
#' dp_report(found, tempfile(fileext = ".html"), study = "Ward 7, 2025")
#' @export
dp_report <- function(x, file = NULL, title = "", study = "", contact = "") {
  json <- if (is.null(x$json)) x$model else x$json
  ledger <- if (inherits(x, "dpsis_ledger")) x$path else ""
  if (!is.list(x) || (is.null(json) && ledger == "")) fail("a report takes a result of this package, or a ledger", "x")
  heading <- list(word(title, "title"), word(study, "study"), word(contact, "contact"))
  page <- native(wrap__report_page, if (is.null(json)) "" else json, ledger, heading[[1]], heading[[2]], heading[[3]])$page
  if (is.null(file)) {
    return(page)
  }
  writeLines(page, path(file, "file"), sep = "", useBytes = TRUE)
  invisible(page)
}
