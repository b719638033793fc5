import fc from 'fast-check';

import { histories } from './history';
import { perform } from './perform';
import { broken } from './promises';
import { useFastTime } from './fastTime';

/*
 * Broadcasts that nobody wrote down. A history that breaks a promise is shown with its seed, after it was made as short as possible; with
 * that TEST_SEED it is generated again.
 */

useFastTime();

/** Histories that are performed at the same time: most of their time is waiting. */
const LANES = 6;
const EACH = Number(process.env.HISTORIES ?? 60);

test('every history keeps the promises (generated)', async () => {
	const property = fc.asyncProperty(histories, async (history) => {
		await perform(history, (scene) => expect(broken(scene)).toEqual([]));
	});
	const lanes = Array.from({ length: LANES }, async (_, lane) => {
		const { seed = 0 } = fc.readConfigureGlobal() ?? {};
		await fc.assert(property, { numRuns: EACH, seed: seed + lane });
	});
	// A lane that has found something shortens it, and the others end meanwhile.
	const ended = await Promise.allSettled(lanes);
	for (const each of ended) if (each.status === 'rejected') throw each.reason;
}, 7_200_000);
