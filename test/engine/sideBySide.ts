import { setTimeout as sleep } from 'node:timers/promises';

import { startEmulator, type Emulator } from '../../sandbox/emulator';
import { expectContract } from './harness';

/*
 * Tests that start together. Waiting takes no processor, and where a claim waits to be confirmed, or a second process for one that
 * has died, a test does little else.
 */

/** What a test gets of a row of its table. */
type Values<Row> = Row extends unknown[] ? Row : [Row];

/** The first test waits for all that goes on beside it. */
const patienceMs = 120_000;

type Body<Given extends unknown[]> = (...given: Given) => Promise<void>;

/**
 * The tests of a `describe`, all of which start with the first. Each is reported by itself, and has an emulator of the service and
 * whatever else it needs for itself.
 *
 * @param sceneFor what a test gets for its emulator
 * @param betweenMs pause after a test has started, longer where each keeps the processor busy for some time
 * @returns what takes the place of jest's `test` there
 */
export function sideBySide<Scene>(sceneFor: (service: Emulator) => Scene, betweenMs = 30) {
	const bodies: Array<Body<[Scene]>> = [];
	let running: Array<Promise<void>> = [];

	let starting: Promise<unknown> = Promise.resolve();

	/** Each starts when the one before has, since tests that keep the processor busy hold up what others wait for. */
	const perform = async (body: Body<[Scene]>) => {
		const started = starting.then(async () => await startEmulator());
		starting = started.then(async () => await sleep(betweenMs));
		const service = await started;
		try {
			await body(sceneFor(service));
			expectContract(service);
		} finally {
			await service.stop();
		}
	};

	beforeAll(() => {
		running = bodies.map(perform);
		// Which one has failed is told by its test.
		for (const each of running) each.catch(() => {});
	});

	const place = (body: Body<[Scene]>) => bodies.push(body) - 1;

	const beside = (title: string, body: Body<[Scene]>, timeout = patienceMs) => {
		const mine = place(body);
		test(title, async () => await running[mine], timeout);
	};

	/** As jest's, with the scene before the values of a row. */
	beside.each =
		<Row>(rows: readonly Row[]) =>
		(title: string, body: Body<[Scene, ...Values<Row>]>, timeout = patienceMs) => {
			const placed = rows.map((row) => {
				const values = (Array.isArray(row) ? row : [row]) as Values<Row>;
				return [...values, place(async (scene) => await body(scene, ...values))];
			});
			test.each(placed)(title, async (...row) => await running[row.at(-1) as number], timeout);
		};

	return beside;
}
