#' A budget file with a cap
#'
#' A release is charged to the ledger first, and no release that would exceed the cap is made. It is the file
#' of the command line's `--ledger`, readable in any editor, and is locked while it is read and written: of two processes
#' that race for the last of the budget, one gets it.
#'
#' @param path The file. It is made if it is not there and a cap is given.
#' @param cap The most that all releases may spend together. If the file exists, it must match the file, and so
#'   must the rest.
#' @param name A name of the budget, which reports show.
#' @param delta The most that all deltas may sum to; 0 if none is given.
#' @param neighbors The neighbor relation of all releases; adding or removing a row if none is given.
#' @param privacy_unit The unit that all releases protect, `"row"` or `"person"`; a row if not given. Releases with a
#'   `unit` need a ledger for people.
#' @return An object of class `dpsis_ledger`. `print` shows the spent and remaining budget, `summary` returns it with the
#'   terms, and `as.data.frame` the entries.
#' @examples
#' ledger <- dp_ledger(tempfile(fileext = ".ledger"), cap = 3)
#' x <- matrix(runif(400), 100, 4)
#' found <- dp_select(x, 1, 1, y = x[, 1], bounds = c(0, 1), target_bounds = c(0, 1), ledger = ledger)
#' summary(ledger)$left
#' @export
dp_ledger <- function(path, cap = NULL, name = NULL, delta = NULL, neighbors = NULL, privacy_unit = NULL) {
  # Of the working folder of now.
  full <- normalizePath(word(path, "path"), mustWork = FALSE)
  known <- list(path = word, cap = exact, name = word, delta = exact, neighbors = word, privacy_unit = word)
  given <- list(path = full, cap = cap, name = name, delta = delta, neighbors = neighbors, privacy_unit = privacy_unit)
  native(wrap__ledger_open, as_json(converted(given, known)))
  structure(list(path = full), class = "dpsis_ledger")
}

read_ledger <- function(ledger) {
  found <- native(wrap__ledger_read, ledger$path)
  record <- jsonlite::fromJSON(found$json, simplifyVector = FALSE)
  list(record = record, spent = number_of(found$spent), left = number_of(found$left))
}

#' @export
summary.dpsis_ledger <- function(object, ...) read_ledger(object)

#' @export
print.dpsis_ledger <- function(x, ...) {
  now <- read_ledger(x)
  cat(sprintf("ledger %s: %s spent, %s left\n", x$path, format(now$spent), format(now$left)))
  invisible(x)
}

#' @export
as.data.frame.dpsis_ledger <- function(x, ...) {
  entries <- read_ledger(x)$record$entries
  of_each <- function(part) {
    vapply(entries, function(one) if (is.null(one[[part]])) NA_character_ else as.character(one[[part]]), "")
  }
  data.frame(
    when = as.POSIXct(of_each("when"), format = "%Y-%m-%dT%H:%M:%SZ", tz = "UTC"), command = of_each("command"),
    epsilon = vapply(of_each("epsilon"), number_of, 0, USE.NAMES = FALSE),
    returned = vapply(of_each("returned"), number_of, 0, USE.NAMES = FALSE),
    delta = vapply(of_each("delta"), number_of, 0, USE.NAMES = FALSE), note = of_each("note")
  )
}

#' Write a note in a ledger, or close it
#'
#' A note has the time, and does not change the budget. A closed ledger is charged for no further release, and
#' cannot be opened again.
#'
#' @param ledger The result of [dp_ledger()].
#' @param note One line, which must not be private.
#' @return `ledger`, invisibly.
#' @examples
#' ledger <- dp_ledger(tempfile(fileext = ".ledger"), cap = 3)
#' dp_ledger_note(ledger, "approved by the data board")
#' dp_ledger_close(ledger, "the study has ended")
#' @export
dp_ledger_note <- function(ledger, note) {
  native(wrap__ledger_note, path_of(ledger), word(note, "note"))
  invisible(ledger)
}

#' @rdname dp_ledger_note
#' @export
dp_ledger_close <- function(ledger, note = "") {
  native(wrap__ledger_close, path_of(ledger), word(note, "note"))
  invisible(ledger)
}

path_of <- function(ledger) if (inherits(ledger, "dpsis_ledger")) ledger$path else path(ledger, "ledger")
