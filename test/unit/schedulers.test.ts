import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { schedulerOf } from '../../nodes/ChatbotService/client/pace/schedulers';
import { passTime, useVirtualTime } from '../virtualTime';

/* How long a process remembers an account. An n8n with many users meets many. */

useVirtualTime();

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const minute = 60_000;

/** How many of these objects are in memory after garbage collection. */
async function left(references: Array<WeakRef<object>>): Promise<number> {
	await new Promise((resolve) => setImmediate(resolve));
	collect();
	return references.filter((each) => each.deref() !== undefined).length;
}

test('Accounts that no run has used for an hour are forgotten when another is used', async () => {
	const accounts = Array.from({ length: 100 }, (_, index) => new WeakRef(schedulerOf(`account ${index}`)));
	await passTime(59 * minute);
	schedulerOf('another');
	expect(await left(accounts)).toBe(100);
	await passTime(61 * minute);
	schedulerOf('another');
	expect(await left(accounts)).toBe(0);
});

test('An account whose requests wait longer is not forgotten, so its limits hold', async () => {
	const everyTwoHours = { account: { count: 1, windowMs: 120 * minute } };
	const scheduler = schedulerOf('slow');
	scheduler.use({ limits: everyTwoHours, workers: 1, bursts: false });
	const request = { sender: {}, limits: {}, behind: 0 };
	await scheduler.slot(request);
	const second = scheduler.slot(request);
	await passTime(90 * minute);
	expect(schedulerOf('slow')).toBe(scheduler);
	await passTime();
	await second;
});
