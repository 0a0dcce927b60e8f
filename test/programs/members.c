/*
 * members - prints members of records, for tests
 *
 *	members [-ar] [-d SEPARATOR] [-w KEY[=VALUE]]... KEY...
 *
 * prints, for each line of standard input, the value of the member KEY, in the
 * form in which jq -c prints it; null if there is no such member.  A KEY may be
 * a path of keys separated by dots.  Of several keys, or with -a, it prints an
 * array of the values.  -r prints strings as they are; -d also separates the
 * values by SEPARATOR instead of printing an array.  -w leaves out the records
 * whose member KEY is not the string VALUE, or if no VALUE is given, is missing,
 * null or false.
 *
 * It prints what jq would, but jq 1.6 takes 15 ms to start, and tests start it
 * a thousand times.  It exits with 2 at a line that is not a JSON document.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <yajl/yajl_tree.h>

/* The last member of this path, as of two with one name the last counts. */
static yajl_val
find(yajl_val value, const char *path)
{
	while (*path != '\0') {
		size_t len = strcspn(path, ".");
		yajl_val found = NULL;

		for (size_t i = 0; YAJL_IS_OBJECT(value) &&
		    i < value->u.object.len; i++)
			if (strncmp(value->u.object.keys[i], path, len) == 0 &&
			    value->u.object.keys[i][len] == '\0')
				found = value->u.object.values[i];
		if (found == NULL)
			return NULL;
		value = found;
		path += len + (path[len] == '.');
	}
	return value;
}

static void
print_string(const char *s)
{
	static const char escaped[] = "\"\\\b\f\n\r\t";
	static const char letters[] = "\"\\bfnrt";

	putchar('"');
	for (; *s != '\0'; s++) {
		const char *found = strchr(escaped, *s);

		if (found != NULL)
			printf("\\%c", letters[found - escaped]);
		else if ((unsigned char)*s < ' ' || *s == '\177')
			printf("\\u%04x", (unsigned)*s);
		else
			putchar(*s);
	}
	putchar('"');
}

/* The shortest text that is the same number: 0.50 and 0.5 are. */
static void
print_number(yajl_val value)
{
	char text[32];
	double number;

	if (YAJL_IS_INTEGER(value)) {
		fputs(YAJL_GET_NUMBER(value), stdout);
		return;
	}
	number = strtod(YAJL_GET_NUMBER(value), NULL);
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (!(strtod(text, NULL) < number) &&
		    !(strtod(text, NULL) > number))
			break;
	}
	fputs(text, stdout);
}

static void
print(yajl_val value)
{
	if (value == NULL || YAJL_IS_NULL(value)) {
		fputs("null", stdout);
	} else if (YAJL_IS_STRING(value)) {
		print_string(value->u.string);
	} else if (YAJL_IS_NUMBER(value)) {
		print_number(value);
	} else if (YAJL_IS_ARRAY(value)) {
		putchar('[');
		for (size_t i = 0; i < value->u.array.len; i++) {
			if (i > 0)
				putchar(',');
			print(value->u.array.values[i]);
		}
		putchar(']');
	} else if (YAJL_IS_OBJECT(value)) {
		putchar('{');
		for (size_t i = 0; i < value->u.object.len; i++) {
			if (i > 0)
				putchar(',');
			print_string(value->u.object.keys[i]);
			putchar(':');
			print(value->u.object.values[i]);
		}
		putchar('}');
	} else {
		fputs(YAJL_IS_TRUE(value) ? "true" : "false", stdout);
	}
}

/* Whether the condition KEY[=VALUE] holds. */
static bool
holds(yajl_val record, const char *condition)
{
	char *key = strdup(condition);
	char *wanted;
	yajl_val value;
	bool answer;

	if (key == NULL)
		abort();
	wanted = strchr(key, '=');
	if (wanted != NULL)
		*wanted++ = '\0';
	value = find(record, key);
	if (wanted != NULL)
		answer = YAJL_IS_STRING(value) &&
		    strcmp(value->u.string, wanted) == 0;
	else
		answer = value != NULL && !YAJL_IS_NULL(value) &&
		    !YAJL_IS_FALSE(value);
	free(key);
	return answer;
}

/* Whether all of the conditions hold. */
static bool
all_hold(yajl_val record, const char *const *conditions, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!holds(record, conditions[i]))
			return false;
	return true;
}

int
main(int argc, char **argv)
{
	const char *conditions[8];
	const char *separator = NULL;
	char message[256];
	char *line = NULL;
	size_t n_conditions = 0, size = 0;
	bool is_raw = false, is_array = false;
	int option, status = 0;

	while ((option = getopt(argc, argv, "ad:rw:")) != -1) {
		if (option == 'a')
			is_array = true;
		else if (option == 'd')
			separator = optarg;
		else if (option == 'r')
			is_raw = true;
		else if (option == 'w' && n_conditions < 8)
			conditions[n_conditions++] = optarg;
		else
			return 2;
	}
	if (optind == argc)
		return 2;
	if (separator != NULL)
		is_raw = true;
	else if (argc - optind > 1)
		is_array = true;
	while (status == 0 && getline(&line, &size, stdin) > 0) {
		yajl_val record;

		if (line[strspn(line, " \n")] == '\0')
			continue;
		record = yajl_tree_parse(line, message, sizeof(message));
		if (record == NULL) {
			fprintf(stderr, "members: %s: %s", message, line);
			status = 2;
		} else if (all_hold(record, conditions, n_conditions)) {
			if (is_array)
				putchar('[');
			for (int i = optind; i < argc; i++) {
				yajl_val value = find(record, argv[i]);

				if (i > optind)
					fputs(is_array ? "," : separator,
					    stdout);
				if (is_raw && YAJL_IS_STRING(value))
					fputs(value->u.string, stdout);
				else
					print(value);
			}
			puts(is_array ? "]" : "");
		}
		yajl_tree_free(record);
	}
	free(line);
	return status;
}
