#' Look at a table before a release
#'
#' Reports contents and oddities of a table, and suitable arguments. **Not private**: for the data holder's
#' eyes only.
#'
#' @param data As for [dp_select()].
#' @param target,... As for [dp_select()]: `y`, `classes`, `time`, `event`, `by`, `target_bounds`, `id`, `exclude`, `missing`, ...
#' @return An object of class `dpsis_inspection`, a list: `rows`, `columns` and `features`, their numbers; `findings`, a
#'   data frame of `topic`, `text` and whether each is `odd`; `suggestion`, arguments of [dp_select()] that suit the
#'   table, to be checked, and given only if they are public knowledge; `undecided`, whether something must be decided
#'   before anything is run.
#' @section Privacy:
#' This reads the data without privacy. Its result must not be passed on.
#' @examples
#' look <- dp_inspect(data.frame(age = c(30, 41, 35), outcome = c("a", "b", "a")))
#' look$suggestion$classes
#' @export
dp_inspect <- function(data, target = NULL, ...) {
  about <- select_options[c("classes", "time", "event", "by", "target_bounds", "target_number")]
  check_names(list(...), c(names(about), names(table_facts), memory_facts))
  given <- list(target = target, ...)
  table <- table_of(c(list(data = data), given), as_matrix = FALSE, needs_target = FALSE)
  answer <- run_job("inspect", converted(given, about), table = table)
  found <- jsonlite::fromJSON(answer$json, simplifyVector = FALSE)
  of_each <- function(part, kind) vapply(found$findings, function(one) one[[part]], kind)
  findings <- data.frame(topic = of_each("topic", ""), text = of_each("text", ""), odd = of_each("odd", NA))
  suggestion <- lapply(found$suggestion, unlist)
  event <- suggestion[["event"]]
  if (!is.null(event)) suggestion$event <- stats::setNames(as.list(event[2]), event[1])
  parts <- list(
    rows = as.double(found$rows), columns = as.double(found$columns), features = as.double(found$features), undecided = found$undecided,
    findings = findings, suggestion = suggestion, report = answer$report
  )
  structure(parts, class = "dpsis_inspection")
}

#' @export
print.dpsis_inspection <- function(x, ...) {
  cat(x$report)
  invisible(x)
}

#' @export
as.data.frame.dpsis_inspection <- function(x, ...) x$findings
