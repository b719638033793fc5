/* The targets of this package's node, and what it means for its users when one is missed. */

import { spreadOf } from './figures';
import type { pacedRows } from './paced';
import type { kinds, RecordName } from './records';
import { oursIn, type Column, type Row } from './row';
import type { unpacedRows } from './unpaced';

export interface Target {
	text: string;
	unit: 'share' | 'ratio' | 'ms' | 'count' | 'refused' | 'notOnce' | 'none';
	most?: number;
	least?: number;
	/** Why it may be missed, and what that means for a user. */
	ifMissed: string;
}

/** A target of a row of results.md. */
export interface Aim extends Target {
	/** Of all contenders that are this package's node; undefined where the row does not have the figure. */
	measured: (row: Row) => number | undefined;
}

/** A target of a record. The worst of its values counts. */
export interface RecordAim extends Target {
	figure: string;
}

export const isReached = ({ most = Infinity, least = -Infinity }: Target, value: number) =>
	value <= most && value >= least;

/** The values of all contenders. */
const valuesOf = (row: Row, column: Column) => oursIn(row).flatMap(({ figures }) => figures[column] ?? []);

/** The figure of the contender for which it is the highest. */
const highestOf =
	(figure: 'max' | 'median') =>
	(column: Column, setting = '') =>
	(row: Row): number | undefined => {
		const ofContenders = oursIn(row).flatMap(({ contender, figures }) =>
			contender.endsWith(setting) && figures[column] ? [spreadOf(figures[column])[figure]] : [],
		);
		return ofContenders.length ? Math.max(...ofContenders) : undefined;
	};

const highest = highestOf('max');
/** A single run may meet a busy machine. */
const highestMedian = highestOf('median');

const atMost = (most: number, text: string, column: Column, unit: Aim['unit'], ifMissed: string): Aim => ({
	text,
	unit,
	measured: highestMedian(column),
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
		measured: highestMedian('firstSendMs', 'continues on errors'),
		most: 500,
		ifMissed:
			'On a busy machine, n8n hands over the items later. The first message leaves later, once for each run.',
	},
	{
		text: 'at most 10 requests in flight',
		unit: 'count',
		measured: highest('inFlight'),
		most: 10,
		ifMissed: 'This is a bug of the node: a service that does not answer gets more requests than documented.',
	},
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

const within = <Figure extends string>(figure: Figure, text: string, most: number, ifMissed: string) => ({
	figure,
	text: `${text} within ${most} ms`,
	unit: 'ms' as const,
	most,
	ifMissed,
});

const none = <Figure extends string>(
	figure: Figure,
	text: string,
	ifMissed = 'This is a bug of the node: somebody got no message, or got one twice.',
) => ({ figure, text, unit: 'none' as const, most: 0, ifMissed });

const notTwice = none('doubled', 'nobody gets a message twice');
const once = [notTwice, none('lost', 'everybody gets the message')];

const sharedBy = (least: number) => [
	{
		figure: 'share' as const,
		text: `at least ${least * 100} % of the limit`,
		unit: 'share' as const,
		least,
		ifMissed:
			'All processes of n8n, its databases and the emulator share this machine, so requests of the two workers arrive later or closer together than they leave. Broadcasts take longer by this share; no message is lost.',
	},
	...once,
	none('givenUp', 'no message is given up'),
];

/** The targets of the records, in the order of the records. Those without a target are there to be known. */
export const recordAims: {
	[Name in RecordName]?: Array<RecordAim & { figure: keyof (typeof kinds)[Name]['figures'] }>;
} = {
	others: [
		within(
			'healthMs',
			'/healthz answers',
			500,
			'A monitor that expects an answer within this time may report n8n as down.',
		),
		within(
			'workflowMs',
			'another workflow answers',
			500,
			'The answer includes what n8n itself does for an execution, beside 10,000 messages without a limit. This is the longest of all waits; a run at the limit of the service keeps n8n far less busy.',
		),
	],
	workersSet: sharedBy(0.97),
	workersLeft: sharedBy(0.85),
	job: [
		within(
			'stopMs',
			'*Stop* ends the run',
			1000,
			'The worker notices later that somebody stopped the execution.',
		),
		none(
			'late',
			'nothing is sent after *Stop*',
			'This is a bug of the node: people get messages after somebody stopped the execution.',
		),
	],
	killed: [notTwice, none('lost', 'everybody without the message is named')],
	together: once,
	orders: once,
};

/** What the targets do not say themselves. */
export const notes = [
	'The targets of `large` for time and memory apply to 10,000 messages: with 1,000, what a run costs only once counts too much. Of five expressions, two are code, which n8n evaluates for both nodes.',
	'`once` has no target for time: at full speed, n8n’s store is the limit. Each of its calls reads and writes all entries of the node.',
];
