// flame.js - zoom and search in a flame graph
//
// This is the content of a script element in SVG, so it has neither "less
// than" nor "ampersand".  Each box is a g element with a title, whose first
// line is the name, a rect, and perhaps a text.
(function () {
	"use strict";
	const svg = document.documentElement;
	const margin = 10, width = 1180, padding = 4, charWidth = 7.25;
	const status = document.getElementById("status");
	const boxes = [...svg.querySelectorAll("g.box")].map(function (g) {
		const rect = g.querySelector("rect");
		return {
			g: g, rect: rect, text: g.querySelector("text"),
			x: +rect.getAttribute("x"), y: +rect.getAttribute("y"),
			w: +rect.getAttribute("width"),
			name: g.querySelector("title").textContent.split("\n")[0]
		};
	});
	let zoomed = boxes[0];

	// Characters such as those of Chinese take two cells.
	function cellsOf(text) {
		let n = 0;
		for (const c of text)
			n += c >= "\u1100" ? 2 : 1;
		return n;
	}

	function fitted(name, room) {
		let text = "", used = 1;
		if (room >= cellsOf(name))
			return name;
		for (const c of name) {
			used += cellsOf(c);
			if (used > room)
				break;
			text += c;
		}
		return text + "\u2026";
	}

	function label(box, w) {
		const room = Math.floor((w - 2 * padding) / charWidth);
		if (box.text)
			box.text.textContent = room >= 3 ?
			    fitted(box.name, room) : "";
	}

	function addText(box) {
		box.text = document.createElementNS(
		    "http://www.w3.org/2000/svg", "text");
		box.text.setAttribute("y", box.y + 13);
		box.g.appendChild(box.text);
	}

	// Shows the box and what it calls over the whole width, and its callers.
	function zoom(to) {
		const scale = width / to.w;
		zoomed = to;
		for (const box of boxes) {
			const left = Math.max(box.x, to.x);
			const right = Math.min(box.x + box.w, to.x + to.w);
			const w = (right - left) * scale;
			const isShown = w > 0.3;
			box.g.style.display = isShown ? "" : "none";
			if (!isShown)
				continue;
			const x = margin + (left - to.x) * scale;
			box.rect.setAttribute("x", x);
			box.rect.setAttribute("width", w);
			if (!box.text) {
				if (w > 30)
					addText(box);
				else
					continue;
			}
			box.text.setAttribute("x", x + padding);
			label(box, w);
		}
		location.hash = to === boxes[0] ? "" : boxes.indexOf(to);
	}

	// Marks the boxes whose name contains the text or matches /text/.
	function search(text) {
		const form = /^\/(.*)\/$/.exec(text);
		let matches = function (name) { return name.includes(text); };
		if (form) {
			try {
				const re = new RegExp(form[1]);
				matches = function (name) { return re.test(name); };
			} catch (error) {
				status.textContent = "not a regular expression";
				return;
			}
		}
		let n = 0;
		for (const box of boxes) {
			const hit = text !== "" ? matches(box.name) : false;
			box.g.classList.toggle("hit", hit);
			n += hit;
		}
		svg.classList.toggle("searched", text !== "");
		status.textContent = text === "" ? "" : n + " found: " + text;
	}

	function ask() {
		const text = prompt("Search for a name or a /regexp/:", "");
		if (text !== null)
			search(text);
	}

	svg.addEventListener("click", function (event) {
		const g = event.target.closest("g.box");
		if (event.target.closest("#search"))
			ask();
		else if (event.target.closest("#reset"))
			zoom(boxes[0]);
		else if (g)
			zoom(boxes.find(function (box) { return box.g === g; }));
	});
	addEventListener("keydown", function (event) {
		if (event.key === "/") {
			event.preventDefault();
			ask();
		} else if (event.key === "Escape") {
			search("");
			zoom(boxes[0]);
		} else if (event.key === "Enter") {
			const g = document.activeElement.closest("g.box");
			if (g)
				zoom(boxes.find(function (b) { return b.g === g; }));
		}
	});
	document.getElementById("controls").style.display = "";
	const start = boxes[+location.hash.slice(1)];
	if (start)
		zoom(start);
})();
