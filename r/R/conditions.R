# Conditions: errors of the library and of arguments, warnings of records.

# Raises an error of the package. The message names a rule and arguments, never a value of the data.
fail <- function(message, arguments = character(), class = "dpsis_request_error", row = NA, column = NA) {
  if (length(arguments)) message <- paste0(message, " (", paste(arguments, collapse = ", "), ")")
  classes <- c(class, "dpsis_error", "error", "condition")
  parts <- list(message = message, call = NULL, arguments = arguments, row = row, column = column)
  stop(structure(parts, class = classes))
}

# Calls the native side and returns its result or its error. Nothing else crosses the border, so that no frame of
# R is left by a jump from there.
native <- function(symbol, ...) {
  found <- .Call(symbol, ...)
  error <- found[["error"]]
  if (is.null(error)) {
    return(found)
  }
  if (error$class == "dpsis_canceled") {
    signalCondition(structure(list(message = error$message, call = NULL), class = c("interrupt", "condition")))
  }
  fail(error$message, error$arguments, error$class, error$row, error$column)
}

# Issues the warnings of a release. They are printed where options(warn = 2) would make errors of them: nothing may
# discard a result whose budget is spent.
notify <- function(found) {
  if (getOption("warn") > 1) {
    old <- options(warn = 1)
    on.exit(options(old))
  }
  for (place in seq_along(found$warnings)) {
    class <- c(if (found$essential[place]) "dpsis_not_private_warning", "dpsis_warning", "warning", "condition")
    warning(structure(list(message = found$warnings[place], call = NULL), class = class))
  }
}

# A result after its warnings. An interrupt that came when the result was ready is signaled with it, as its element
# `result`: its budget may be spent, and it must not be lost. Where nothing handles the interrupt, the result
# is returned with a warning.
delivered <- function(found, result) {
  notify(found)
  if (!isTRUE(found$interrupted)) {
    return(result)
  }
  text <- "interrupted when the result was ready: it is returned"
  signalCondition(structure(list(message = text, call = NULL, result = result), class = c("interrupt", "condition")))
  notify(list(warnings = text, essential = FALSE))
  result
}

# Runs `work` with a function that the native side calls between, on R's own thread, to learn whether to go on: it shows
# the progress, and is where an interrupt is noticed.
watched <- function(progress, work) {
  bar <- if (flag(progress, "progress")) utils::txtProgressBar(style = 3, file = stderr())
  on.exit(if (!is.null(bar)) close(bar))
  work(function(share) {
    tryCatch(
      {
        # R looks for interrupts when it sleeps.
        Sys.sleep(0.001)
        if (!is.null(bar)) utils::setTxtProgressBar(bar, share)
        TRUE
      },
      interrupt = function(condition) FALSE
    )
  })
}
