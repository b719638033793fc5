import fc from 'fast-check';

import type { Fault, Limits, Messenger } from '../../../sandbox/emulator';
import { LARAVEL_LIMITS } from '../../../sandbox/emulator';
import { modes } from '../everyOperation';

/*
 * A history: what people, data, the service and the user do in one broadcast and in a second one, and how n8n calls the node. All times are
 * in milliseconds. Each history draws which kinds of faults exist in it at all, because a mixture of all of them hides what one of them does.
 */

/** What is wrong with the values of an item, so that it must not leave. */
export const wrongs = ['no recipient', 'lost recipient', 'no text', 'failing expression'] as const;

/** Without it in most histories: once in `times`. */
const rarely = <Value>(value: fc.Arbitrary<Value>, times: number) =>
	fc.oneof({ weight: times - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });

const item = fc.record({
	/** One of the people, by number. */
	person: fc.nat(4),
	/** The broadcast, if the value of 'Send Once Per' is an expression. */
	order: fc.constantFrom('заказ 1', 'заказ 2'),
	wrong: rarely(fc.constantFrom(...wrongs), 50),
});

const messengers = fc.constantFrom<Messenger>('vk', 'vk', 'telegram', 'max', 'viber', 'whatsapp');

const people = fc.array(
	fc.record({
		messenger: messengers,
		isKnown: fc.constantFrom(true, true, true, true, true, false),
		/** Minutes from the workflow's time zone to that of the person. */
		east: fc.constantFrom(0, 90, 420),
	}),
	{ minLength: 5, maxLength: 5 },
);

/** Several rows of a kind make it more frequent. */
const endings: Fault[] = [
	...([{ kind: 'reset' }, { kind: 'reset', when: 'after' }] as const),
	...([{ kind: 'timeout' }, { kind: 'timeout', when: 'before' }] as const),
	...([{ kind: 'server error' }, { kind: 'server error', when: 'after' }] as const),
	{ kind: 'unavailable', retryAfter: 1 },
	...[2, 900].map((retryAfter) => ({ kind: 'maintenance' as const, retryAfter })),
	{ kind: 'maintenance', page: true },
	...[1, undefined, 900].map((retryAfter) => ({ kind: 'too many' as const, retryAfter })),
	...([{ kind: 'html' }, { kind: 'html', status: 502 }, { kind: 'forbidden' }] as const),
	...([{ kind: 'php warning' }, { kind: 'php error' }] as const),
	...([{ kind: 'empty' }, { kind: 'malformed' }, { kind: 'redirect' }] as const),
	{ kind: 'answer', status: 422, body: { message: 'The given data was invalid.' } },
	{ kind: 'answer', status: 200, body: { success: false, message: 'Диалог закрыт' } },
	{ kind: 'delay', ms: [0, 3000] },
	{ kind: 'delay', ms: [0, 100_000], when: 'after' },
];

const faultsOf = (kinds: Fault[]) =>
	fc.array(
		fc
			.record({
				of: fc.constantFrom(...kinds),
				/** Which of the requests, counted from 1; without it, the first `times` ones. */
				nth: rarely(fc.integer({ min: 1, max: 8 }), 2),
				times: fc.integer({ min: 1, max: 3 }),
			})
			.map(({ of, nth, times }) => ({ ...of, match: nth ? { nth } : { times } }) as Fault),
		{ maxLength: 3 },
	);

const faults = fc.oneof(
	fc.constant<Fault[]>([]),
	{ weight: 2, arbitrary: fc.subarray(endings, { minLength: 1, maxLength: 3 }).chain(faultsOf) },
	faultsOf(endings),
);

const limits = fc.constantFrom<Partial<Limits> | false>(
	...[false as const, {}, LARAVEL_LIMITS, { headers: 'none' as const }, { headers: 'constant' as const }],
);

const moment = fc.integer({ min: 0, max: 8000 });

/** A run that begins some time after the first one, perhaps in another process, or after its end; or Retry of the first one, if that has failed. */
const second = fc.oneof(
	fc.record({ kind: fc.constant('beside' as const), afterMs: moment, isElsewhere: fc.boolean() }),
	fc.record({ kind: fc.constant('later' as const) }),
	fc.record({ kind: fc.constant('retry' as const) }),
);

const generated = fc.record({
	to: fc.constantFrom('contact' as const, 'person' as const, 'number' as const),
	people,
	items: fc.array(item, { minLength: 1, maxLength: 16, size: 'max' }),
	onError: fc.constantFrom(...modes),
	/** How n8n passes the items to the node: all at once, in a loop, or as its engine 2.0 does, several or one. */
	passed: fc.oneof(
		{ weight: 9, arbitrary: fc.constant('at once' as const) },
		{ weight: 4, arbitrary: fc.constant('in batches' as const) },
		{ weight: 1, arbitrary: fc.constant('one by one' as const) },
		{ weight: 1, arbitrary: fc.constant('by itself' as const) },
	),
	batch: fc.integer({ min: 1, max: 4 }),
	/** The value of 'Maximum Recipients'. */
	most: rarely(fc.integer({ min: 1, max: 5 }), 4),
	/** The value of 'Send Once Per'. */
	once: fc.constantFrom('', 'осень', '={{ $json.order }}'),
	/** 'closing' in the middle of the first run. */
	hours: fc.constantFrom('none', 'none', 'none', 'none', 'open', 'open', 'closing', 'closing', 'closed'),
	closesInMs: moment,
	/** Whether each person has a time zone. Without it, all have that of the workflow. */
	inZones: fc.boolean(),
	triesAgain: fc.constantFrom(false, false, false, true),
	includesInput: fc.boolean(),
	knowsMessenger: fc.boolean(),
	/** Of the credential: Requests per Second. */
	pace: fc.constantFrom(0, 2, 2, 10),
	/** The first run is a test, of so many messages to the person who tries it; 0 for a test without this person. */
	tested: rarely(fc.nat(3), 5),
	/** When the process of a test dies. */
	diesMs: rarely(fc.nat(3000), 2),
	limits,
	isWrapped: fc.boolean(),
	faults,
	second: fc.option(second, { freq: 3 }),
	/** When the user stops the first run. */
	stopMs: rarely(moment, 4),
});

/** Some moments need others: one item by itself, and for Retry an execution that has failed. */
export const histories = generated.map((history) => ({
	...history,
	...(history.passed === 'by itself' && { items: history.items.slice(0, 1) }),
	...(history.second?.kind === 'retry' && { onError: 'stopWorkflow' as const, passed: 'at once' as const }),
}));

export type History = typeof histories extends fc.Arbitrary<infer Value> ? Value : never;
