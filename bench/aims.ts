/* The targets of this package's node, and what it means for its users when one is missed. */

import { spreadOf } from './figures';
import type { pacedRows } from './paced';
import { oursIn, type Column, type Row } from './row';
import type { unpacedRows } from './unpaced';

export interface Aim {
	text: string;
	unit: 'share' | 'ratio' | 'ms' | 'count' | 'refused' | 'notOnce';
	/** Of all contenders that are this package's node; undefined where the row does not have the figure. */
	measured: (row: Row) => number | undefined;
	most?: number;
	least?: number;
	/** Why it may be missed, and what that means for a user. */
	ifMissed: string;
}

export const isReached = ({ most = Infinity, least = -Infinity }: Aim, value: number) =>
	value <= most && value >= least;

/** @param setting of the contenders; by default all */
const valuesOf = (row: Row, column: Column, setting = '') =>
	oursIn(row).flatMap(({ contender, figures }) =>
		contender.endsWith(setting) ? (figures[column] ?? []) : [],
	);

const highest =
	(column: Column, setting?: string) =>
	(row: Row): number | undefined => {
		const values = valuesOf(row, column, setting);
		return values.length ? Math.max(...values) : undefined;
	};

const atMost = (most: number, text: string, column: Column, unit: Aim['unit'], ifMissed: string): Aim => ({
	text,
	unit,
	measured: highest(column),
	most,
	ifMissed,
});

const share = (least: number, of = 'the limit'): Aim => ({
	text: `at least ${least * 100} % of ${of}`,
	unit: 'share',
	measured: (row) => spreadOf(valuesOf(row, 'share')).median,
	least,
	ifMissed:
		'On a busy machine, requests leave later than the limit allows. A broadcast takes longer by this share; no message is lost.',
});

const refused = (most: number, text: string): Aim => ({
	text,
	unit: 'refused',
	measured(row) {
		const values = valuesOf(row, 'refused');
		return values.reduce((sum, value) => sum + value, 0) / (values.length * row.messages);
	},
	most,
	ifMissed:
		'A busy machine or the network brings requests closer together than the node sends them. The node repeats refused messages, so a user sees only a longer wait.',
});

const eachOnce: Aim = {
	text: 'each message delivered once',
	unit: 'notOnce',
	measured: (row) =>
		Math.max(
			...oursIn(row).flatMap(({ figures }) =>
				figures.once!.map((once, run) => row.messages - once + figures.doubled![run]!),
			),
		),
	most: 0,
	ifMissed: 'This is a bug of the node: somebody got no message, or got one twice.',
};

const wall = (most: number, reason: string): Aim =>
	atMost(
		most,
		`wall time at most ${most} of HTTP Request’s`,
		'wallRatio',
		'ratio',
		`${reason} Only a run without a limit takes this much longer; at the limit of the service, the limit alone decides how long a broadcast takes.`,
	);

const wallOfPaths = wall(
	0.5,
	'With the engine legacy, n8n evaluates paths quickly, so that most of the time is that of the requests, which n8n makes for both nodes.',
);
const wallOfCode = wall(
	0.7,
	'n8n evaluates the expressions with code for both nodes, and makes the requests of both.',
);

const memory = atMost(
	1,
	'memory at most HTTP Request’s',
	'memoryRatio',
	'ratio',
	'Most of the memory is n8n’s own, for its items and for evaluating expressions. n8n needs about as much as with the HTTP Request node.',
);

const withoutLimit: Aim[] = [
	atMost(
		50,
		'longest block at most 50 ms',
		'blockedMs',
		'ms',
		'Other programs kept the machine busy, or n8n handled its own data for so long. Other workflows of the same n8n wait this long, once.',
	),
	{
		text: 'first request of a run that continues within 500 ms',
		unit: 'ms',
		measured: highest('firstSendMs', 'continues on errors'),
		most: 500,
		ifMissed:
			'On a busy machine, n8n hands over the items later. The first message leaves later, once for each run.',
	},
	atMost(
		10,
		'at most 10 requests in flight',
		'inFlight',
		'count',
		'This is a bug of the node: a service that does not answer gets more requests than documented.',
	),
	eachOnce,
];

/** The targets of each row. Their order is that of the rows. */
const aims: Record<keyof typeof pacedRows | keyof typeof unpacedRows, (row: Row) => Aim[]> = {
	limit: () => [share(0.99), refused(0, 'none refused'), eachOnce],
	answers: () => [share(0.96), refused(0, 'none refused'), eachOnce],
	way: () => [share(0.95), refused(0.01, 'under 1 % refused'), eachOnce],
	late: () => [share(0.9), refused(3 / 150, 'at most 3 of 150 refused'), eachOnce],
	stricter: () => [share(0.9, 'what the service allows'), eachOnce],
	oncePaced: () => [
		atMost(
			1.1,
			'wall time at most 1.1 of that without Send Once Per',
			'wallRatio',
			'ratio',
			'n8n’s store answers more slowly than the limit lets messages leave. A broadcast with Send Once Per takes this much longer.',
		),
		refused(0, 'none refused'),
		eachOnce,
	],
	bursts: () => [
		{
			text: 'with Bursts within 5 s',
			unit: 'ms',
			measured: highest('wallMs', 'Bursts'),
			most: 5000,
			ifMissed: 'On a busy machine, n8n makes 100 requests more slowly. The run takes that much longer.',
		},
		refused(0, 'none refused'),
		eachOnce,
	],
	// With 1,000 messages, what a run costs only once counts too much for a comparison.
	large: ({ messages, expressions }) =>
		messages < 10_000
			? withoutLimit
			: [...withoutLimit, memory, expressions === '5' ? wallOfCode : wallOfPaths],
	once: () => [eachOnce],
};

export const rowNames = Object.keys(aims);
export const aimsOf = (row: Row): Aim[] => aims[row.name as keyof typeof aims](row);

/** What the targets do not say themselves. */
export const notes = [
	'The targets of `large` for time and memory apply to 10,000 messages: with 1,000, what a run costs only once counts too much. Of five expressions, two are code, which n8n evaluates for both nodes.',
	'`once` has no target for time: at full speed, n8n’s store is the limit. Each of its calls reads and writes all entries of the node.',
];
