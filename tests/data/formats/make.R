# Writes R's files of this folder, of the content of table.csv. Run after make.py, in this folder.
table <- read.csv("table.csv", check.names = FALSE, na.strings = c("", "NA"))
features <- paste0("feature-", 1:6)
frame <- table
frame$`feature-5` <- as.integer(frame$`feature-5`)
frame$`feature-6` <- frame$`feature-6` == 1
frame$two <- factor(frame$two)
saveRDS(frame, "frame.rds")
named <- frame[, -1]
rownames(named) <- frame$id
saveRDS(named, "named.rds", compress = "xz", version = 2)
x <- as.matrix(table[, features])
rownames(x) <- table$id
saveRDS(x, "matrix.rds", compress = FALSE)
saveRDS(t(x), "rows.rds")
bare <- x
dimnames(bare) <- list(NULL, features)
set <- list(x = bare, y = factor(table$two))
other <- 1:3
save(set, other, file = "list.RData", compress = "xz")
y <- table$age
x <- as.data.frame(bare)
save(x, y, file = "xy.rda", compress = "gzip")
