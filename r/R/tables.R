# Tables of R as tables of the library. A matrix of doubles is borrowed; all else becomes columns. A cell is
# converted by its value and the type of its column alone. Row names are compared with the names of targets and
# not used otherwise.

# A column as the native side takes it: a kind, and its values; of numbers their classes, by which they are read.
column <- function(values, rows) {
  unread <- list(kind = "unread", values = as.double(rows))
  if (inherits(values, "POSIXlt")) values <- as.POSIXct(values)
  if (length(dim(values)) > 1) {
    return(unread)
  }
  if (is.ordered(values)) {
    # The order of the levels counts, which are public as a part of the type.
    return(list(kind = "integer", values = as.integer(values)))
  }
  if (is.factor(values)) {
    return(list(kind = "codes", values = as.integer(values), levels = utf8(as.character(levels(values)))))
  }
  numbers <- function(kind, values) {
    classes <- if (is.object(values)) class(values)
    list(kind = kind, values = as.vector(unclass(values)), classes = classes, unit = attr(values, "units"))
  }
  switch(typeof(values),
    double = numbers("double", values),
    integer = numbers("integer", values),
    logical = list(kind = "logical", values = as.integer(values)),
    character = list(kind = "character", values = utf8(as.character(values))),
    unread
  )
}

# Whether each column is excluded, by its name or by a pattern.
excluded_of <- function(names, patterns) {
  if (!length(patterns)) {
    return(rep(FALSE, length(names)))
  }
  native(wrap__excluded, names, as.character(unlist(patterns)))$excluded
}

# Whether a column is numbers or texts of no class.
is_plain <- function(column) {
  is.null(column) || column$kind %in% c("double", "integer", "logical", "character") && is.null(column$classes)
}

# Separate targets (`y`) or ids (`unit`).
outside <- function(values, name, rows) {
  if (is.null(values)) {
    return(NULL)
  }
  if (is.data.frame(values) && length(values) == 1) values <- values[[1]]
  if (is.matrix(values) && ncol(values) == 1) values <- values[, 1]
  if (length(values) != rows) fail("these must have the same number of rows", c("data", name))
  column(if (is.factor(values)) as.character(values) else values, rows)
}

check_row_names <- function(data, values, name) {
  rows <- if (is.matrix(data)) rownames(data) else if (.row_names_info(data) > 0) row.names(data)
  if (!is.null(rows) && !is.null(names(values)) && !identical(rows, names(values))) {
    fail(paste0("the rows of data and ", name, " have different names: align them, or pass unname(", name, ")"), name)
  }
}

# The place of the target among columns, the last one by default; empty if there is no such column.
place_of_target <- function(names, target) {
  if (!is.null(target) && !is_text(target)) whole(target, "target")
  place <- if (is.null(target)) length(names) else if (is.character(target)) match(target, names) else target
  place[place %in% seq_along(names)]
}

# The classes of a logical target, which is 0 and 1 for the library.
logical_classes <- function(classes, data, y, target) {
  place <- if (is.null(y) && is.data.frame(data)) place_of_target(names(data), target)
  values <- if (length(place)) data[[place]] else y
  if (is.logical(values) && is.character(classes) && all(classes %in% c("FALSE", "TRUE"))) as.logical(classes) else classes
}

# Refuses targets that are labels by their type, if no classes are given.
check_classes <- function(y, classes) {
  if (is.null(classes) && (is.character(y) || is.factor(y))) {
    rule <- "y holds texts: give its labels in classes. They are not read from y, because which labels occur is private"
    fail(rule, "classes")
  }
}

column_names <- function(names, columns, argument) {
  if (!is.character(names) || length(names) != columns) fail("there must be one name for each column", argument)
  names <- enc2utf8(names)
  if (anyNA(names) || !all(validUTF8(names))) fail("a column's name is not text in UTF-8", argument)
  twice <- anyDuplicated(names)
  if (twice) fail(paste("the name", encodeString(names[twice], quote = "\""), "occurs twice"), argument)
  names
}

# An assay with samples as rows, and the data of its samples.
of_experiment <- function(data, given) {
  if (!requireNamespace("SummarizedExperiment", quietly = TRUE)) {
    fail("a SummarizedExperiment needs the package of this name", "data")
  }
  samples <- SummarizedExperiment::colData(data)
  of_samples <- function(name, argument) {
    if (!name %in% names(samples)) fail("colData has no column of this name", argument)
    samples[[name]]
  }
  assay <- if (is.null(given[["assay"]])) 1 else given[["assay"]]
  values <- SummarizedExperiment::assay(data, assay, withDimnames = TRUE)
  if (inherits(values, c("data.frame", "DataFrame"))) {
    fail("an assay must be a matrix: the columns of a data frame are samples here, whose types are private", "assay")
  }
  x <- t(as.matrix(values))
  rownames(x) <- NULL
  given$data <- x
  if (!is.null(given[["target"]])) {
    if (!is.null(given[["y"]])) fail("the target is y, or is named: not both", c("y", "target"))
    given$y <- of_samples(word(given[["target"]], "target"), "target")
  }
  if (is_text(given[["unit"]])) given$unit <- of_samples(given[["unit"]], "unit")
  covariates <- sub("[:=].*", "", as.character(given[["adjust"]]))
  events <- c(if (!is.null(given[["time"]])) word(given[["time"]], "time"), names(given[["event"]]))
  if (length(covariates) || length(events)) {
    names <- if (is.null(colnames(x))) paste0("feature-", seq_len(ncol(x))) else colnames(x)
    columns <- c(matrix_columns(x), lapply(covariates, of_samples, "adjust"), lapply(events, of_samples, "time"))
    given$data <- structure(columns, names = c(names, covariates, events), class = "data.frame", row.names = seq_len(nrow(x)))
  }
  given$target <- given$assay <- NULL
  given
}

matrix_columns <- function(x) lapply(seq_len(ncol(x)), function(place) x[, place])

# The table in any data that the package takes, as arguments of the native side: `described` and `x`. Without
# `as_matrix` a matrix becomes columns. Without `has_target` the last column is like the others.
table_of <- function(given, as_matrix = TRUE, needs_target = TRUE, has_target = TRUE) {
  if (inherits(given[["data"]], "SummarizedExperiment")) given <- of_experiment(given[["data"]], given)
  if (needs_target) check_classes(given[["y"]], given[["classes"]])
  data <- given[["data"]]
  if (!is.null(given[["assay"]])) fail("assay needs a SummarizedExperiment", "assay")
  ids <- if (!is_text(given[["unit"]])) given[["unit"]]
  if (!is.null(given[["y"]]) && (!is.null(given[["target"]]) || !is.null(given[["target_file"]]))) {
    fail("the target is y, or is named: not both", c("y", "target", "target_file"))
  }
  at_horizon <- !is.null(given[["time"]]) || !is.null(given[["event"]])
  if (!is.null(given[["y"]]) && at_horizon) {
    fail("the target is y, or is made of two columns: leave out one of both", c("y", "time", "event"))
  }
  facts <- converted(given, table_facts)
  # Where person identifiers come separately, other identifiers are not features, either.
  if (!is.null(ids) && !is.null(facts[["id"]])) {
    facts$exclude <- c(facts[["exclude"]], list(facts[["id"]]))
    facts$id <- NULL
  }
  if (is_text(given[["unit"]])) facts$unit <- utf8(given[["unit"]])
  if (!is.null(given[["target"]])) {
    facts$target <- if (is.character(given[["target"]])) word(given[["target"]], "target") else whole(given[["target"]], "target")
  }
  json <- as_json(object(facts))
  if (is_text(data)) {
    if (!is.null(given[["y"]])) fail("y needs data in memory: give a file's target by name", "target")
    if (!is.null(ids)) fail("ids need data in memory: give a file's column of ids by name", "unit")
    return(list(described = list(path = path(data, "data"), facts = json), x = NULL))
  }
  for (name in c("delimiter", "decimal_comma", "numeric_names")) {
    if (!is.null(facts[[name]]) && !isFALSE(facts[[name]])) fail("this can be given of a file of text only", name)
  }
  if (!is.data.frame(data) && !is.matrix(data)) {
    hint <- if (isS4(data) && length(dim(data)) == 2) ": as.matrix() makes one" else ""
    rule <- "data must be a path, a data frame, a matrix or a SummarizedExperiment, not of class "
    fail(paste0(rule, class(data)[1], hint), "data")
  }
  for (name in c("y", "unit")) if (!is_text(given[[name]])) check_row_names(data, given[[name]], name)
  if (ncol(data) == 0) fail("the table has no columns", "data")
  y <- outside(given[["y"]], "y", nrow(data))
  unit <- outside(ids, "unit", nrow(data))
  names <- names(data)
  if (is.matrix(data)) {
    if (isTRUE(facts[["features_as_rows"]])) fail("a matrix has samples as rows: pass its transpose", "data")
    names <- if (is.null(given[["feature_names"]])) colnames(data) else given[["feature_names"]]
    if (is.null(names)) names <- paste0("feature-", seq_len(ncol(data)))
    if (is.null(y) && needs_target && !at_horizon && is.null(given[["target"]]) && is.null(given[["target_file"]])) {
      fail("with a matrix the target must be given: its values as y, or its column as target", c("y", "target"))
    }
  } else if (!is.null(given[["feature_names"]])) {
    fail("a data frame has names of its own", "feature_names")
  }
  names <- column_names(names, ncol(data), if (is.null(given[["feature_names"]])) "data" else "feature_names")
  described <- list(names = names, y = y, unit = unit, facts = json)
  plain <- is.matrix(data) && is.double(data) && !isS4(data) && !is.null(y) && length(facts) == 0
  if (as_matrix && plain && is_plain(y) && is_plain(unit)) {
    return(list(described = described, x = data))
  }
  columns <- if (is.matrix(data)) matrix_columns(data) else unclass(data)
  excluded <- excluded_of(names, facts[["exclude"]])
  others <- c(facts[["id"]], facts[["unit"]], given[["time"]], names(given[["event"]]), names(given[["levels"]]))
  others <- c(others, sub("[:=].*", "", as.character(given[["adjust"]])))
  target <- if (has_target && is.null(y) && is.null(facts[["target_file"]]) && !at_horizon) place_of_target(names, given[["target"]])
  described$columns <- lapply(seq_along(names), function(place) {
    # Nothing of an excluded column is looked at, not even its type.
    if (excluded[place]) {
      return(list(kind = "unread", values = as.double(nrow(data))))
    }
    values <- columns[[place]]
    # Of a factor the target, roles and given levels are by label; a feature is by order, or a category.
    if (is.factor(values) && (place %in% target || names[place] %in% others)) {
      values <- as.character(values)
    }
    column(values, nrow(data))
  })
  described$rows <- as.double(nrow(data))
  list(described = described, x = NULL)
}

# The data, target and exclusions of a formula and the other arguments. A formula may contain only names, since a
# column computed in R could depend on other rows.
of_formula <- function(formula, data, exclude, given) {
  rule <- "a formula names columns: outcome ~ ., outcome ~ a + b, or outcome ~ . - c"
  if (length(formula) != 3 || !is.name(formula[[2]])) fail(rule, "formula")
  # The names that are added, then those that are taken away.
  terms <- function(part) {
    if (is.name(part)) {
      return(list(as.character(part), character()))
    }
    operator <- if (is.call(part) && length(part) == 3) as.character(part[[1]])[1] else ""
    if (!operator %in% c("+", "-")) fail(rule, "formula")
    left <- terms(part[[2]])
    right <- terms(part[[3]])
    if (operator == "-") {
      if (length(right[[2]]) || "." %in% right[[1]]) fail(rule, "formula")
      right <- list(character(), right[[1]])
    }
    Map(c, left, right)
  }
  named <- terms(formula[[3]])
  target <- as.character(formula[[2]])
  if (!is.null(given[["target"]]) || !is.null(given[["y"]])) fail("the formula names the target", c("formula", "target", "y"))
  if (!is.null(given[["time"]])) {
    fail("the formula names a column as the target: give times and events without a formula", c("formula", "time"))
  }
  if ("." %in% named[[1]]) {
    # Names next to the dot are features already, or mistakes.
    outside <- setdiff(named[[1]], ".")
    if (length(outside) && !is.data.frame(data)) {
      fail("names next to . need a data frame: for other data use outcome ~ . or outcome ~ . - name", "formula")
    }
    lacking <- setdiff(c(outside, target), names(data))
    if (is.data.frame(data) && length(lacking)) {
      fail(paste("data has no column", encodeString(lacking[1], quote = "\"")), "formula")
    }
    return(list(data = data, target = target, exclude = c(exclude, named[[2]])))
  }
  # The target, and columns that are not features.
  outside <- c(target, if (is_text(given[["unit"]])) given[["unit"]], given[["id"]], sub("[:=].*", "", as.character(given[["adjust"]])))
  kept <- unique(c(setdiff(named[[1]], named[[2]]), outside))
  if (!is.data.frame(data)) fail("names of features need a data frame: for other data use outcome ~ . - name", "formula")
  lacking <- setdiff(kept, names(data))
  if (length(lacking)) fail(paste("data has no column", encodeString(lacking[1], quote = "\"")), "formula")
  # A plain data frame, whose columns are chosen as such.
  class(data) <- "data.frame"
  list(data = data[kept], target = target, exclude = exclude)
}
