# One person more, with any cells, stops no run and changes nothing about the others.

bytes <- function(text) {
  Encoding(text) <- "bytes"
  text
}
latin1 <- function(text) {
  Encoding(text) <- "latin1"
  text
}

# Odd cells of each kind of column.
odd <- list(
  # The third is a NaN with bits of its own.
  double = c(NA, NaN, readBin(as.raw(c(1:6, 0xf8, 0x7f)), "double"), Inf, -Inf, 0, -0, 1e308, -1e308, 5e-324, 2^60),
  integer = c(NA, .Machine$integer.max, -.Machine$integer.max, 0L),
  logical = c(NA, TRUE, FALSE),
  factor = c(NA, "a", "only here", "4"),
  character = c(NA, "", "NA", "a", "\xff", bytes("\xfe"), latin1("caf\xe9"), strrep("long", 1e4), "1e999", "2024-13-45", "\u00a0"),
  date = c(NA, Inf, -Inf, NaN, 1e10, -1e10, 0.5, 19000),
  time = c(NA, Inf, -Inf, NaN, 1e18, -1e18, 0.25),
  span = c(NA, Inf, 1e300, -1)
)

# `n` rows of every kind of column, and one more of these cells.
table_with <- function(row) {
  set.seed(5)
  n <- 250
  y <- rnorm(n)
  data.frame(
    double = c(y + rnorm(n), row$double), integer = c(sample(100L, n, TRUE), row$integer),
    logical = c(y > 0, row$logical), factor = factor(c(sample(c("a", "b"), n, TRUE), row$factor)),
    character = c(ifelse(y > 1, "high", "low"), row$character), date = structure(c(sample(20000, n, TRUE), row$date), class = "Date"),
    time = structure(c(1e9 * runif(n), row$time), class = c("POSIXct", "POSIXt")), span = as.difftime(c(runif(n), row$span), units = "secs"),
    outcome = c(y, row$outcome)
  )
}

pick <- function(values) values[sample(length(values), 1)]

selected <- function(data, target = list(target_bounds = c(-3, 3)), ...) {
  quiet(do.call(dp_select, c(list(data, 2, 5, "outcome", seed = 1, ...), target)))
}

test_that("a row without a target changes nothing, wherever it stands; with one it stops nothing", {
  plain <- lapply(odd, `[`, 1)
  # A row without a target is counted, with any cells.
  expected <- without(selected(table_with(c(plain, outcome = NA)))$record)
  # All cells of the longest list, then rows of random cells.
  set.seed(9)
  seeds <- sample(1e6, 30)
  for (place in seq_along(seeds)) {
    set.seed(seeds[place])
    row <- lapply(odd, function(cells) if (place <= length(cells)) cells[place] else pick(cells))
    info <- paste("seed", seeds[place])
    data <- table_with(c(row, outcome = NA))
    expect_identical(without(selected(data)$record), expected, info = info)
    expect_identical(without(selected(data[c(251, 1:250), ])$record), expected, info = info)

    set.seed(seeds[place])
    data <- table_with(c(row, outcome = pick(c(odd$double, 1))))
    first <- without(selected(data)$record)
    expect_identical(without(selected(data[c(251, 1:250), ])$record), first, info = info)
    # Without a seed, with a charge: no error and no warning about data.
    ledger <- dp_ledger(tempfile(), cap = 1)
    expect_no_warning(dp_select(data, 2, 1, "outcome", target_bounds = c(-3, 3), ledger = ledger), message = "NA")
    expect_equal(summary(ledger)$spent, 1)
  }
})

test_that("odd targets outside a matrix are missing targets", {
  set.seed(2)
  x <- matrix(rnorm(1200), 300)
  y <- x[, 2] + rnorm(300)
  more <- rbind(x, 0)
  missing <- quiet(dp_select(more, 2, 50, y = c(y, NA), target_bounds = c(-3, 3), seed = 1))$record
  for (cell in c(NaN, Inf, -Inf)) {
    found <- quiet(dp_select(more, 2, 50, y = c(y, cell), target_bounds = c(-3, 3), seed = 1))
    expect_identical(without(found$record), without(missing))
  }
  labels <- ifelse(y > 0, "case", "control")
  expected <- quiet(dp_select(more, 2, 50, y = c(labels, NA), classes = c("control", "case"), seed = 1))$record
  for (cell in odd$character) {
    found <- quiet(dp_select(more, 2, 50, y = c(labels, cell), classes = c("control", "case"), seed = 1))
    expect_identical(without(found$record), without(expected))
  }
})

test_that("the type of a column, the order of levels and levels that do not occur change nothing", {
  data <- table_with(c(lapply(odd, `[`, 1), outcome = NA))
  expected <- without(selected(data)$record)
  forms <- list(
    within(data, integer <- as.double(integer)), within(data, logical <- as.integer(logical)),
    within(data, factor <- factor(factor, rev(levels(factor)))), within(data, factor <- droplevels(factor)),
    within(data, factor <- as.character(factor)), within(data, factor <- addNA(factor)),
    within(data, character <- factor(character)), within(data, time <- as.POSIXlt(time)),
    within(data, span <- `units<-`(span, "days")), within(data, double <- I(double))
  )
  for (form in forms) expect_identical(without(selected(form)$record), expected)
})

test_that("damaged factors are missing values", {
  data <- table_with(c(lapply(odd, `[`, 1), outcome = 1))
  damaged <- data
  codes <- as.integer(data$factor)
  codes[c(3, 7)] <- c(99L, -2L)
  damaged$factor <- structure(codes, levels = levels(data$factor), class = "factor")
  data$factor[c(3, 7)] <- NA
  expect_identical(without(selected(damaged)$record), without(selected(data)$record))
})
