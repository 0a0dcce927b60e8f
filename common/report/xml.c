/* xml - text in XML and HTML */

#include "common/report/xml.h"

/* Writes a character that XML has another form for; false if it has none. */
static bool
put_reference(struct buf *b, char c)
{
	static const struct { char c; const char *reference; } list[] = {
		{ '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" },
		{ '"', "&quot;" }
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (list[i].c == c) {
			buf_str(b, list[i].reference);
			return true;
		}
	return false;
}

void
xml_text(struct buf *b, struct span text)
{
	/* U+FFFE and U+FFFF are UTF-8, but no characters of XML. */
	static const char noncharacter[] = "\xef\xbf";
	char piece[1024];
	size_t n;

	for (size_t i = 0; i < text.n; i += n) {
		n = text.n - i < sizeof piece / 16 ? text.n - i :
		    sizeof piece / 16;
		/* Do not divide a character. */
		while (n > 1 && i + n < text.n &&
		    ((unsigned char)text.p[i + n] & 0xc0) == 0x80)
			n--;
		text_escape(piece, sizeof piece, text.p + i, n);
		for (const char *p = piece; *p != '\0'; p++)
			if (strncmp(p, noncharacter, 2) == 0 &&
			    (unsigned char)p[2] >= 0xbe) {
				buf_str(b, "\xef\xbf\xbd");
				p += 2;
			} else if (!put_reference(b, *p)) {
				buf_char(b, *p);
			}
	}
}
