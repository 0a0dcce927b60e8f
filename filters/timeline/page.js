// page.js - zoom, search and details in a timeline
//
// Each section of the page is a build, with a script element that has the data
// of its tasks (page.c writes it).  This draws them in place of the picture
// that the page begins with, so that they can be zoomed and searched.  Text
// from the input only goes to textContent.
(function () {
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const AXIS = 22, STRIP = 60, GAP = 8, PATH_ROW = 18;
const CHAR_WIDTH = 6.7;		// of the font of labels, 11 pixels
const LEAST_RANGE = 10;		// microseconds
const N_COLORS = 7;		// of rules; those without one have the last
const FLAG_CACHED = 1, FLAG_FAILED = 2;

// --- text -----------------------------------------------------------------

const two = (n) => String(n).padStart(2, "0");

// A duration, as the reports of weir write it, but more exact below 1 s.
function duration(us) {
	const s = Math.round(us / 1e6), tenths = Math.round(us / 1e5);
	if (us < 999.5)
		return us === 0 ? "0" : `${Math.round(us)} us`;
	if (us < 999500)
		return `${+(us / 1000).toPrecision(3)} ms`;
	if (us < 59995000)
		return `${(us / 1e6).toFixed(2)} s`;
	if (tenths < 36000)
		return `${Math.floor(tenths / 600)}m ` +
		    `${(tenths % 600 / 10).toFixed(1).padStart(4, "0")}s`;
	return `${Math.floor(s / 3600)}h ${two(Math.floor(s / 60) % 60)}m ` +
	    `${two(s % 60)}s`;
}

function count(n, word) {
	return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
}

function columnsOf(text) {
	let n = 0;
	for (const c of text)
		n += c >= "\u1100" ? 2 : 1;
	return n;
}

// What fits of a name: all, its last component, its beginning, or nothing.
function fitted(name, width) {
	const room = Math.floor(width / CHAR_WIDTH);
	if (room < 3)
		return "";
	if (columnsOf(name) <= room)
		return name;
	const last = name.slice(name.lastIndexOf("/") + 1);
	if (last !== "" && columnsOf(last) <= room)
		return last;
	if (room < 7)
		return "";
	let text = "", used = 1;
	for (const c of last || name) {
		used += c >= "\u1100" ? 2 : 1;
		if (used > room)
			break;
		text += c;
	}
	return text + "\u2026";
}

function shortenedInMiddle(text, width) {
	const room = Math.max(3, Math.floor(width / CHAR_WIDTH));
	if (columnsOf(text) <= room)
		return text;
	const chars = [...text], half = Math.floor((room - 1) / 2);
	return chars.slice(0, room - 1 - half).join("") + "\u2026" +
	    chars.slice(chars.length - half).join("");
}

// --- elements -------------------------------------------------------------

function appended(parent, e, attributes, text) {
	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	if (text !== undefined)
		e.textContent = text;
	parent.append(e);
	return e;
}

function make(parent, name, attributes, text) {
	return appended(parent, document.createElement(name), attributes, text);
}

function draw(parent, name, attributes, text) {
	return appended(parent, document.createElementNS(SVG, name), attributes,
	    text);
}

function button(parent, text, label, action) {
	const e = make(parent, "button", { type: "button" }, text);
	if (label)
		e.title = label;
	e.addEventListener("click", action);
	return e;
}

// --- the tasks ------------------------------------------------------------

// Each string follows the number of characters that it shares with the
// previous one.
function readStrings(list) {
	const strings = [];
	let last = "";
	for (let i = 0; i < list.length; i += 2) {
		last = last.slice(0, list[i]) + list[i + 1];
		strings.push(last);
	}
	return strings;
}

// Intervals, sorted by lane and start.  Each starts a number of units after the
// end of the previous one of its lane, or of the build's start.
function readIntervals(data, unit, nLanes) {
	const n = data.length.length;
	const all = { n, start: new Float64Array(n), end: new Float64Array(n),
	    reach: new Float64Array(n), lane: new Uint32Array(n),
	    first: new Uint32Array(nLanes + 1) };
	let lane = 0, at = 0, reach = 0;
	for (let i = 0; i < n; i++) {
		if (data.lane[i] > 0)
			at = reach = 0;
		lane += data.lane[i];
		at += data.gap[i];
		all.lane[i] = lane;
		all.first[lane + 1]++;
		all.start[i] = at * unit;
		at += data.length[i];
		all.end[i] = at * unit;
		reach = Math.max(reach, all.end[i]);
		all.reach[i] = reach;
	}
	for (let k = 0; k < nLanes; k++)
		all.first[k + 1] += all.first[k];
	return all;
}

const CLASSES = ["run", "copy", "prepare"];

// The domain, as ".example.net", in which all hosts are; "" if there is none.
function commonDomain(hosts) {
	const dot = hosts.length > 1 ? hosts[0].indexOf(".") : -1;
	const domain = dot > 0 ? hosts[0].slice(dot) : "";
	return hosts.every((h) => h.endsWith(domain)) ? domain : "";
}

// Of each host and class of tasks the lanes, which are neighbors.
function readGroups(data, strings) {
	const groups = [], hosts = data.hosts.map((k) => strings[k]);
	const domain = commonDomain(hosts);
	let last = null;
	for (let i = 0; i < data.lanes.length; i += 3) {
		const [host, kind, slots] = data.lanes.slice(i, i + 3);
		if (!last || last.host !== host || last.kind !== kind) {
			const isFirst = !last || last.host !== host;
			const short = hosts[host].slice(0,
			    hosts[host].length - domain.length) || "tasks";
			last = { host, kind, first: i / 3, n: 0, slots: 0,
			    isFirst, hostName: hosts[host] };
			last.name = kind === 0 ? short : isFirst ?
			    `${short} ${CLASSES[kind]}` : CLASSES[kind];
			groups.push(last);
		}
		last.n++;
		last.slots += slots;
	}
	return groups;
}

function readTasks(build, data) {
	const { strings, groups, steps } = build;
	const tasks = readIntervals(data, build.unit, build.nLanes);
	tasks.type = data.type;
	tasks.flags = data.flags;
	tasks.name = data.name.map((k) => strings[k]);
	tasks.id = data.id.map((k, i) => strings[data.name[i] + k]);
	tasks.target = data.target.map((k) => strings[k]);
	tasks.color = data.type.map((k) => build.types[k].color);
	tasks.step = new Uint32Array(tasks.n);
	steps.forEach((step, k) => { tasks.step[step.task] = k + 1; });
	const groupOf = new Uint32Array(build.nLanes);
	groups.forEach((g, k) => groupOf.fill(k, g.first, g.first + g.n));
	tasks.group = Array.from(tasks.lane, (lane) => groups[groupOf[lane]]);
	return tasks;
}

// Divides a list into objects whose members have these names.
function readRecords(list, names) {
	const all = [];
	for (let i = 0; i < list.length; i += names.length)
		all.push(Object.fromEntries(names.map((name, k) =>
		    [name, list[i + k]])));
	return all;
}

function readBuild(data) {
	const strings = readStrings(data.strings);
	const build = { strings, unit: data.unit_us, wall: data.wall_us,
	    range: data.range_us, place: data.place,
	    nTasks: data.n_tasks, nLanes: data.lanes.length / 3,
	    groups: readGroups(data, strings),
	    hosts: data.hosts.map((k) => strings[k]),
	    types: readRecords(data.types, ["name", "color"]),
	    steps: readRecords(data.steps, ["task", "waiting", "saved"]) };
	for (const type of build.types)
		type.name = strings[type.name];
	build.tasks = readTasks(build, data.tasks);
	build.tasks.slack = data.slack;		// undefined if not known
	build.attempts = new Map(readRecords(data.attempts,
	    ["task", "number", "of"]).map((a) => [a.task, a]));
	const { unit_us, n, busy, color } = data.merged;
	build.merged = readIntervals(data.merged, unit_us, build.nLanes);
	build.merged.count = n;
	build.merged.color = color;
	build.merged.busy = busy.map((b) => b * unit_us);
	return build;
}

// Where those of a lane begin that may end after a time.
function firstAfter(all, lane, time) {
	let low = all.first[lane], high = all.first[lane + 1];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (all.reach[middle] > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

// A function of names: whether they contain the text, or match /text/.
function matcher(text) {
	const form = /^\/(.+)\/$/.exec(text);
	if (form) {
		const re = new RegExp(form[1], "u");
		return (name) => re.test(name);
	}
	return (name) => name.includes(text);
}

// --- axis -----------------------------------------------------------------

const UNITS = [["us", 1], ["ms", 1e3], ["s", 1e6], ["min", 6e7],
    ["h", 3.6e9]];

// A round step of at least `least` microseconds, and the unit of its labels.
function tickStep(least) {
	const steps = [];
	for (let power = 1; power <= 1e7; power *= 10)
		steps.push(power, 2 * power, 5 * power);
	for (const minutes of [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1440])
		steps.push(minutes * 6e7);
	const wanted = steps.filter((s) => s <= 3e7 || s % 6e7 === 0);
	const days = Math.ceil(least / 8.64e10) * 8.64e10;
	return wanted.find((s) => s >= least) || days;
}

// Minutes and hours only if all labels are whole; otherwise the largest unit in
// which the last label is at least 1.
function tickUnit(step, last) {
	return UNITS.filter(([, us]) => us >= 6e7 ? us <= step :
	    us <= Math.max(step, last)).pop();
}

// --- a view of a build ----------------------------------------------------

function rowHeight(nLanes) {
	return nLanes <= 60 ? 18 : nLanes <= 200 ? 9 : nLanes <= 2000 ? 3 :
	    1;
}

class View {
	constructor(section, number, build) {
		Object.assign(this, { section, number, build, from: 0,
		    to: build.range, selected: -1, needle: null, hits: [] });
		this.shown = new Uint8Array(build.tasks.n).fill(1);
		this.makeControls();
		this.makePicture();
		this.readHash();
		this.linkTables();
		this.layout();
		new ResizeObserver(() => this.redraw(true))
		    .observe(this.frame);
		addEventListener("hashchange", () => {
			this.readHash();
			this.redraw();
		});
	}

	// --- controls

	makeControls() {
		const { groups, types, hosts } = this.build;
		this.frame = make(this.section, "div", { class: "view" });
		this.section.querySelector("script").replaceWith(this.frame);
		const bar = make(this.frame, "div", { class: "controls",
		    role: "search" });
		this.input = make(bar, "input", { type: "search",
		    placeholder: "name or /regexp/", spellcheck: "false",
		    "aria-label": "Search tasks by name, id or /regexp/" });
		this.input.addEventListener("input", () => this.search());
		this.input.addEventListener("keydown", (event) => {
			if (event.key === "Enter")
				this.jump(event.shiftKey ? -1 : 1);
		});
		const kinds = CLASSES.map((name, k) => [name, k])
		    .filter(([, k]) => groups.some((g) => g.kind === k));
		this.selects = {
			kind: this.makeSelect(bar, "kind", kinds),
			rule: this.makeSelect(bar, "rule", types.map((t, k) =>
			    [t.name, k]).sort()),
			host: this.makeSelect(bar, this.build.place,
			    hosts.map((name, k) => [name, k]))
		};
		const zoom = make(bar, "span", { class: "zoom" });
		button(zoom, "+", "zoom in (+)", () => this.zoom(0.5));
		button(zoom, "\u2212", "zoom out (-)", () => this.zoom(2));
		button(zoom, "whole", "the whole build (0)",
		    () => this.setRange(0, this.build.range));
		this.status = make(this.frame, "p", { class: "status",
		    role: "status" });
	}

	// A choice of one value or all; absent if there is only one.
	makeSelect(bar, what, values) {
		if (values.length < 2)
			return null;
		const select = make(bar, "select", { "aria-label": what });
		make(select, "option", { value: -1 }, `all ${what}s`);
		for (const [name, value] of values)
			make(select, "option", { value },
			    name || `no ${what}`);
		select.addEventListener("change", () => this.search());
		return select;
	}

	chosen(what) {
		const select = this.selects[what];
		return select ? +select.value : -1;
	}

	makePicture() {
		this.svg = draw(this.frame, "svg", { class: "lanes",
		    tabindex: 0, role: "application",
		    "aria-label": "Timeline: + and - zoom, left and right " +
		    "move, up and down select a task" });
		this.defs = draw(this.svg, "defs");
		this.makeHatch();
		this.content = draw(this.svg, "g");
		this.band = draw(this.svg, "rect", { class: "band", y: 0,
		    height: 0, width: 0, x: 0 });
		this.makeLegend();
		this.details = make(this.frame, "aside", { class: "details",
		    "aria-live": "polite" });
		this.svg.addEventListener("wheel", (e) => this.onWheel(e),
		    { passive: false });
		this.svg.addEventListener("keydown", (e) => this.onKey(e));
		this.svg.addEventListener("pointerdown", (e) => this.onDown(e));
		this.svg.addEventListener("pointermove", (e) => this.onMove(e));
		this.svg.addEventListener("pointerup", (e) => this.onUp(e));
		this.svg.addEventListener("pointercancel",
		    () => this.endDrag());
		this.tip = draw(this.svg, "title");
	}

	makeHatch() {
		const hatch = draw(this.defs, "pattern", { width: 8, height: 8,
		    id: `failed${this.number}`,
		    patternUnits: "userSpaceOnUse" });
		draw(hatch, "rect", { width: 8, height: 8, class: "paper" });
		draw(hatch, "path", { d: "M0 0L8 8M8 0L0 8", class: "cross" });
	}

	// The types with a color of their own; all others have the last one.
	makeLegend() {
		const { types, steps } = this.build;
		const list = make(this.frame, "ul", { class: "legend" });
		const add = (style, text) => {
			const item = make(list, "li", {});
			make(item, "span", { class: `swatch ${style}` });
			item.append(text);
		};
		for (let color = 0; color < N_COLORS - 1; color++) {
			const type = types.find((t) => t.color === color);
			if (type)
				add(`c${color}`, type.name);
		}
		const rest = types.filter((t) => t.color === N_COLORS - 1);
		if (rest.length > 0)
			add(`c${N_COLORS - 1}`, rest.length === 1 ?
			    rest[0].name : `${rest.length} others`);
		if (steps.length > 0)
			add("path", "on the critical path");
	}

	linkTables() {
		const cells = this.section.querySelectorAll("[data-task]");
		for (const cell of cells) {
			const i = +cell.dataset.task, text = cell.textContent;
			cell.textContent = "";
			button(cell, text, "", () => {
				this.show(i);
				this.svg.scrollIntoView({ block: "nearest" });
			}).className = "link";
		}
	}

	// --- what is searched and filtered

	search() {
		const { tasks } = this.build, text = this.input.value;
		let matches = null;
		try {
			matches = text === "" ? null : matcher(text);
			this.input.removeAttribute("aria-invalid");
		} catch (error) {
			this.input.setAttribute("aria-invalid", "true");
			this.status.textContent = "not a regular expression";
			return;
		}
		const kind = this.chosen("kind"), rule = this.chosen("rule");
		const host = this.chosen("host");
		this.hits = [];
		let sum = 0;
		for (let i = 0; i < tasks.n; i++) {
			const group = tasks.group[i];
			const isHit = (kind < 0 || group.kind === kind) &&
			    (rule < 0 || tasks.type[i] === rule) &&
			    (host < 0 || group.host === host) &&
			    (!matches || matches(tasks.name[i]) ||
			    matches(tasks.id[i]) || matches(tasks.target[i]));
			this.shown[i] = isHit;
			if (isHit) {
				this.hits.push(i);
				sum += tasks.end[i] - tasks.start[i];
			}
		}
		this.isSearched = matches !== null || kind >= 0 || rule >= 0;
		this.isFiltered = this.isSearched || host >= 0;
		this.hits.sort((a, b) => tasks.start[a] - tasks.start[b]);
		this.hit = -1;
		this.found = this.isFiltered ?
		    `${count(this.hits.length, "task")} found, ` +
		    `${duration(sum)} in all` : "";
		this.redraw(true);
	}

	jump(by) {
		const n = this.hits.length;
		if (!this.isFiltered || n === 0)
			return;
		this.hit = this.hit < 0 ? (by > 0 ? 0 : n - 1) :
		    (this.hit + by + n) % n;
		this.show(this.hits[this.hit]);
	}

	// Selects a task, and makes it visible and wide enough for its name.
	show(i) {
		const { tasks } = this.build;
		const length = Math.max(tasks.end[i] - tasks.start[i], 1);
		const wanted = Math.min(this.plot / 2,
		    CHAR_WIDTH * columnsOf(tasks.name[i]) + 20);
		if (length / this.scale() < wanted ||
		    tasks.start[i] < this.from || tasks.end[i] > this.to) {
			const range = Math.min(length * this.plot / wanted,
			    this.build.range);
			const middle = (tasks.start[i] + tasks.end[i]) / 2;
			this.setRange(middle - range / 2, middle + range / 2);
		}
		this.select(i);
	}

	select(i) {
		this.selected = i;
		this.showDetails();
		this.redraw();
	}

	// --- range

	scale() {
		return (this.to - this.from) / this.plot;
	}

	setRange(from, to) {
		const { range } = this.build;
		const length = Math.min(Math.max(to - from, LEAST_RANGE),
		    range);
		this.from = Math.min(Math.max(from, 0), range - length);
		this.to = this.from + length;
		this.writeHash();
		this.redraw();
	}

	zoom(factor, at) {
		const center = at === undefined ?
		    (this.from + this.to) / 2 : at;
		this.setRange(center - (center - this.from) * factor,
		    center + (this.to - center) * factor);
	}

	pan(part) {
		const by = (this.to - this.from) * part;
		this.setRange(this.from + by, this.to + by);
	}

	// The range is #BUILD:FROM-TO in microseconds.
	readHash() {
		const part = /^#(\d+):(\d+)-(\d+)$/.exec(location.hash);
		if (!part || +part[1] !== this.number || +part[2] >= +part[3])
			return;
		const { range } = this.build, from = +part[2], to = +part[3];
		if (from < range && from + LEAST_RANGE <= to) {
			this.from = from;
			this.to = Math.min(to, range);
		}
	}

	writeHash() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => {
			const hash = `#${this.number}:` +
			    `${Math.floor(this.from)}-${Math.ceil(this.to)}`;
			if (this.from > 0 || this.to < this.build.range)
				location.replace(hash);
			else if (location.hash)
				location.replace("#");
		}, 200);
	}

	// --- events

	timeAt(event) {
		const x = event.clientX -
		    this.svg.getBoundingClientRect().left - this.gutter;
		return this.from + Math.min(Math.max(x, 0), this.plot) *
		    this.scale();
	}

	onWheel(event) {
		if (!event.ctrlKey && !event.shiftKey)
			return;
		event.preventDefault();
		const by = event.deltaY || event.deltaX;
		if (event.ctrlKey)
			this.zoom(Math.exp(by / 300), this.timeAt(event));
		else
			this.pan(by / 1000);
	}

	onKey(event) {
		const actions = {
			"+": () => this.zoom(0.5), "=": () => this.zoom(0.5),
			"-": () => this.zoom(2),
			"0": () => this.setRange(0, this.build.range),
			ArrowLeft: () => this.pan(-0.2),
			ArrowRight: () => this.pan(0.2),
			ArrowUp: () => this.step(-1),
			ArrowDown: () => this.step(1),
			Enter: () => this.selected >= 0 &&
			    this.show(this.selected),
			Escape: () => this.select(-1)
		};
		if (!(event.key in actions) || event.ctrlKey || event.metaKey ||
		    event.altKey)
			return;
		event.preventDefault();
		actions[event.key]();
	}

	// Selects the next task that is visible and matches, by its index.
	step(by) {
		const { tasks } = this.build;
		for (let k = 1; k <= tasks.n; k++) {
			const i = (Math.max(this.selected, 0) + by * k +
			    2 * tasks.n) % tasks.n;
			if (this.shown[i] && tasks.end[i] > this.from &&
			    tasks.start[i] < this.to) {
				this.select(i);
				return;
			}
		}
	}

	onDown(event) {
		if (event.button !== 0)
			return;
		this.dragFrom = { x: event.clientX, time: this.timeAt(event) };
		this.svg.setPointerCapture(event.pointerId);
	}

	onMove(event) {
		if (!this.dragFrom) {
			this.showTip(event);
			return;
		}
		const box = this.svg.getBoundingClientRect();
		const clamp = (x) => Math.min(Math.max(x - box.left,
		    this.gutter), this.gutter + this.plot);
		const a = clamp(this.dragFrom.x), b = clamp(event.clientX);
		this.band.setAttribute("x", Math.min(a, b));
		this.band.setAttribute("width", Math.abs(a - b));
		this.band.setAttribute("height", this.height);
	}

	onUp(event) {
		const start = this.dragFrom;
		if (!start)
			return;
		this.endDrag();
		if (Math.abs(event.clientX - start.x) < 5)
			this.select(this.taskAt(event));
		else
			this.setRange(Math.min(start.time, this.timeAt(event)),
			    Math.max(start.time, this.timeAt(event)));
	}

	endDrag() {
		this.dragFrom = null;
		this.band.setAttribute("width", 0);
	}

	// The interval of a lane at a time, give or take two pixels; -1: none.
	intervalAt(all, lane, time) {
		const near = 2 * this.scale();
		const end = all.first[lane + 1];
		let i = firstAfter(all, lane, time - near), best = -1;
		for (; i < end && all.start[i] < time + near; i++)
			if (best < 0 || all.start[i] <= time)
				best = i;
		return best;
	}

	rowAt(event) {
		const y = event.clientY - this.svg.getBoundingClientRect().top;
		return this.rows.find((r) => y >= r.y && y < r.y + r.h);
	}

	taskAt(event) {
		const row = this.rowAt(event), time = this.timeAt(event);
		if (!row)
			return this.stepAt(event, time);
		return this.intervalAt(this.build.tasks, row.lane, time);
	}

	stepAt(event, time) {
		const y = event.clientY - this.svg.getBoundingClientRect().top;
		const { tasks, steps } = this.build, near = 2 * this.scale();
		if (y < this.pathY || y >= this.pathY + PATH_ROW)
			return -1;
		const step = steps.find((s) =>
		    tasks.end[s.task] > time - near &&
		    tasks.start[s.task] < time + near);
		return step ? step.task : -1;
	}

	showTip(event) {
		const { tasks, merged } = this.build;
		const row = this.rowAt(event), i = this.taskAt(event);
		const m = row && i < 0 ? this.intervalAt(merged, row.lane,
		    this.timeAt(event)) : -1;
		let text = "";
		if (i >= 0)
			text = `${tasks.name[i]}\n` +
			    duration(tasks.end[i] - tasks.start[i]);
		else if (m >= 0)
			text = `${count(merged.count[m], "shorter task")}, ` +
			    duration(merged.busy[m]);
		if (this.tip.textContent !== text)
			this.tip.textContent = text;
	}

	// --- details

	showDetails() {
		const i = this.selected;
		this.details.replaceChildren();
		if (i < 0)
			return;
		const { tasks } = this.build;
		const head = make(this.details, "div", { class: "head" });
		make(head, "h3", {}, tasks.name[i]);
		button(head, "show", "zoom to it", () => this.show(i));
		button(head, "close", "", () => this.select(-1));
		const list = make(this.details, "dl", {});
		for (const [term, text] of this.describe(i)) {
			const pair = make(list, "div", {});
			make(pair, "dt", {}, term);
			make(pair, "dd", {}, text);
		}
	}

	describe(i) {
		const { tasks, types, attempts } = this.build;
		const group = tasks.group[i], step = tasks.step[i];
		const all = [
			["duration", duration(tasks.end[i] - tasks.start[i])],
			["start", duration(tasks.start[i])],
			["end", duration(tasks.end[i])],
			["kind", CLASSES[group.kind]],
			["rule", types[tasks.type[i]].name],
			[this.build.place, group.hostName],
			["lane", group.slots > group.n ? "" :
			    `${tasks.lane[i] - group.first + 1} of ${group.n}`],
			["id", tasks.id[i] === tasks.name[i] ? "" :
			    tasks.id[i]],
			["target", tasks.target[i]]
		];
		if (attempts.has(i))
			all.push(["attempt", `${attempts.get(i).number} of ` +
			    attempts.get(i).of]);
		if (step > 0)
			all.push(...this.describeStep(step));
		if (tasks.slack && tasks.slack[i] >= 0)
			all.push(["slack", duration(tasks.slack[i])]);
		if (tasks.flags[i] & FLAG_CACHED)
			all.push(["result", "from the cache"]);
		if (tasks.flags[i] & FLAG_FAILED)
			all.push(["result", "failed"]);
		return all.filter(([, text]) => text !== "");
	}

	describeStep(step) {
		const { steps } = this.build;
		const { waiting, saved } = steps[step - 1];
		return [
			["critical path", `step ${step} of ${steps.length}`],
			["waited before", waiting < 0 ? "" : duration(waiting)],
			["could save", saved < 0 ? "" : duration(saved)]
		];
	}

	// --- drawing

	redraw(isNewLayout) {
		this.needsLayout = this.needsLayout || isNewLayout;
		if (this.pending)
			return;
		this.pending = requestAnimationFrame(() => {
			this.pending = 0;
			if (this.needsLayout)
				this.layout();
			else
				this.drawAll();
		});
	}

	// The places of rows, which do not depend on the range of time.
	layout() {
		const host = this.chosen("host"), { groups } = this.build;
		const shown = groups.filter((g) => host < 0 || g.host === host);
		const n = shown.reduce((sum, g) => sum + g.n, 0);
		const width = Math.max(280, this.frame.clientWidth);
		const longest = Math.max(...shown.map((g) =>
		    columnsOf(g.name)), 13);
		this.needsLayout = false;
		this.gutter = Math.min(longest * CHAR_WIDTH + 12, 230,
		    width * 0.25);
		this.width = width;
		this.plot = width - this.gutter - 12;
		this.row = rowHeight(n);
		this.pathY = AXIS + STRIP + GAP;
		let y = this.pathY + (this.build.steps.length > 0 ?
		    PATH_ROW + GAP : 0);
		this.rows = [];
		this.bands = [];
		for (const group of shown) {
			const top = y;
			const h = group.kind > 0 && this.row > 9 ?
			    this.row / 2 : this.row;
			for (let k = 0; k < group.n; k++, y += h)
				this.rows.push({ lane: group.first + k, y, h,
				    slots: group.slots / group.n });
			y = Math.max(y, top + (this.row > 3 ? 12 : 0));
			this.bands.push({ group, y: top, h: y - top });
			y += this.row > 3 ? 4 : 1;
		}
		this.bottom = y;
		this.height = y + AXIS;
		this.drawAll();
	}

	x(time) {
		return this.gutter + (time - this.from) / this.scale();
	}

	drawAll() {
		this.svg.setAttribute("width", this.width);
		this.svg.setAttribute("height", this.height);
		this.content.replaceChildren();
		this.paths = new Map();
		this.texts = [];
		this.drawAxis();
		this.drawGroups();
		this.drawStrip();
		for (const row of this.rows)
			this.drawLane(row, row.lane);
		this.drawSteps();
		this.flush();
		this.showStatus();
	}

	showStatus() {
		const { nTasks, tasks, wall, range } = this.build;
		const parts = [this.from > 0 || this.to < range ?
		    `${duration(this.from)} to ${duration(this.to)} of ` +
		    duration(wall) : `the whole build, ${duration(wall)}`];
		if (this.found)
			parts.push(this.found);
		if (nTasks > tasks.n)
			parts.push("only the " +
			    count(tasks.n, "longest task") +
			    " can be searched; shorter ones are merged");
		this.status.textContent = parts.join(" \u00b7 ");
	}

	drawAxis() {
		const step = tickStep((this.to - this.from) /
		    Math.max(2, Math.min(10, this.plot / 80)));
		const [unit, us] = tickUnit(step, this.to);
		const right = this.gutter + this.plot;
		let d = "";
		for (let t = Math.ceil(this.from / step) * step; t <= this.to;
		    t += step) {
			const x = this.x(t);
			d += `M${x.toFixed(1)} ${AXIS - 4}V${this.bottom}`;
			const text = `${+(t / us).toFixed(6)} ${unit}`;
			const half = text.length * CHAR_WIDTH / 2;
			if (x - half < 0 || x + half > right + 12)
				continue;
			this.text(x, AXIS - 8, text, "tick");
			if (this.height > 700)
				this.text(x, this.bottom + 14, text, "tick");
		}
		draw(this.content, "path", { d, class: "grid" });
	}

	drawGroups() {
		let free = 0;
		for (const { group, y, h } of this.bands) {
			const middle = y + h / 2;
			if (this.row <= 3 && !group.isFirst)
				continue;
			draw(this.content, "path", { class: "rule",
			    d: `M0 ${(y - 2).toFixed(1)}H${this.width}` });
			if (middle - 6 < free)
				continue;
			free = middle + 6;
			const text = shortenedInMiddle(group.name,
			    this.gutter - 10);
			this.text(4, middle + 4, text,
			    group.isFirst ? "host" : "host minor");
		}
		this.text(4, AXIS + STRIP / 2 + 4,
		    shortenedInMiddle("running", this.gutter - 10), "host");
		if (this.build.steps.length > 0)
			this.text(4, this.pathY + 13, shortenedInMiddle(
			    "critical path", this.gutter - 10), "host");
	}

	// How much ran in each column of pixels, by color, one above the other.
	drawStrip() {
		const columns = Math.max(1, Math.floor(this.plot));
		const sums = Array.from({ length: N_COLORS },
		    () => new Float64Array(columns + 1));
		this.addRunning(sums, columns);
		const workers = this.bands.reduce((sum, { group }) => sum +
		    (group.kind > 0 ? 0 : group.slots), 0);
		const highest = Math.max(this.tallest(sums, columns), workers,
		    1);
		const base = AXIS + STRIP, unit = (STRIP - 8) / highest;
		const below = new Float64Array(columns);
		for (let c = 0; c < N_COLORS; c++) {
			let top = "", under = "";
			for (let k = 0; k < columns; k++) {
				const x = (this.gutter + k).toFixed(1);
				const low = base - below[k] * unit;
				below[k] += sums[c][k];
				const high = base - below[k] * unit;
				top += `H${x}V${high.toFixed(1)}`;
				under = `V${low.toFixed(1)}H${x}` + under;
			}
			const right = (this.gutter + columns).toFixed(1);
			draw(this.content, "path", { class: `area c${c}`,
			    d: `M${this.gutter.toFixed(1)} ${base}${top}` +
			    `H${right}${under}z` });
		}
		draw(this.content, "path", { class: "rule",
		    d: `M${this.gutter} ${base}h${this.plot}` });
		draw(this.content, "path", { class: "waiting",
		    d: `M${this.gutter} ${base - workers * unit}` +
		    `h${this.plot}` });
		this.text(this.gutter - 4, AXIS + 12, String(highest),
		    "tick most");
	}

	tallest(sums, columns) {
		let highest = 0;
		for (let k = 0; k < columns; k++) {
			let sum = 0;
			for (const list of sums)
				sum += list[k];
			highest = Math.max(highest, sum);
		}
		return highest;
	}

	addRunning(sums, columns) {
		const { tasks, merged } = this.build;
		const per = (this.to - this.from) / columns;
		const add = (all, share) => {
			for (const i of this.visible(all))
				this.addInterval(sums[all.color[i]],
				    (all.start[i] - this.from) / per,
				    (all.end[i] - this.from) / per,
				    columns, share(i));
		};
		add(tasks, (i) => this.shown[i]);
		if (!this.isSearched)
			add(merged, (i) => merged.busy[i] /
			    (merged.end[i] - merged.start[i] || 1));
	}

	// The intervals in the range of the lanes of workers.
	*visible(all) {
		for (const { group } of this.bands)
			for (let lane = group.first; group.kind === 0 &&
			    lane < group.first + group.n; lane++)
				yield* this.inLane(all, lane);
	}

	*inLane(all, lane) {
		for (let i = firstAfter(all, lane, this.from);
		    i < all.first[lane + 1] && all.start[i] < this.to; i++)
			yield i;
	}

	addInterval(list, from, to, columns, share) {
		const end = Math.min(to, columns);
		if (share === 0)
			return;
		for (let at = Math.max(from, 0); at < end;) {
			const k = Math.floor(at), next = Math.min(k + 1, end);
			list[k] += (next - at) * share;
			at = next;
		}
	}

	// Adds to the path of all bars that look alike.
	bar(style, x, y, w, h) {
		const d = `M${x.toFixed(1)} ${y.toFixed(1)}h${w.toFixed(1)}` +
		    `v${h}h${(-w).toFixed(1)}z`;
		this.paths.set(style, (this.paths.get(style) || "") + d);
	}

	text(x, y, text, style) {
		this.texts.push([{ x: x.toFixed(1), y: y.toFixed(1),
		    class: style }, text]);
	}

	flush() {
		const order = [...this.paths.keys()].sort((a, b) =>
		    this.rank(a) - this.rank(b) || (a < b ? -1 : 1));
		for (const style of order) {
			const path = draw(this.content, "path", {
			    class: style, d: this.paths.get(style) });
			if (style.startsWith("failed"))
				path.style.fill = `url(#failed${this.number})`;
		}
		for (const [attributes, text] of this.texts)
			draw(this.content, "text", attributes, text);
	}

	// What is drawn later, above the rest.
	rank(style) {
		return ["failed", "crit", "under", "sel"].findIndex((s) =>
		    style.startsWith(s));
	}

	drawLane(row, lane) {
		const h = row.h > 6 ? row.h - 2 : row.h > 1 ? row.h - 0.5 : 1;
		const { merged } = this.build;
		for (const i of this.inLane(merged, lane))
			this.drawCluster(row.y, h, merged.start[i],
			    merged.end[i], merged.busy[i] / row.slots,
			    merged.color[i], !this.isSearched);
		this.drawTasks(row, lane, h);
	}

	drawCluster(y, h, start, end, busy, color, isShown) {
		const left = Math.max(this.x(start), this.gutter);
		const right = Math.min(this.x(end), this.gutter + this.plot);
		const share = Math.min(Math.ceil(busy / (end - start || 1) * 3),
		    3) || 1;
		if (right > left)
			this.bar(`merged c${color} s${share}` +
			    (isShown ? "" : " dim"), left, y,
			    Math.max(right - left, 0.3), h);
	}

	// Tasks narrower than half a pixel are merged with their neighbors.
	drawTasks(row, lane, h) {
		const { tasks } = this.build, least = this.scale() / 2;
		let open = null;
		const close = () => {
			if (open)
				this.drawCluster(row.y, h, open.start,
				    Math.max(open.end, open.start + least),
				    open.busy / row.slots, open.color,
				    open.isShown);
			open = null;
		};
		for (const i of this.inLane(tasks, lane)) {
			const length = tasks.end[i] - tasks.start[i];
			if (length >= least || this.isMarked(i)) {
				this.drawTask(i, row, h);
				continue;
			}
			if (open && tasks.start[i] - open.end > least)
				close();
			open = open || { start: tasks.start[i], busy: 0,
			    color: tasks.color[i], isShown: false };
			open.end = tasks.end[i];
			open.busy += length;
			open.isShown = open.isShown || this.shown[i] === 1;
		}
		close();
	}

	isMarked(i) {
		const { tasks } = this.build;
		return tasks.step[i] > 0 || i === this.selected ||
		    (tasks.flags[i] & FLAG_FAILED) !== 0 ||
		    (this.isFiltered && this.shown[i] === 1);
	}

	drawTask(i, row, h) {
		const { tasks } = this.build;
		const left = Math.max(this.x(tasks.start[i]), this.gutter);
		const right = Math.min(this.x(row.until || tasks.end[i]),
		    this.gutter + this.plot);
		const w = Math.max(right - left, this.isMarked(i) ? 2 : 0.5);
		const isFailed = (tasks.flags[i] & FLAG_FAILED) !== 0;
		this.bar((isFailed ? "failed" : `task c${tasks.color[i]}`) +
		    (w >= 3 && h > 3 ? " wide" : "") +
		    (this.shown[i] ? "" : " dim"), left, row.y, w, h);
		if (tasks.step[i] > 0) {
			if (!row.isPath)
				this.bar("crit" + (this.shown[i] ? "" : " dim"),
				    left, row.y, w, h);
			if (h > 3)
				this.bar("under", left, row.y + h - 1, w, 2);
		}
		if (i === this.selected)
			this.bar("sel", left, row.y, w, h);
		if (h > 12)
			this.label(i, left, row.y + 12, w);
		else if (i === this.selected && !row.isPath)
			this.labelBeside(i, left, row.y + h / 2 + 4, w);
	}

	label(i, left, y, w) {
		const { tasks } = this.build;
		const text = w > 24 ? fitted(tasks.name[i], w - 8) : "";
		if (text !== "")
			this.text(left + 4, y, text, "label" +
			    (this.shown[i] ? "" : " dim") +
			    (tasks.flags[i] & FLAG_FAILED ? " paper" :
			    ` on${tasks.color[i]}`));
	}

	// Rows that are too low for names still show that of the selected task.
	labelBeside(i, left, y, w) {
		const name = this.build.tasks.name[i];
		const room = Math.max(left - this.gutter,
		    this.gutter + this.plot - left - w) - 12;
		const text = fitted(name, room);
		const x = left + w + room < this.gutter + this.plot ?
		    left + w + 5 : left - 5 - columnsOf(text) * CHAR_WIDTH;
		if (text !== "")
			this.text(x, y, text, "label paper");
	}

	drawSteps() {
		const { tasks, steps } = this.build, right = this.gutter +
		    this.plot;
		let before = 0;
		for (const [k, { task, waiting }] of steps.entries()) {
			const next = steps[k + 1];
			const until = next ? Math.min(tasks.end[task],
			    tasks.start[next.task]) : tasks.end[task];
			const start = tasks.start[task];
			const from = Math.max(this.x(before), this.gutter);
			const to = Math.min(this.x(start), right);
			if (waiting > 0 && to > from + 1)
				draw(this.content, "path", { class: "waiting",
				    d: `M${from.toFixed(1)} ${this.pathY + 8}` +
				    `H${to.toFixed(1)}` });
			if (until > this.from && start < this.to)
				this.drawTask(task, { y: this.pathY, until,
				    isPath: true }, PATH_ROW - 4);
			before = Math.max(before, tasks.end[task]);
		}
	}
}

document.querySelectorAll("section").forEach((section, k) => {
	const data = section.querySelector("script").textContent;
	new View(section, k + 1, readBuild(JSON.parse(data)));
});
document.querySelector("figure").remove();
})();
