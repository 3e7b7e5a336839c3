# Arguments in the form in which the library reads them, as JSON. An argument that is not given is left out:
# defaults are the library's.

# A piece of JSON as it is.
verbatim <- function(text) structure(text, class = "json")

as_json <- function(value) {
  as.character(jsonlite::toJSON(value, auto_unbox = TRUE, null = "null", json_verbatim = TRUE))
}

is_text <- function(value) is.character(value) && length(value) == 1 && !is.na(value)

is_number <- function(value) {
  plain <- is.numeric(value) && !is.object(value) && length(value) == 1
  plain && (!is.na(value) || is.nan(value))
}

# The shortest decimal text of each number that reads back to it.
shortest <- function(numbers) {
  text <- sprintf("%.15g", numbers)
  long <- which(is.finite(numbers))
  long <- long[as.numeric(text[long]) != numbers[long]]
  text[long] <- sprintf("%.17g", numbers[long])
  text
}

# Texts in UTF-8; damaged characters are replaced, and change no other text.
utf8 <- function(texts) {
  marked <- which(Encoding(texts) == "bytes")
  if (length(marked)) Encoding(texts[marked]) <- "UTF-8"
  texts <- enc2utf8(texts)
  bad <- !is.na(texts) & !validUTF8(texts)
  texts[bad] <- iconv(texts[bad], "UTF-8", "UTF-8", sub = "\uFFFD")
  texts
}

# The converters below take a value and the name of its argument.

exact <- function(value, name) {
  if (is_text(value)) {
    return(utf8(value))
  }
  if (!is_number(value)) fail("this must be one number, or the text of one", name)
  shortest(value)
}

number <- function(value, name) {
  if (!is_number(value)) fail("this must be one number", name)
  # Numbers that JSON does not have are texts, which the library refuses.
  if (is.finite(value)) verbatim(sprintf("%.17g", value)) else shortest(value)
}

whole <- function(value, name) {
  if (!is_number(value) || !is.finite(value) || value != floor(value) || value < 0 || value >= 2^53) {
    fail("this must be one whole number, at least 0 and below 2^53", name)
  }
  verbatim(sprintf("%.0f", value))
}

flag <- function(value, name) {
  if (!isTRUE(value) && !isFALSE(value)) fail("this must be TRUE or FALSE", name)
  value
}

word <- function(value, name) {
  if (!is_text(value)) fail("this must be one text", name)
  utf8(value)
}

words <- function(value, name) {
  if (!is.character(value) || anyNA(value)) fail("this must be texts", name)
  as.list(utf8(unname(value)))
}

path <- function(value, name) path.expand(word(value, name))

# Labels, levels and codes: as a file would hold them.
labels_of <- function(value, name) {
  if (is.factor(value)) value <- as.character(value)
  if (is.logical(value)) value <- as.integer(value)
  if (inherits(value, "Date")) value <- format(value, "%Y-%m-%d")
  if (is.numeric(value) && !is.object(value)) value <- ifelse(is.na(value), NA, shortest(value))
  if (!is.character(value) || anyNA(value)) fail("a label is a text, a number, a truth value or a date", name)
  as.list(utf8(unname(value)))
}

interval <- function(value, name) {
  if (!is.numeric(value) || length(value) != 2) fail("this must be two numbers, c(low, high)", name)
  as.list(shortest(unname(value)))
}

# Refuses values other than a list or vector with a name for every element.
named <- function(value, name) {
  names <- names(value)
  if (length(value) && (is.null(names) || anyNA(names) || any(names == ""))) {
    fail("each element of this must have a name", name)
  }
  as.list(value)
}

# Pairs of a name and its value.
pairs <- function(value, name, convert) {
  value <- named(value, name)
  Map(function(key, one) c(list(key), convert(one, name)), utf8(names(value)), value, USE.NAMES = FALSE)
}

exacts <- function(value, name) {
  converted <- lapply(named(value, name), exact, name)
  structure(converted, names = utf8(as.character(names(value))))
}

ranges <- function(value, name) {
  if (is_text(value)) {
    return(path(value, name))
  }
  if (is.data.frame(value)) {
    if (!all(c("feature", "lo", "hi") %in% names(value))) fail("ranges have the columns feature, lo and hi", name)
    value <- stats::setNames(Map(c, value$lo, value$hi), as.character(value$feature))
  }
  if (is.list(value)) pairs(value, name, interval) else interval(value, name)
}

sets <- function(value, name) {
  if (is_text(value)) path(value, name) else pairs(value, name, function(one, name) list(words(one, name)))
}

weights_of <- function(value, name) {
  if (is_text(value)) {
    return(path(value, name))
  }
  if (is.data.frame(value)) {
    if (!all(c("feature", "weight") %in% names(value))) fail("weights have the columns feature and weight", name)
    value <- stats::setNames(value$weight, as.character(value$feature))
  }
  pairs(as.list(value), name, function(one, name) list(number(one, name)))
}

sizes <- function(value, name) {
  if (!length(value) %in% 1:2) fail("this must be the smallest size, or the smallest and the largest one", name)
  list(whole(value[[1]], name), if (length(value) == 2) whole(value[[2]], name))
}

center_of <- function(value, name) {
  if (is_text(value)) {
    return(utf8(value))
  }
  if (is.null(names(value))) number(value, name) else pairs(value, name, function(one, name) list(exact(one, name)))
}

# The column of events, and the value that means that the event happened.
event_of <- function(value, name) {
  value <- named(value, name)
  if (length(value) != 1) fail("this must be one column and the value that means the event: c(died = 1)", name)
  c(list(utf8(names(value))), labels_of(value[[1]], name))
}

levels_of <- function(value, name) pairs(value, name, function(one, name) list(labels_of(one, name)))

# The options of a selection.
select_options <- list(
  k = whole, epsilon = exact, delta = exact, fwer = exact, at_most = whole, classes = labels_of,
  time = word, event = event_of, by = number,
  target_bounds = interval, target_number = flag, unit_target = word, adjust = words, center = center_of,
  score = word, bounds = ranges, scale = word, groups = sets, group_size = sizes, neighbors = word,
  shares = exacts, direction = flag, method = word, blocks = whole, penalty = number, refine = word,
  weights = weights_of, weights_uniform = number,
  mechanism = word, parameters = exacts, memory = whole, threads = whole
)

# Arguments of a fit.
fit_options <- c(
  select_options,
  list(features = words, levels = levels_of, selection_share = exact, ranges = exact, lambda = number)
)

# Facts about a table for the library.
table_facts <- list(
  target_file = path, id = word, exclude = words, missing = labels_of, features_as_rows = flag,
  delimiter = word, decimal_comma = flag, numeric_names = flag
)

# Those about a table in memory alone.
memory_facts <- c("y", "unit", "feature_names", "assay")

# The given arguments of `known` as JSON can hold them.
converted <- function(given, known) {
  given <- given[names(given) %in% names(known) & !vapply(given, is.null, NA)]
  Map(function(value, name) known[[name]](value, name), given, names(given))
}

# A JSON object; an empty list would be an array.
object <- function(fields) if (length(fields)) fields else structure(list(), names = character())

# Refuses arguments that nothing takes.
check_names <- function(given, known) {
  names <- names(given)
  if (length(given) && (is.null(names) || any(names == ""))) fail("an argument after target needs its name")
  for (name in names) {
    if (name %in% known) next
    near <- known[utils::adist(name, known) <= 2]
    hint <- if (length(near)) paste0(": did you mean ", near[1], "?") else ""
    fail(paste0("there is no argument ", encodeString(name, quote = "\""), hint))
  }
  if (anyDuplicated(names)) fail("an argument is given twice", names[anyDuplicated(names)])
}

# The request as a call of the function; placeholders stand for files and data.
request_text <- function(name, given) {
  plain <- function(value) {
    if (is.list(value) && !is.data.frame(value)) all(vapply(value, plain, NA)) else is.atomic(value)
  }
  shown <- function(value, name) {
    if (name == "ledger") {
      "LEDGER"
    } else if (name == "target_file" || (name %in% c("bounds", "groups", "weights", "data") && is_text(value))) {
      "FILE"
    } else if (name %in% c("y", "groups", "weights") || (name == "unit" && !is_text(value)) || !plain(value)) {
      "..."
    } else {
      deparse1(value)
    }
  }
  unnamed <- c("note", "memory", "threads", "progress", "feature_names", "dry_run")
  given <- given[!names(given) %in% unnamed & !vapply(given, is.null, NA)]
  parts <- c("data", sprintf("%s = %s", names(given), mapply(shown, given, names(given))))
  gsub("\n", " ", paste0(name, "(", paste(parts, collapse = ", "), ")"), fixed = TRUE)
}

# The terms of a run: the request for its record, the ledger to charge, the seed and the run key.
terms_of <- function(request, seed, ledger, note, dry_run = FALSE, run_key = NULL) {
  if (inherits(ledger, "dpsis_ledger")) ledger <- ledger$path
  given <- list(request = request, seed = seed, ledger = ledger, note = note, dry_run = dry_run, run_key = run_key)
  converted(given, list(request = word, seed = whole, ledger = path, note = word, dry_run = flag, run_key = word))
}
