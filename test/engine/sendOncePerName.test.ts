import { neverRepeated } from '../../nodes/ChatbotService/run/values/problems';
import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import { SEEDED } from '../../sandbox/emulator';
import { callByEngine } from './harness';
import { all, came, send, withOnce, withOnceScene } from './once';

/*
 * One name of a broadcast, however people type it at the next start, and none that is new at each start. Otherwise everybody would get the
 * message again. Lost parts of a value: sendOncePerKey.test.ts.
 */

const named = (value: string) => ({ ...send, ...withOnce(value) });

const spellings = [
	...['ёлка – 2026', 'Ёлка – 2026', 'ЁЛКА - 2026', 'ёлка  –  2026', ' ёлка – 2026\n', 'ёлка\u00a0— 2026'],
	...['ёлка\u200b – 2026', '\ufeffёлка – 2026', '«Ёлка – 2026»', '"ёлка – 2026"', 'ёлка\t– 2026'],
	...['ёлка – 2026'.normalize('NFD'), 'ёлка\ufe0f – 2026'],
];

test.concurrent(
	'all spellings that people take for the same are one value, in one run and from the field',
	withOnceScene(async ({ run, letters, howOften }) => {
		const items = letters(1);
		const form = spellings.map((broadcast) => ({ ...items[0]!, broadcast }));
		expect(came(await run({ parameters: named('={{ $json.broadcast }}'), items: form }))).toEqual([
			'sent',
			...all(form.length - 1, 'skipped'),
		]);
		for (const spelling of spellings)
			expect(came(await run({ parameters: named(spelling), items }))).toEqual(['skipped']);
		expect(howOften(items)).toEqual([1]);
	}),
);

test.concurrent(
	'for an agent, an execution is a conversation',
	withOnceScene(async ({ credential, deduplication, workflowId, letters, howOften }) => {
		const items = letters(1);
		const parameters = { ...named('={{ $execution.id }}'), contactId: String(items[0]!.id), text: 'Привет' };
		await callByEngine({ parameters, credential: credential(), deduplication, workflowId }, [{}, {}]);
		expect(howOften(items)).toEqual([1]);
	}),
);

test.concurrent(
	'names that people can tell apart are different values',
	withOnceScene(async ({ run, letters, howOften }) => {
		const items = letters(1);
		const names = [
			'осень-2026',
			'осень 2026',
			'осень2026',
			'осень-2027',
			'осени-2026',
			'-',
			'«»',
			'“”',
			'🍂',
		];
		for (const name of names) expect(came(await run({ parameters: named(name), items }))).toEqual(['sent']);
		expect(howOften(items)).toEqual([names.length]);
	}),
);

/** What version 0.3.0 has recorded of the contact in Telegram for names that it took as they were written. */
const recorded = [
	['Осень\u00a02026', 'осень 2026', 'KaBYkllcS2p2rj98JwlTqvAniBYdNF5j'],
	['Ёлка', 'ёлка', 'jZfepatX1KY00inYoC7zqV3oyoVn-muo'],
	['"VIP"', 'vip', 'zt0-6MojW1j-3YpwDOM0sddsKhdFXlur'],
] as const;

describe.each(recorded)('a record of version 0.3.0 under the name %j', (written, other, key) => {
	const personIn = (workflowId: string) =>
		({ workflow: { id: workflowId }, node: { id: 'tested' } }) as never;

	test.concurrent.each([
		['who has the message', ['sent'], 'skipped', 'skipped'],
		['in doubt', ['doubt'], 'in doubt', 'in doubt'],
	] as const)(
		'is found for a person %s, and counts for all spellings from then on',
		withOnceScene(async ({ run, deduplication, workflowId, service }, _, entries, first, then) => {
			await deduplication.checkProcessedAndRecord(
				entries.map((entry) => `${entry} ${key}`),
				'node',
				personIn(workflowId),
				{ mode: 'entries' },
			);
			const items = [{ id: SEEDED.contacts.telegram, text: 'Привет' }];
			for (const [name, outcome] of [
				[written, first],
				[written, then],
				[other, then],
			] as const)
				expect([name, came(await run({ parameters: named(name), items }))]).toEqual([name, [outcome]]);
			expect(service.requests).toEqual([]);
		}),
	);
});

test.concurrent.each([
	'={{ $now }}',
	'=осень {{ $now.toISO() }}',
	"=осень {{ $now.toFormat('yyyy-MM-dd HH:mm') }}",
	'={{ $now.toMillis() }}',
	'={{ DateTime.now().toUnixInteger() }}',
	'={{ Date.now() }}',
	'=осень {{ new Date() }}',
	'={{ new Date( ).toISOString() }}',
	'={{ Math.random() }}',
	'={{ Math.random().toString(36).slice(2) }} {{ $json.id }}',
	'={{ $json.id }} {{ $now.toFormat("ss") }}',
	...['$execution.id', '$execution["id"].slice(-3)', 'Date()', 'new Date', '$execution.resumeUrl'].map(
		(code) => `=осень {{ ${code} }}`,
	),
])(
	'a value that is new in each run is refused before anything leaves: %s',
	withOnceScene(async ({ refusalOf, run, letters, howOften }, value) => {
		const items = letters(2);
		const { message, advice } = neverRepeated(sendOncePer.displayName, value);
		const refused = await refusalOf({ parameters: named(value), items });
		expect([refused.message, refused.description]).toEqual([
			`${message} [Item 0]`,
			expect.stringContaining(advice),
		]);
		expect(came(await run({ parameters: named(value), items }))).toEqual(['failed', 'failed']);
		expect(howOften(items)).toEqual([0, 0]);
	}),
);

test.concurrent.each([
	'={{ $today.toISO() }}',
	"={{ $now.toFormat('kkkk-WW') }}",
	"=осень {{ $now.toFormat('yyyy-MM-dd HH') }} ч",
	"={{ $now.startOf('month').toISO() }}",
	'={{ $now.year }}, {{ $json.id }}',
	'={{ $now.minus({ months: 1 }).month }}',
	'={{ Math.floor(Date.now() / 3600000) }}',
	'={{ new Date().getMonth() }}',
	'={{ new Date().toISOString().slice(0, 10) }}',
	'={{ $execution.mode }}',
	'={{ $workflow.id }}',
	'Math.random()',
])(
	'a value for a period, or as somebody means it, stands: %s',
	withOnceScene(async ({ run, letters, howOften }, value) => {
		const items = letters(2);
		const parameters = named(value);
		// The hour can end between the two runs.
		const results = [came(await run({ parameters, items })), came(await run({ parameters, items }))];
		expect(results[0]).toEqual(['sent', 'sent']);
		expect(howOften(items)).toEqual(results[1]![0] === 'skipped' ? [1, 1] : [2, 2]);
	}),
);
