// places.mjs - checks the places of texts in a browser, for pictures.mjs and
// pages.mjs

// Runs in the browser, so it uses nothing of this module.  Returns what is wrong
// in any picture of the document, at most five complaints: no text may overlap
// another, or leave the picture or its box, the rect of a g.box or g.bar.
export function misplaced() {
	const found = [];
	const within = (a, b) => a.left >= b.left - 1 &&
	    a.right <= b.right + 1 && a.top >= b.top - 1 &&
	    a.bottom <= b.bottom + 1;
	// The boxes of lines of text overlap a little.
	const overlap = (a, b) => a.top < b.bottom - 2 && b.top < a.bottom - 2;

	function check_texts(picture) {
		const edge = picture.getBoundingClientRect();
		const texts = [...picture.querySelectorAll('text')].map((t) =>
		    ({ text: t.textContent, box: t.getBoundingClientRect(),
		    rect: t.closest('g.box, g.bar')?.querySelector('rect') }))
		    .filter((t) => t.box.width > 0)
		    .sort((a, b) => a.box.left - b.box.left);

		texts.forEach(({ text, box, rect }, i) => {
			if (!within(box, edge))
				found.push(`outside the picture: ${text}`);
			if (rect && !within(box, rect.getBoundingClientRect()))
				found.push(`outside its box: ${text}`);
			for (let k = i + 1; k < texts.length &&
			    texts[k].box.left < box.right - 1; k++)
				if (overlap(box, texts[k].box))
					found.push(`${text} overlaps ` +
					    texts[k].text);
		});
	}

	document.querySelectorAll('svg').forEach(check_texts);
	return found.slice(0, 5);
}
