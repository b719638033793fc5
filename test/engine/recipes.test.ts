import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { setGlobalState } from 'n8n-workflow';

import { projectFolder } from '../../sandbox/host';
import { newWorkflowId } from './harness';
import { came, onceSideBySide, send, withOnce, type OnceScene } from './once';

/* Recipes of docs/sending.md, with the expressions that the page shows, on n8n's own engine. */

beforeAll(() => setGlobalState({ defaultTimezone: 'Europe/Moscow' }));

describe('at most one promotion a week for each person', () => {
	const test = onceSideBySide();

	const [recipe] = /\{\{[^}]*\$now[^}]*\}\}/.exec(
		readFileSync(join(projectFolder, 'docs/sending.md'), 'utf8'),
	) as unknown as [string];
	/** @param time replaces `$now`: no test can change the clock of an isolate, in which some engines evaluate expressions */
	const onceAWeek = (time = '$now') => ({ ...send, ...withOnce(`=${recipe.replace('$now', () => time)}`) });
	const atTimeOfItem = onceAWeek('DateTime.fromISO($json.at)');

	/** @returns a function that sends a promotion to these people at a time, and returns the different outcomes */
	const promotionsTo =
		(scene: OnceScene, people: ReturnType<OnceScene['letters']>) =>
		async (at: string, workflowId = scene.workflowId) => {
			const items = people.map((person) => ({ ...person, at, text: `Акция, ${at}` }));
			const outcomes = new Set(came(await scene.run({ parameters: atTimeOfItem, items, workflowId })));
			return [...outcomes].join(', ');
		};

	test('a second promotion in the same week skips everybody who got the first, and reaches the others', async (scene) => {
		const people = scene.letters(2);
		const promote = promotionsTo(scene, people);
		expect(await promote('2026-11-23T00:01:00+03:00')).toBe('sent');
		expect(await promote('2026-11-29T23:59:00+03:00')).toBe('skipped');
		expect(await promotionsTo(scene, scene.letters(1))('2026-11-29T23:59:30+03:00')).toBe('sent');
		expect(await promote('2026-11-30T00:01:00+03:00')).toBe('sent');
		expect(scene.howOften(people)).toEqual([2, 2]);
	});

	test('the week that contains the turn of the year is one week', async (scene) => {
		const promote = promotionsTo(scene, scene.letters(2));
		expect(await promote('2026-12-28T10:00:00+03:00')).toBe('sent');
		expect(await promote('2026-12-31T23:59:00+03:00')).toBe('skipped');
		expect(await promote('2027-01-01T00:01:00+03:00')).toBe('skipped');
		expect(await promote('2027-01-03T23:59:00+03:00')).toBe('skipped');
		expect(await promote('2027-01-04T00:01:00+03:00')).toBe('sent');
		// One year later the number of the week is the same, and the year is not.
		expect(await promote('2028-01-03T10:00:00+03:00')).toBe('sent');
	});

	test("the week begins on Monday in n8n's time zone", async (scene) => {
		const promote = promotionsTo(scene, scene.letters(2));
		expect(await promote('2026-11-29T12:00:00+03:00')).toBe('sent');
		// In Moscow it is Sunday, in Vladivostok Monday.
		expect(await promote('2026-11-30T00:01:00+10:00')).toBe('skipped');
		expect(await promote('2026-11-29T21:01:00Z')).toBe('sent');
	});

	test('promotions of two workflows do not know about each other', async (scene) => {
		const promote = promotionsTo(scene, scene.letters(2));
		expect(await promote('2026-11-23T10:00:00+03:00')).toBe('sent');
		expect(await promote('2026-11-23T10:00:00+03:00', newWorkflowId())).toBe('sent');
	});

	test('$now is a time in this week', async ({ run, letters }) => {
		const items = letters(1);
		const weeks = [weekInMoscow()];
		expect(came(await run({ parameters: onceAWeek(), items }))).toEqual(['sent']);
		weeks.push(weekInMoscow());
		const again = await Promise.all(
			weeks.map(async (value) => came(await run({ parameters: { ...send, ...withOnce(value) }, items }))),
		);
		expect(again.flat()).toContain('skipped');
	});
});

/** The value of the recipe now: a week belongs to the year of its Thursday. */
function weekInMoscow(): string {
	const day = new Date(Date.now() + 3 * 3_600_000);
	day.setUTCDate(day.getUTCDate() + 4 - (day.getUTCDay() || 7));
	const year = day.getUTCFullYear();
	const week = Math.ceil(((day.getTime() - Date.UTC(year, 0, 1)) / 86_400_000 + 1) / 7);
	return `promotion ${year}-${String(week).padStart(2, '0')}`;
}
