/*
 * What was measured on a whole n8n. The tests that measure it keep their figures in records.json when `npm run bench -- n8n` runs
 * them; records.md is written from it.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import markdownTable from 'markdown-table';

import { asJson } from './json';
import { describeMachine, type Busy, type Machine } from './machine';
import { today } from './row';
import { storeSizes } from './store/sizes';
import { busyText, machineText, write } from './write';

interface Kind {
	title: string;
	/** The processes, and what they do. */
	setUp: string;
	/** What measures it: a file of test/e2e/nightly, or n8n's store. */
	suite: 'everybody-else' | 'queue-mode' | 'queue-mode-killed' | 'store';
	/** What each figure means. */
	figures: Record<string, string>;
}

const inQueueMode =
	'n8n in queue mode: one main process, two workers, Redis and PostgreSQL, all on one machine.';
const storeFigures = (database: string) =>
	Object.fromEntries(
		storeSizes.map((size) => [`ms${size}`, `ms for one call, ${size} recipients stored, ${database}`]),
	);
const store =
	'The calls of n8n’s deduplication that the node makes: add the entries of four recipients, and remove most of them. Nothing else uses the database.';
const sharing = `${inQueueMode} Four broadcasts with one account, two in each worker, and an emulator that allows 2 requests per second.`;
const shareFigures = {
	messages: 'messages',
	share: 'share of the limit, while both workers send',
	refused: 'requests refused, and then repeated',
	lost: 'messages lost',
	doubled: 'messages delivered more than once',
	givenUp: 'messages given up',
};

export const kinds = {
	others: {
		title: 'Other work during a large run',
		setUp:
			'n8n in one process with SQLite. 10,000 messages with four expressions are read, checked and sent without a limit. Meanwhile, n8n’s health check and another workflow are called four times a second.',
		suite: 'everybody-else',
		figures: {
			messages: 'messages',
			healthMs: 'longest wait for /healthz, ms',
			workflowMs: 'longest wait for the answer of the other workflow, ms',
			wallMs: 'duration, ms',
		},
	},
	workersSet: {
		title: 'Two workers, ‘Workers’ set to 2',
		setUp: sharing,
		suite: 'queue-mode',
		figures: shareFigures,
	},
	workersLeft: {
		title: 'Two workers, ‘Workers’ left at 1',
		setUp: sharing,
		suite: 'queue-mode',
		figures: shareFigures,
	},
	job: {
		title: 'A worker keeps its job',
		setUp: `${inQueueMode} One execution sends 10,000 messages at 20 per second, and a worker that does not renew its lock on a job in time loses it.`,
		suite: 'queue-mode-killed',
		figures: {
			lockMs: 'duration of the lock, ms',
			keptMs: 'time for which the worker kept the job, ms; then it is stopped',
			sent: 'messages sent in this time',
			stopMs: 'from *Stop* to the end in the worker, ms',
			late: 'messages sent afterwards',
		},
	},
	killed: {
		title: 'A worker is killed',
		setUp: `${inQueueMode} Two broadcasts to 300 people each, with Send Once Per, at 20 messages per second. The worker is killed, and the broadcasts are started again.`,
		suite: 'queue-mode-killed',
		figures: {
			inDoubt: 'people in doubt, for each broadcast',
			doubled: 'people with two messages',
			lost: 'people without a message who are not named as in doubt',
		},
	},
	together: {
		title: 'The same people, two executions at the same moment',
		setUp: `${inQueueMode} Two executions in different workers send to the same 100 people with Send Once Per: without a limit, and at 20 messages per second.`,
		suite: 'queue-mode',
		figures: {
			people: 'people',
			doubled: 'people with two messages',
			lost: 'people without a message',
			inDoubt: 'people in doubt',
		},
	},
	orders: {
		title: 'An execution for each order, all at the same moment',
		setUp: `${inQueueMode} 60 executions start together, each with one message and Send Once Per, in both workers. Then all of them start again.`,
		suite: 'queue-mode',
		figures: {
			orders: 'orders',
			doubled: 'people with two messages',
			lost: 'people without a message',
			skipped: 'skipped in the second round',
			inDoubt: 'in doubt in the second round',
		},
	},
	single: {
		title: 'A single message',
		setUp: `${inQueueMode} From the request to a webhook to its answer, which follows the message.`,
		suite: 'queue-mode',
		figures: {
			withoutMs: 'without Send Once Per, ms',
			withMs: 'with Send Once Per, ms',
		},
	},
	sqlite: {
		title: 'n8n’s store in SQLite',
		setUp: store,
		suite: 'store',
		figures: storeFigures('SQLite'),
	},
	postgres: {
		title: 'n8n’s store in PostgreSQL',
		setUp: store,
		suite: 'store',
		figures: storeFigures('PostgreSQL'),
	},
} satisfies Record<string, Kind>;

export type RecordName = keyof typeof kinds;

/** The conditions of the measurement, which the command that measures passes to its processes. */
export interface Conditions {
	mark: string;
	busy: Busy;
}

export interface Kept extends Conditions {
	date: string;
	machine: Machine;
	/** Several values if it was measured several times. */
	figures: Record<string, number[]>;
}

export type Records = Partial<Record<RecordName, Kept>>;

/** The variable with the conditions. Without it, tests keep nothing. */
export const VARIABLE = 'RECORDS';

const file = join(__dirname, 'records.json');

export const readRecords = (): Records =>
	existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Records) : {};

/** Keeps the figures of a measurement, in place of its previous ones, when records are asked for. */
export function keep<Name extends RecordName>(
	name: Name,
	figures: Record<keyof (typeof kinds)[Name]['figures'], number | number[]>,
): void {
	const conditions = process.env[VARIABLE];
	if (!conditions) return;
	const values = Object.entries<number | number[]>(figures).map(([key, value]) => [
		key,
		[value].flat().map((each) => Number(each.toFixed(3))),
	]);
	const record: Kept = {
		date: today(),
		...(JSON.parse(conditions) as Conditions),
		machine: describeMachine(),
		figures: Object.fromEntries(values),
	};
	const records = { ...readRecords(), [name]: record };
	const names = Object.keys(kinds);
	const sorted = Object.entries(records).sort(([a], [b]) => names.indexOf(a) - names.indexOf(b));
	writeFileSync(file, asJson(Object.fromEntries(sorted)));
	renderRecords();
}

export const renderRecords = () => writeFileSync(join(__dirname, 'records.md'), recordsPage(readRecords()));

/** The whole page, written by this function alone. */
export function recordsPage(records: Records): string {
	return [
		'# Records of a whole n8n',
		'',
		'What was measured on a real n8n with the packed package and an emulator of the service. `npm run bench -- n8n` measures all of it',
		'again in about half an hour. It runs tests of [test/e2e/nightly](../test/e2e/nightly), which check more than what they record. Where',
		'something was measured several times, figures are medians [lowest–highest]. The same figures for programs:',
		'[records.json](records.json). What the node costs and how it compares with the HTTP Request node: [results.md](results.md).',
		'',
		...Object.entries(records).flatMap(([name, record]) => [
			...recordText(kinds[name as RecordName], record),
			'',
		]),
	].join('\n');
}

function recordText({ title, setUp, suite, figures }: Kind, record: Kept): string[] {
	const rows = Object.entries(figures).map(([key, meaning]) => [meaning, write(key, record.figures[key]!)]);
	return [
		`## ${title}`,
		'',
		setUp,
		'',
		`Measured ${record.date}, node ${record.mark}, by \`npm run bench -- n8n ${suite}\`. ${machineText(record.machine)} ${busyText(record.busy)}`,
		'',
		markdownTable([['figure', 'value'], ...rows], { align: ['', 'r'] }),
	];
}
