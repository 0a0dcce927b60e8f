// pages.mjs FOLDER FILE NAME - checks a timeline's page in a browser
//
// FOLDER has the npm packages.  FILE is opened at three widths, in light and
// dark, and without scripts; screenshots are stored as FILE-WIDTH-SCHEME.png.
// No text may overlap another or leave the picture; there may be no error and
// no request, and nothing in the names may become an element.  Search must find
// the task NAME, and zoom must show its name.  Complaints are printed and make
// the exit status 1.

import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { misplaced } from './places.mjs';

const [folder, file, name] = process.argv.slice(2);
const require = createRequire(join(resolve(folder), '/'));
const { chromium } = require('playwright-core');
const url = pathToFileURL(resolve(file)).href;
const complaints = [];

function check(holds, complaint) {
	if (!holds)
		complaints.push(complaint);
}

// Elements that neither the page nor its script makes.  Runs in the browser.
function foreign() {
	return [...document.querySelectorAll('img, a, b, iframe, object, ' +
	    'foreignObject, [onerror], [onload], script[src]')]
	    .map((e) => `foreign element: ${e.outerHTML.slice(0, 80)}`);
}

async function check_places(page, when) {
	for (const complaint of await page.evaluate(misplaced))
		check(false, `${when}: ${complaint}`);
	check(await page.evaluate(() =>
	    document.documentElement.scrollWidth <= innerWidth),
	    `${when}: the page is wider than the window`);
	for (const complaint of await page.evaluate(foreign))
		check(false, `${when}: ${complaint}`);
}

async function open(browser, options, when) {
	const page = await browser.newPage(options);

	page.on('pageerror', (e) => check(false, `${when}: ${e.message}`));
	page.on('console', (m) => check(m.type() !== 'error' ||
	    options.javaScriptEnabled === false, `${when}: ${m.text()}`));
	page.on('request', (r) => check(r.url().split('#')[0] === url,
	    'asks for ' + r.url()));
	page.on('dialog', (d) => {
		check(false, 'a dialog: ' + d.message());
		d.dismiss();
	});
	await page.goto(url);
	await page.waitForTimeout(200);
	await check_places(page, when);
	return page;
}

async function check_search(page) {
	const input = page.locator('input[type=search]').first();
	const status = page.locator('.status').first();
	const hits = (await page.locator('.status').allTextContents());

	check(hits.every((text) => text.startsWith('the whole build')),
	    `status: ${hits}`);
	await input.fill(name);
	await page.waitForTimeout(100);
	const found = /(\d[\d,]*) tasks? found/.exec(
	    await status.textContent());
	check(found && found[1] !== '0', `${name} is not found`);
	await input.press('Enter');
	await page.waitForTimeout(300);
	check((await page.locator('.details h3').first().textContent())
	    .includes(name), 'the details do not have the name');
	const labels = await page.locator('.lanes .label').allTextContents();
	check(labels.some((text) => text.includes(name)),
	    `zoom does not show ${name}, but ${labels}`);
	await check_places(page, 'zoomed');
	await page.screenshot({ path: `${file}-zoomed.png` });
	await input.fill('/(/');
	check(await status.textContent() === 'not a regular expression',
	    'a wrong regular expression is accepted');
	await input.fill('');
}

// The picture is usable by keyboard alone, and the range is in the address.
async function check_keys(page) {
	const status = page.locator('.status').first();

	await page.locator('svg.lanes').first().focus();
	await page.keyboard.press('0');
	await page.keyboard.press('+');
	await page.waitForTimeout(400);
	const part = await status.textContent();
	check(/ to .* of /.test(part), `+ does not zoom: ${part}`);
	check(/#1:\d+-\d+$/.test(page.url()), `no range in ${page.url()}`);
	await page.reload();
	await page.waitForTimeout(200);
	check(await status.textContent() === part, 'the range is forgotten');
	await page.locator('svg.lanes').first().focus();
	await page.keyboard.press('0');
	await page.keyboard.press('ArrowDown');
	await page.waitForTimeout(400);
	check(await page.locator('.details h3').first().textContent() !== '',
	    'no key selects a task');
	await page.keyboard.press('Escape');
}

async function check_mouse(page) {
	const box = await page.locator('svg.lanes').first().boundingBox();
	const y = box.y + 60, status = page.locator('.status').first();

	await page.mouse.move(box.x + box.width * 0.5, y);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.75, y);
	await page.mouse.up();
	await page.waitForTimeout(100);
	check(/ to .* of /.test(await status.textContent()),
	    'dragging does not select a range');
	await check_places(page, 'a range');
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM });
try {
	for (const width of [400, 800, 1600])
		for (const colorScheme of ['light', 'dark']) {
			const viewport = { width, height: 800 };
			const when = `${width} ${colorScheme}`;
			const page = await open(browser, { colorScheme,
			    viewport }, when);
			await page.screenshot({
			    path: `${file}-${width}-${colorScheme}.png` });
			if (width === 1600 && colorScheme === 'light') {
				await check_search(page);
				await check_keys(page);
				await check_mouse(page);
			}
			await page.close();
		}
	const page = await open(browser, { javaScriptEnabled: false,
	    viewport: { width: 1200, height: 800 } }, 'without script');
	check(await page.locator('figure svg rect').count() > 0,
	    'there is no picture without script');
	await page.screenshot({ path: `${file}-still.png` });
} catch (e) {
	complaints.push(e.message);
} finally {
	await browser.close();
}
for (const complaint of complaints)
	console.error(`${basename(file)}: ${complaint}`);
if (complaints.length === 0)
	console.log(`${basename(file)}: no text overlaps, ${name} is found`);
process.exitCode = complaints.length > 0 ? 1 : 0;
