# files.awk - writes the scripts and makefiles that pages show into the current
# directory, and prints their names; with -v list=1 it only prints them
#
# A page shows a file in a literal display that begins with "# NAME.mk",
# "# NAME.sh" or "# NAME.yml", or with "$ cat NAME", which is not part of the
# file.  \e and \& are mdoc's escapes.

/^\.Bd -literal/ { begins = 1; next }
/^\.Ed/ { begins = 0; name = ""; next }
begins {
	begins = 0
	if (/^\$ cat [a-z.-]+$/ || /^# [a-z-]+\.(mk|sh|yml)$/) {
		name = $NF
		print name
		if (/^\$/) next
	}
}
name && !list {
	gsub(/\\e/, "\\")
	gsub(/\\&/, "")
	print >name
	if (/^#!/) scripts = scripts " " name
}
END { if (scripts) system("chmod +x" scripts) }
