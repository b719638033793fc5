import { setTimeout as sleep } from 'node:timers/promises';

import { startEmulator, type Emulator } from '../../sandbox/emulator';
import { expectContract } from './harness';

/*
 * Tests that start at the same time. Waiting needs no processor, and a test that waits for the confirmation of a claim, or for a
 * second process after the first has died, does little else.
 */

/** The values of a test's table row, as arguments. */
type Values<Row> = Row extends unknown[] ? Row : [Row];

/** The timeout. The first test waits for all tests that run at the same time. */
const patienceMs = 120_000;

type Body<Given extends unknown[]> = (...given: Given) => Promise<void>;

/**
 * The tests of a `describe`, which all start with the first one. Each is reported separately, and has its own emulator and other
 * resources.
 *
 * @param sceneFor creates the argument of a test from its emulator
 * @param betweenMs pause after the start of a test; longer if each test keeps the processor busy for some time
 * @returns the replacement for jest's `test`
 */
export function sideBySide<Scene>(sceneFor: (service: Emulator) => Scene, betweenMs = 30) {
	const bodies: Array<Body<[Scene]>> = [];
	let running: Array<Promise<void>> = [];

	let starting: Promise<unknown> = Promise.resolve();

	/** Each test starts after the previous one has started, because busy tests delay the others. */
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
		// The test that failed reports its own error.
		for (const each of running) each.catch(() => {});
	});

	const place = (body: Body<[Scene]>) => bodies.push(body) - 1;

	const beside = (title: string, body: Body<[Scene]>, timeout = patienceMs) => {
		const mine = place(body);
		test(title, async () => await running[mine], timeout);
	};

	/** Like jest's `test.each`, with the scene before the values of a row. */
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
