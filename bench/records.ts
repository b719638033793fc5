/* What `npm run bench -- n8n` measures on a whole n8n. The tests that measure it keep their figures in results.json. */

import type { Conditions } from './conditions';
import { save } from './results';

interface Kind {
	title: string;
	/** The processes, and what they do. */
	setUp: string;
	/** What measures it: a file of test/e2e/nightly, or n8n's store. */
	suite: 'everybody-else' | 'queue-mode' | 'queue-mode-killed' | 'store';
}

const inQueueMode =
	'n8n in queue mode: one main process, two workers, Redis and PostgreSQL, all on one machine.';
const sharing = `${inQueueMode} Four broadcasts with one account, two in each worker, and an emulator that allows 2 requests per second.`;
const store =
	'The calls of n8n’s deduplication that the node makes: add the entries of four recipients, and remove most of them. Nothing else uses the database.';

export const kinds = {
	others: {
		title: 'Other work during a large run',
		setUp:
			'n8n in one process with SQLite. 10,000 messages with four expressions are read, checked and sent without a limit. Meanwhile, n8n’s health check and another workflow are called four times a second.',
		suite: 'everybody-else',
	},
	workersSet: { title: 'Two workers, ‘Workers’ set to 2', setUp: sharing, suite: 'queue-mode' },
	workersLeft: { title: 'Two workers, ‘Workers’ left at 1', setUp: sharing, suite: 'queue-mode' },
	job: {
		title: 'A worker keeps its job',
		setUp: `${inQueueMode} One execution sends 10,000 messages at 20 per second, and a worker that does not renew its lock on a job in time loses it. Then the execution is stopped.`,
		suite: 'queue-mode-killed',
	},
	killed: {
		title: 'A worker is killed',
		setUp: `${inQueueMode} Two broadcasts to 300 people each, with Send Once Per, at 20 messages per second. The worker is killed, and the broadcasts are started again. The output of the node names everybody in doubt.`,
		suite: 'queue-mode-killed',
	},
	together: {
		title: 'The same people, two executions at the same moment',
		setUp: `${inQueueMode} Two executions in different workers send to the same people with Send Once Per: without a limit, and at 20 messages per second.`,
		suite: 'queue-mode',
	},
	orders: {
		title: 'An execution for each order, all at the same moment',
		setUp: `${inQueueMode} The executions start together, each with one message and Send Once Per, in both workers. Then all of them start again.`,
		suite: 'queue-mode',
	},
	single: {
		title: 'A single message',
		setUp: `${inQueueMode} From the request to a webhook to its answer, which follows the message.`,
		suite: 'queue-mode',
	},
	sqlite: { title: 'n8n’s store in SQLite', setUp: store, suite: 'store' },
	postgres: { title: 'n8n’s store in PostgreSQL', setUp: store, suite: 'store' },
} satisfies Record<string, Kind>;

export type RecordName = keyof typeof kinds;

/** What each figure means. */
export const meanings = {
	messages: 'messages',
	people: 'people',
	orders: 'orders',
	share: 'share of the limit, while both workers send',
	refused: 'requests refused, and then repeated',
	givenUp: 'messages given up',
	lost: 'people without a message, and not in doubt',
	doubled: 'people with two messages',
	inDoubt: 'people in doubt, for each execution',
	skipped: 'orders skipped in the second round',
	healthMs: 'longest wait for /healthz, ms',
	workflowMs: 'longest wait for the answer of the other workflow, ms',
	wallMs: 'duration, ms',
	lockMs: 'duration of the lock, ms',
	keptMs: 'time for which the worker kept the job, ms',
	sent: 'messages sent in this time',
	stopMs: 'from *Stop* to the end in the worker, ms',
	late: 'messages sent afterwards',
	withoutMs: 'without Send Once Per, ms',
	withMs: 'with Send Once Per, ms',
	ms1000: '1,000 recipients stored: one call, ms',
	ms10000: '10,000 recipients stored: one call, ms',
	ms50000: '50,000 recipients stored: one call, ms',
	ms100000: '100,000 recipients stored: one call, ms',
};

export type RecordFigures = Partial<Record<keyof typeof meanings, number | number[]>>;

/** The variable with the conditions, which the command that measures passes to its processes. Without it, tests keep nothing. */
export const VARIABLE = 'RECORDS';

/** Keeps the figures of a measurement when records are asked for. */
export function keep(name: RecordName, figures: RecordFigures): void {
	const conditions = process.env[VARIABLE];
	if (!conditions) return;
	const values = Object.entries(figures).map(([key, value]) => [
		key,
		[value].flat().map((each) => Number(each.toFixed(3))),
	]);
	const record = { ...(JSON.parse(conditions) as Conditions), figures: Object.fromEntries(values) };
	save({ records: { [name]: record } });
}
