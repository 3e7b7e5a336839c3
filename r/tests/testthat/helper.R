# The command line that results are compared with; tests that need it are skipped by name without it.
printed <- function(...) {
  command <- Sys.getenv("DPSIS_COMMAND")
  skip_if(!file.exists(command), "no command line at DPSIS_COMMAND")
  output <- suppressWarnings(system2(command, shQuote(c(...)), stdout = TRUE, stderr = FALSE))
  status <- attr(output, "status")
  if (is.null(status)) paste(output, collapse = "\n") else NULL
}

# The record that the command line writes; NULL if it refuses.
command_line <- function(...) {
  text <- printed(..., "--format", "json")
  if (!is.null(text)) jsonlite::fromJSON(text, simplifyVector = FALSE)
}

# The parts of a record that do not depend on the source of the table.
without <- function(record, ...) record[!names(record) %in% c("run", ...)]

# A seeded result, which warns that it is one.
quiet <- function(code) withCallingHandlers(code, dpsis_warning = function(w) invokeRestart("muffleWarning"))

# 900 rows of 12 features, of which three move with the targets.
numbers <- local({
  set.seed(20261122)
  x <- matrix(round(rnorm(900 * 12), 3), 900, dimnames = list(NULL, paste("gene", 0:11)))
  signal <- rowSums(x[, c(2, 5, 8)]) + rnorm(900)
  x[runif(length(x)) < 0.02] <- NA
  list(
    x = x, number = round(signal, 3), two = ifelse(signal > 0, "case", "control"),
    three = ifelse(signal < -1, "low", ifelse(signal < 1, "middle", "high"))
  )
})

# 400 rows of columns of every kind, the target last.
mixed <- local({
  set.seed(7)
  n <- 400
  sick <- runif(n) < 0.4
  habit <- ifelse(runif(n) < ifelse(sick, 0.7, 0.2), "smoker", "never")
  habit[runif(n) < 0.05] <- NA
  count <- sample(0:8, n, TRUE)
  count[seq(1, n, 17)] <- NA
  flag <- runif(n) < ifelse(sick, 0.8, 0.3)
  flag[seq(1, n, 23)] <- NA
  data.frame(
    habit = habit, visit = as.Date("2024-01-01") + sample(0:399, n, TRUE), score = round(rnorm(n) + sick, 2),
    count = count, flag = flag, site = factor(sample(c("north", "south, west", "east"), n, TRUE), c("none", "north", "east", "south, west")),
    time = as.POSIXct("2024-01-01", tz = "UTC") + sample(1e6, n, TRUE), wait = as.difftime(runif(n), units = "hours"),
    status = factor(ifelse(sick, "ill", "well"))
  )
})

# Writes a table as the command line reads it: truth values are 0 and 1, spans of time are seconds.
as_file <- function(data, path = tempfile(fileext = ".csv")) {
  data[] <- lapply(data, function(column) {
    if (is.logical(column)) {
      as.integer(column)
    } else if (inherits(column, "difftime")) {
      sprintf("%.17g", as.double(column, units = "secs"))
    } else if (inherits(column, "POSIXct")) {
      format(column, "%Y-%m-%dT%H:%M:%S", tz = "UTC")
    } else {
      column
    }
  })
  utils::write.csv(data, path, row.names = FALSE)
  path
}
