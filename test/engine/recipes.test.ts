import { setGlobalState } from 'n8n-workflow';

import { startEmulator, type Emulator } from '../../sandbox/emulator';
import { expectContract, newWorkflowId } from './harness';
import { came, OnceScene, send, withOnce } from './once';

/* Recipes of docs/sending.md, with the expressions that the page shows, on n8n's own engine. */

let service: Emulator;
let scene: OnceScene;
let clock: jest.SpyInstance<number>;

const now = Date.now.bind(Date);

/** From now on it is this time; the clock keeps running. */
function travelTo(time: string): void {
	const offset = Date.parse(time) - now();
	clock.mockImplementation(() => now() + offset);
}

beforeEach(async () => {
	clock = jest.spyOn(Date, 'now');
	setGlobalState({ defaultTimezone: 'Europe/Moscow' });
	service = await startEmulator();
	scene = new OnceScene(service);
});

afterEach(async () => {
	clock.mockRestore();
	expectContract(service);
	await service.stop();
});

describe('at most one promotion a week for each person', () => {
	const weekly = { ...send, ...withOnce(`={{ $now.toFormat("'promo' kkkk-'W'WW") }}`) };

	/** Sends a promotion at a time. @returns what came of it */
	async function promote(time: string, items = people, workflowId = scene.workflowId) {
		travelTo(time);
		const promotion = items.map((item) => ({ ...item, text: `Акция, ${time}` }));
		const [outcome, ...others] = came(await scene.run({ parameters: weekly, items: promotion, workflowId }));
		expect(others.filter((other) => other !== outcome)).toEqual([]);
		return outcome;
	}

	let people: ReturnType<OnceScene['letters']>;

	beforeEach(() => {
		people = scene.letters(2);
	});

	test('a second promotion in the same week skips everybody who got the first, and reaches the others', async () => {
		expect(await promote('2026-11-23T00:01:00+03:00')).toBe('sent');
		expect(await promote('2026-11-29T23:59:00+03:00')).toBe('skipped');
		expect(await promote('2026-11-29T23:59:30+03:00', scene.letters(1))).toBe('sent');
		expect(await promote('2026-11-30T00:01:00+03:00')).toBe('sent');
		expect(scene.howOften(people)).toEqual([2, 2]);
	});

	test('the week that contains the turn of the year is one week', async () => {
		expect(await promote('2026-12-28T10:00:00+03:00')).toBe('sent');
		expect(await promote('2026-12-31T23:59:00+03:00')).toBe('skipped');
		expect(await promote('2027-01-01T00:01:00+03:00')).toBe('skipped');
		expect(await promote('2027-01-03T23:59:00+03:00')).toBe('skipped');
		expect(await promote('2027-01-04T00:01:00+03:00')).toBe('sent');
		// One year later the number of the week is the same, and the year is not.
		expect(await promote('2028-01-03T10:00:00+03:00')).toBe('sent');
	});

	test("the week begins on Monday in n8n's time zone", async () => {
		expect(await promote('2026-11-29T12:00:00+03:00')).toBe('sent');
		setGlobalState({ defaultTimezone: 'America/New_York' });
		expect(await promote('2026-11-30T00:01:00+03:00')).toBe('skipped');
		setGlobalState({ defaultTimezone: 'Europe/Moscow' });
		expect(await promote('2026-11-30T00:01:00+03:00')).toBe('sent');
	});

	test('promotions of two workflows do not know about each other', async () => {
		expect(await promote('2026-11-23T10:00:00+03:00')).toBe('sent');
		expect(await promote('2026-11-23T10:00:00+03:00', people, newWorkflowId())).toBe('sent');
	});
});
