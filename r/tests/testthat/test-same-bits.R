# The same table and seed: the same record, from R in every form and from the command line.

targets <- list(
  number = list(y = "number"),
  bounded = list(y = "number", target_bounds = c(-3, 3)),
  two = list(y = "two", classes = c("control", "case")),
  three = list(y = "three", classes = c("low", "middle", "high"))
)
scores <- list(
  ks = list(),
  "ks in bins" = list(score = "ks", bounds = c(-2, 2)),
  bounds = list(bounds = c(-2, 2)),
  "row ranks" = list(scale = "row-rank"),
  refined = list(bounds = c(-2, 2), refine = "gram"),
  kendall = list(score = "kendall"),
  dpkendall = list(method = "dpkendall"),
  "two-stage" = list(method = "two-stage", bounds = c(-2, 2))
)

# Arguments as options of the command line.
options_of <- function(given) {
  text <- vapply(given, function(value) paste(value, collapse = ","), "")
  if (length(text)) paste0("--", gsub("_", "-", names(given)), "=", text)
}

record_of <- function(...) {
  tryCatch(quiet(dp_select(...))$record, dpsis_request_error = function(error) NULL)
}

test_that("numbers in every form", {
  refused <- 0
  for (target in targets) {
    for (score in scores) {
      for (neighbors in c("add-remove", "replace-one")) {
        y <- numbers[[target$y]]
        given <- c(target[-1], score, list(neighbors = neighbors, seed = 11))
        whole <- data.frame(numbers$x, "out come" = y, check.names = FALSE)
        file <- as_file(whole)
        expected <- command_line("select", "--k", "3", "--eps", "2.5", options_of(given), file)
        run <- function(data, ...) do.call(record_of, c(list(data, 3, 2.5, ...), given))
        info <- paste(names(unlist(given)), unlist(given), collapse = " ")
        if (is.null(expected)) {
          refused <- refused + 1
          expect_null(run(whole), info = info)
          next
        }
        expect_identical(without(run(file)), without(expected), info = info)
        expect_identical(without(run(whole)), without(expected), info = info)
        expect_identical(without(run(rev(whole)[, ncol(whole):1])), without(expected), info = info)
        # The target outside the features: all but its name and place is the same.
        outside <- without(expected, "target")
        expect_identical(without(run(numbers$x, y = y), "target"), outside, info = info)
        expect_identical(without(run(as.data.frame(numbers$x), y = y), "target"), outside, info = info)
        if (is.character(y)) expect_identical(without(run(numbers$x, y = factor(y)), "target"), outside, info = info)
      }
    }
  }
  # Of 64, those that a method does not take.
  expect_lt(refused, 32)
})

test_that("a matrix with a named target, and one of integers", {
  x <- cbind(round(numbers$x * 100), outcome = round(numbers$number * 10))
  integers <- x
  storage.mode(integers) <- "integer"
  frame <- as.data.frame(x)
  expected <- record_of(frame, 3, 2, "outcome", seed = 2)
  expect_length(expected$selected, 3)
  for (data in list(x, integers, as.data.frame(integers))) {
    expect_identical(without(record_of(data, 3, 2, "outcome", seed = 2)), without(expected))
    expect_identical(without(record_of(data, 3, 2, 13, seed = 2), "target"), without(expected, "target"))
  }
})

test_that("all kinds of columns are read like their text in a file", {
  file <- as_file(mixed)
  expected <- command_line("select", "--k", "3", "--eps", "3", "--classes", "well,ill", "--seed", "5", file)
  skip_if_not_installed("tibble")
  for (data in list(file, mixed, tibble::as_tibble(mixed))) {
    found <- quiet(dp_select(data, 3, 3, classes = c("well", "ill"), seed = 5))
    expect_identical(without(found$record), without(expected))
  }
  features <- mixed[setdiff(names(mixed), "status")]
  outside <- quiet(dp_select(features, 3, 3, y = mixed$status, classes = c("well", "ill"), seed = 5))
  expect_identical(without(outside$record, "target"), without(expected, "target"))
})

test_that("times are read to the microsecond", {
  set.seed(8)
  # So close together that coarser rounding than to a microsecond makes ties.
  micro <- sample(999, 400)
  start <- as.POSIXct(1.7e9, origin = "1970-01-01", tz = "UTC")
  target <- round(micro / 1e3 + stats::rnorm(400) / 4, 3)
  data <- data.frame(time = start + micro / 1e6, other = rev(target), y = target)
  file <- as_file(replace(data, "time", sprintf("%s.%06d", format(start, "%Y-%m-%dT%H:%M:%S"), micro)))
  expected <- command_line("select", "--k", "1", "--eps", "3", "--seed", "5", "--target-bounds=-1,2", file)
  found <- quiet(dp_select(data, 1, 3, target_bounds = c(-1, 2), seed = 5))
  expect_identical(without(found$record), without(expected))
})

test_that("facts: ids, columns left out, codes of missing values", {
  whole <- mixed[c("score", "wait", "count", "status")]
  whole$wait <- round(as.double(whole$wait), 2)
  whole$wait[seq(1, 400, 11)] <- -999
  whole$who <- seq_len(400)
  file <- as_file(whole)
  options <- c("--target", "status", "--classes", "well,ill", "--id", "who", "--exclude", "cou*", "--na=-999")
  expected <- command_line("select", "--k", "1", "--eps", "3", "--seed", "5", options, file)
  for (data in list(file, whole)) {
    found <- quiet(dp_select(
      data, 1, 3, "status", classes = c("well", "ill"), id = "who", exclude = "cou*", missing = -999, seed = 5
    ))
    expect_identical(without(found$record), without(expected))
  }
})

test_that("people, covariates, sets and ranges by name", {
  set.seed(3)
  people <- data.frame(numbers$x, person = rep(1:450, each = 2), sex = sample(c("F", "M"), 900, TRUE), y = numbers$two, check.names = FALSE)
  file <- as_file(people)
  options <- c("--classes", "control,case", "--unit", "person", "--unit-target", "any-positive")
  expected <- command_line("select", "--k", "2", "--eps", "4", "--seed", "1", options, "--exclude", "sex", file)
  given <- list(classes = c("control", "case"), unit_target = "any-positive", seed = 1)
  for (data in list(file, people)) {
    found <- quiet(do.call(dp_select, c(list(data, 2, 4, unit = "person", exclude = "sex"), given)))
    expect_identical(without(found$record), without(expected))
  }
  for (unit in list(people$person, as.character(people$person), factor(people$person))) {
    found <- quiet(do.call(dp_select, c(list(numbers$x, 2, 4, y = people$y, unit = unit), given)))
    expect_identical(found$record$selected, expected$selected)
    expect_identical(found$record$estimates, expected$estimates)
  }

  expected <- command_line("select", "--k", "2", "--eps", "4", "--seed", "1", "--classes", "control,case", "--adjust", "sex=F,M", "--exclude", "person", file)
  found <- quiet(dp_select(people, 2, 4, classes = c("control", "case"), adjust = "sex=F,M", exclude = "person", seed = 1))
  expect_identical(without(found$record), without(expected))

  gmt <- tempfile(fileext = ".gmt")
  sets <- list(one = paste("gene", 0:4), two = paste("gene", 5:11), small = "gene 1")
  writeLines(paste(names(sets), "about", vapply(sets, paste, "", collapse = "\t"), sep = "\t"), gmt)
  expected <- command_line("select", "--k", "1", "--eps", "4", "--seed", "1", "--classes", "control,case", "--groups", gmt, "--exclude", "person,sex", file)
  for (groups in list(gmt, sets)) {
    found <- quiet(dp_select(people, 1, 4, classes = c("control", "case"), groups = groups, exclude = c("person", "sex"), seed = 1))
    expect_identical(found$record$selected, expected$selected)
    expect_identical(found$record$guarantee, expected$guarantee)
  }

  bounds <- tempfile(fileext = ".csv")
  ranges <- data.frame(feature = c("gene 1", "*"), lo = c(-1, -2), hi = c(1, 2))
  utils::write.csv(ranges, bounds, row.names = FALSE)
  whole <- data.frame(numbers$x, y = numbers$number, check.names = FALSE)
  expected <- command_line("select", "--k", "2", "--eps", "2", "--seed", "3", "--bounds-file", bounds, as_file(whole))
  for (given in list(bounds, ranges, list("gene 1" = c(-1, 1), "*" = c(-2, 2)))) {
    found <- quiet(dp_select(whole, 2, 2, bounds = given, seed = 3))
    expect_identical(without(found$record, "score"), without(expected, "score"))
  }
})

test_that("fits, choices and plans", {
  whole <- data.frame(numbers$x, y = numbers$number, check.names = FALSE)
  file <- as_file(whole)
  options <- c("--bounds=-3,3", "--target-bounds=-6,6")
  # Of a fit the command line writes the model.
  expected <- command_line("fit", "--k", "2", "--eps", "6", "--seed", "3", options, file)
  for (data in list(file, whole)) {
    found <- quiet(dp_fit(data, 2, 6, bounds = c(-3, 3), target_bounds = c(-6, 6), seed = 3))
    expect_identical(jsonlite::fromJSON(found$model, simplifyVector = FALSE), expected)
  }
  found <- quiet(dp_fit(numbers$x, 2, 6, y = numbers$number, bounds = c(-3, 3), target_bounds = c(-6, 6), seed = 3))
  each <- vapply(expected$features, function(one) one$coefficient, 0)
  expect_identical(unname(coef(found)), c(expected$intercept, each))

  candidates <- tempfile(fileext = ".csv")
  frame <- data.frame(name = c("lasso", "ridge", "forest"), score = c(0.81, 0.79, 0.87))
  utils::write.csv(frame, candidates, row.names = FALSE)
  expected <- command_line("choose", "--eps", "1/3", "--sensitivity", "0.005", "--seed", "4", candidates)
  for (data in list(candidates, frame, stats::setNames(frame$score, frame$name))) {
    found <- quiet(dp_choose(data, "1/3", sensitivity = 0.005, seed = 4))
    expect_identical(without(found$record), without(expected))
  }

  expected <- command_line("plan", "--n", "1000", "--d", "50", "--k", "3", "--eps", "1", "--draws", "40", "--mechanism", "canonical", "--gamma", "0.5", "--class-shares", "0.3")
  found <- dp_plan(1000, 50, 3, 1, mechanism = "canonical", parameters = c(gamma = 0.5), class_shares = 0.3, draws = 40)
  expect_identical(without(found$record), without(expected))
})

test_that("columns of every class are read as in files", {
  set.seed(3)
  n <- 300
  sick <- rep(0:1, n / 2)
  value <- rnorm(n) + sick
  typed <- data.frame(
    code = ifelse(runif(n) < 0.2, -999, round(value, 1) + 5),
    flag = value > 0.5,
    day = as.Date("1970-02-01") + round(50 * value),
    moment = as.POSIXct("2024-01-01", tz = "UTC") + round(1e6 * value),
    local = as.POSIXct(as.POSIXct("2024-01-01", tz = "UTC") + round(1e6 * rnorm(n)), tz = "Asia/Tokyo"),
    wait = as.difftime(round(value, 2), units = "mins"),
    level = factor(paste("grade", round(value))),
    odd = ifelse(seq_len(n) == 7, "unknown", format(round(value, 2))),
    nothing = NA,
    site = sample(c("north", "s\u00fcd", "a \"b\", c"), n, TRUE),
    status = c(FALSE, TRUE)[sick + 1]
  )
  if (requireNamespace("bit64", quietly = TRUE)) {
    typed$long <- bit64::as.integer64(round(1000 * value)) * bit64::as.integer64(-2000000000)
    typed <- typed[c("long", setdiff(names(typed), "long"))]
  }
  rds <- tempfile(fileext = ".rds")
  saveRDS(typed, rds)
  text <- typed
  text[] <- lapply(typed, function(column) {
    if (inherits(column, "difftime")) {
      sprintf("%.17g", as.double(column, units = "secs"))
    } else if (inherits(column, "POSIXct")) {
      format(column, "%Y-%m-%dT%H:%M:%S%z")
    } else {
      as.character(column)
    }
  })
  csv <- tempfile(fileext = ".csv")
  utils::write.csv(text, csv, row.names = FALSE, fileEncoding = "UTF-8")
  for (labels in list(c(FALSE, TRUE), 0:1, c("false", "true"))) {
    found <- lapply(list(typed, rds, csv), record_of, 5, 5, "status", classes = labels, missing = -999, seed = 4)
    expect_length(found[[1]]$selected, 5)
    expect_identical(without(found[[2]], "target"), without(found[[1]], "target"))
    expect_identical(without(found[[3]], "target"), without(found[[1]], "target"))
  }
})

test_that("weights by name, in a data frame and in a file", {
  weights <- c("gene 1" = 2, "gene 4" = 1)
  frame <- data.frame(feature = names(weights), weight = weights)
  path <- tempfile(fileext = ".csv")
  utils::write.csv(frame, path, row.names = FALSE)
  whole <- data.frame(numbers$x, outcome = numbers$two, check.names = FALSE)
  classes <- c("control", "case")
  expected <- command_line(
    "select", "--k", "3", "--eps", "1", "--classes", "control,case", "--weights", path, "--weights-uniform", "0.4",
    "--seed", "4", as_file(whole)
  )
  for (given in list(weights, as.list(weights), frame, path)) {
    found <- record_of(whole, 3, 1, classes = classes, weights = given, weights_uniform = 0.4, seed = 4)
    expect_identical(without(found), without(expected))
  }
  expect_error(dp_select(whole, 3, 1, classes = classes, weights = c("gene 1" = -1), seed = 4), class = "dpsis_request_error")
})
