import { setGlobalState, type ICheckProcessedContextData, type INodeParameters } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { recordTaken } from '../../nodes/ChatbotService/client/failure';
import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import { unprotected, withoutStore } from '../../nodes/ChatbotService/run/values/problems';
import { addContacts, type Contact, type Fault, type Messenger } from '../../sandbox/emulator';
import { projectFolder } from '../../sandbox/host';
import { faults } from './faults';
import { callAsTool, newWorkflowId, until, type RunOptions } from './harness';
import { refusal } from './messages';
import {
	all,
	came,
	countOf,
	goingOn,
	send,
	sendToWhatsApp,
	standing,
	withOnce,
	withOnceScene,
	type Came,
	type OnceScene,
} from './once';

/*
 * The promises of 'Send Once Per', through the real engine: with one value, a recipient gets at most one message, whatever is run
 * again. The emulator records the deliveries, and a store like n8n's keeps the entries. unit/sendOncePer.test.ts covers failures of
 * that store and processes that die.
 */

describe('recipients who have the message are skipped', () => {
	test.concurrent(
		'a repeated run sends nothing, and marks every item as already sent',
		withOnceScene(async ({ service, inStopMode, letters }) => {
			const items = letters(12);
			expect((await inStopMode({ items })).json).toEqual(items.map(() => ({ success: true })));
			const again = await inStopMode({ items });
			expect(again.error).toBeUndefined();
			expect(again.json).toEqual(items.map(() => ({ success: true, alreadySent: true })));
			expect(service.requests).toHaveLength(12);
		}),
	);

	test.concurrent(
		'a recipient who has the message is skipped with any text, order of items or token',
		withOnceScene(async ({ service, run, credential, anotherToken, letters }) => {
			const items = letters(6);
			await run({ items });
			const again = items.map((item) => ({ ...item, text: 'Другой текст' })).reverse();
			const { json } = await run({
				items: [...again, ...letters(1)],
				credential: credential({ token: anotherToken(), tokenPlacement: 'bearer' }),
			});
			expect(json.map((row) => row.alreadySent === true)).toEqual([...items.map(() => true), false]);
			expect(service.deliveries()).toHaveLength(7);
		}),
	);
});

/** Ways to address a recipient by phone number. */
const byNumber: Array<[string, Messenger, INodeParameters]> = [
	...(['vk', 'telegram', 'whatsapp'] as const).map((messenger): [string, Messenger, INodeParameters] => [
		`a person in ${messenger}`,
		messenger,
		{
			...send,
			recipient: 'externalId',
			messenger,
			botId: '={{ $json.botId }}',
			externalId: '={{ $json.phone }}',
		},
	]),
	['a WhatsApp number', 'whatsapp', { ...sendToWhatsApp, contactName: 'Анна Смирнова' }],
];

describe('a phone number', () => {
	/** One item for each spelling of a phone number. */
	const lettersTo = (botId: number, phones: string[]) =>
		phones.map((phone, index) => ({ botId, phone, text: `Письмо ${index}` }));

	/** A person in the service, and spellings of the number. */
	function newPerson({ service }: OnceScene, messenger: Messenger) {
		const [{ id, botId, phone }] = addContacts(service.data, 1, { messenger }) as [Contact];
		const [code, rest] = [phone!.slice(1, 4), phone!.slice(4)];
		return {
			person: { id },
			botId,
			spellings: [`8${code}${rest}`, `+7 (${code}) ${rest}`, phone!, `8-${code}-${rest}`],
		};
	}

	test.concurrent.each(byNumber)(
		'of %s identifies one recipient with 8 and with +7, in one run and in the next',
		withOnceScene(async (scene, _name, messenger, parameters) => {
			const { person, botId, spellings } = newPerson(scene, messenger);
			const items = lettersTo(botId, spellings);
			const { run, howOften } = scene;
			expect(came(await run({ parameters, items }))).toEqual(['sent', ...all(items.length - 1, 'skipped')]);
			for (const item of items) expect(came(await run({ parameters, items: [item] }))).toEqual(['skipped']);
			expect(howOften([person])).toEqual([1]);
		}),
	);
});

describe("a value of 'Send Once Per'", () => {
	test.concurrent(
		"each value of 'Send Once Per' stands for one message, which is sent once",
		withOnceScene(async ({ run, letters, howOften }) => {
			const [item] = letters(1);
			const orders = ['заказ 1', 'заказ 2', 'заказ 1'].map((order) => ({ ...item!, order }));
			const parameters = { ...send, ...withOnce('={{ $json.order }}') };
			const result = await run({ parameters, items: orders });
			expect(came(result)).toEqual(['sent', 'sent', 'skipped']);
			expect(came(await run({ parameters, items: orders }))).toEqual(all(3, 'skipped'));
			expect(howOften([item!])).toEqual([2]);
		}),
	);

	test.concurrent.each(['', '={{ "" }}', '={{ "  " }}'])(
		"an empty value of 'Send Once Per' (%j) has no effect and needs no store",
		withOnceScene(async ({ run, letters, howOften, deduplication }, value) => {
			const items = letters(2);
			const parameters = { ...send, ...withOnce(value) };
			for (const store of [deduplication, deduplication, null])
				expect(came(await run({ parameters, items, deduplication: store }))).toEqual(['sent', 'sent']);
			expect(howOften(items)).toEqual([3, 3]);
		}),
	);

	test.concurrent.each(['null', 'undefined', '$json.nothing'])(
		"a value of 'Send Once Per' that evaluates to %s is refused before anything is sent",
		withOnceScene(async ({ service, run, inStopMode, letters, howOften }, code) => {
			const items = letters(3);
			const parameters = { ...send, ...withOnce(`={{ $itemIndex === 1 ? ${code} : 'осень' }}`) };
			const { error } = await inStopMode({ parameters, items });
			expect(error?.message).toBe(`${unprotected(sendOncePer.displayName).message} [Item 1]`);
			expect(service.requests).toEqual([]);
			expect(came(await run({ parameters, items }))).toEqual(['sent', 'failed', 'sent']);
			expect(howOften(items)).toEqual([1, 0, 1]);
		}),
	);

	test.concurrent(
		"items without a value of 'Send Once Per' are sent every time",
		withOnceScene(async ({ run, letters, howOften }) => {
			const items = letters(4);
			const parameters = { ...send, ...withOnce("={{ $itemIndex % 2 ? 'осень' : '' }}") };
			expect(came(await run({ parameters, items }))).toEqual(all(4, 'sent'));
			expect(came(await run({ parameters, items }))).toEqual(['sent', 'skipped', 'sent', 'skipped']);
			expect(howOften(items)).toEqual([2, 1, 2, 1]);
		}),
	);

	test.concurrent(
		'every node and every workflow keeps its own list of recipients with a message',
		withOnceScene(async ({ run, letters }) => {
			const items = letters(2);
			await run({ items });
			expect(came(await run({ items, node: { ...goingOn, id: 'another' } }))).toEqual(all(2, 'sent'));
			expect(came(await run({ items, workflowId: 'another' }))).toEqual(all(2, 'sent'));
			expect(came(await run({ items }))).toEqual(all(2, 'skipped'));
		}),
	);

	test.concurrent(
		'the store receives only digests, without tokens, texts or phone numbers',
		withOnceScene(async (scene) => {
			const { service, run, letters, numbers } = scene;
			const people = numbers(3);
			await run({ items: people });
			await run({ items: people.slice(0, 1), parameters: sendToWhatsApp });
			service.faults.add({ kind: 'server error' });
			await run({ items: letters(1) });
			const { calls } = scene.deduplication;
			const values = calls.flatMap((call) => call.values);
			expect(values.length).toBeGreaterThan(10);
			for (const value of values) expect(value).toMatch(/^(sent|doubt) [\w-]{32}$/);
			const stored = JSON.stringify([values, scene.deduplication.entries(scene.ids)]);
			const added = calls.filter(({ method }) => method === 'checkProcessedAndRecord');
			expect(new Set(added.map(({ maxEntries }) => maxEntries))).toEqual(new Set([100_000]));
			for (const secret of [service.token, 'Письмо', 'осень', people[0]!.phone, String(people[0]!.id)])
				expect(stored).not.toContain(secret);
		}),
	);
});

test.concurrent.each([
	['One process changes only its own record', {}, ['node']],
	['With Workers above 1, processes lock the record of the workflow', { workers: 2 }, ['node', 'workflow']],
] as const)(
	'%s, and a single message takes one call before it and one after it',
	withOnceScene(async ({ deduplication, run, credential, letters }, _name, workers, scopes) => {
		const items = letters(1);
		expect(came(await run({ items, credential: credential(workers) }))).toEqual(['sent']);
		const { calls } = deduplication;
		expect([...new Set(calls.map(({ scope }) => scope))].sort()).toEqual(scopes);
		expect(calls.filter(({ scope }) => scope === 'node').map(({ method }) => method)).toEqual([
			'checkProcessedAndRecord',
			'removeProcessed',
		]);
		expect(came(await run({ items, credential: credential(workers) }))).toEqual(['skipped']);
	}),
);

test.concurrent(
	'With Workers above 1, the record of Remove Duplicates ends the items with what to do, and stays as it is',
	withOnceScene(async ({ service, deduplication, workflowId, run, credential, letters }) => {
		const asRemoveDuplicates = async (values: string[]) => {
			const contextData = { workflow: { id: workflowId } } as ICheckProcessedContextData;
			const options = { mode: 'entries' } as const;
			return await deduplication.checkProcessedAndRecord(values, 'workflow', contextData, options);
		};
		await asRemoveDuplicates(['Анна', 'Иван']);
		const { json } = await run({ items: letters(3), credential: credential({ workers: 2 }) });
		const { message, description } = recordTaken();
		for (const row of json) {
			expect(row.error).toContain(message);
			expect(row.message).toContain(description);
		}
		expect(service.requests).toEqual([]);
		expect(await asRemoveDuplicates(['Иван', 'Пётр', 'Анна'])).toEqual({
			new: ['Пётр'],
			processed: ['Иван', 'Анна'],
		});
	}),
);

describe('when n8n cannot store recipients', () => {
	const notAvailable = withoutStore(sendOncePer.displayName, '');

	test.concurrent.each<[string, Partial<RunOptions>]>([
		['a workflow that was never saved', { workflowId: null }],
		['an n8n without the store', { deduplication: null }],
	])(
		"in %s an item with a value of 'Send Once Per' is refused before anything is sent",
		withOnceScene(async ({ service, run, inStopMode, letters, howOften }, _name, options) => {
			const items = letters(3);
			const parameters = { ...send, ...withOnce("={{ $itemIndex === 1 ? 'осень' : '' }}") };
			const { error } = await inStopMode({ parameters, items, ...options });
			expect(error?.message).toBe(`${notAvailable.message} [Item 1]`);
			expect(error?.description).toContain(notAvailable.advice);
			expect(service.requests).toEqual([]);
			expect(came(await run({ parameters, items, ...options }))).toEqual(['sent', 'failed', 'sent']);
			expect(howOften(items)).toEqual([1, 0, 1]);
		}),
	);

	test.concurrent(
		'an agent that calls the node by itself is told that Send Once Per is not available, and nothing leaves',
		withOnceScene(async ({ service, credential, letters }) => {
			const [item] = letters(1);
			const parameters = { ...send, contactId: String(item!.id), text: 'Добрый день' };
			const answers = await callAsTool({ parameters, credential: credential() }, [{ arguments: {} }]);
			expect(JSON.stringify(answers)).toContain(notAvailable.message);
			expect(service.requests).toEqual([]);
		}),
	);

	// A workflow given as JSON may have nodes without IDs, which would share their entries in the store.
	test.concurrent(
		'a node without an ID refuses Send Once Per, and nothing is sent',
		withOnceScene(async ({ service, run, letters }) => {
			const parameters = { ...send, ...withOnce('осень') };
			const { error } = await run({ parameters, items: letters(1), node: { id: '' } });
			expect(error?.message).toContain(notAvailable.message);
			expect(service.requests).toEqual([]);
		}),
	);
});

type Claim = 'sent' | 'released' | 'in doubt';
type Met = [
	what: string,
	claim: Claim,
	faults: Fault[],
	credential?: (service: OnceScene['service']) => object,
];

/** The result for the claim of a message, by faults of the service or of the credential. */
const claims: Met[] = [
	['an answer at once', 'sent', []],
	['a slow answer', 'sent', [{ kind: 'delay', ms: 300, when: 'after' }]],
	['an answer without a body', 'sent', [{ kind: 'empty' }]],
	['a short wait for the limit', 'sent', [{ kind: 'too many', retryAfter: 1, match: { times: 1 } }]],
	['maintenance that ends', 'sent', [{ kind: 'maintenance', retryAfter: 1, match: { times: 1 } }]],
	["PHP's warning before the answer", 'sent', [{ kind: 'php warning' }]],
	['a sentence with status 200', 'in doubt', [{ kind: 'answer', status: 200, body: 'Номер не найден' }]],
	['a message alone', 'in doubt', [{ kind: 'answer', status: 200, body: { message: 'Номер не найден' } }]],
	['a result that is false', 'released', [{ kind: 'answer', status: 200, body: { result: false } }]],
	['a 401', 'released', [{ kind: 'answer', status: 401, body: { message: 'Unauthenticated.' } }]],
	['a wrong token', 'released', [], () => ({ token: 'wrong-token' })],
	['a 404', 'released', [{ kind: 'answer', status: 404, body: { message: 'Контакт не найден' } }]],
	['a request that is too long', 'released', [{ kind: 'answer', status: 414, body: '' }]],
	['no connection', 'released', [], () => ({ baseUrl: 'http://127.0.0.1:1' })],
	[
		'a server without https',
		'released',
		[],
		({ url }) => ({ baseUrl: url.replace('http://127.0.0.1', 'https://localhost') }),
	],
	...faults.flatMap(([name, { fault, beside, isUnknown, onlyForReading }]): Met[] => {
		if (onlyForReading) return [];
		if (!isUnknown) return [[name, 'released', [beside ?? [], fault].flat()]];
		return (['before', 'after'] as const).map((when) => [
			`${name} ${when} it was done`,
			'in doubt',
			[{ ...fault, when }],
		]);
	}),
];

describe('claims', () => {
	const operations = [
		{ name: 'message/send', parameters: send, path: 'sendMessage' },
		{ name: 'message/sendToWhatsApp', parameters: sendToWhatsApp, path: 'sendMessageToWhatsApp' },
	];

	test.concurrent.each(claims)(
		'after %s, the claim of a message is %s',
		withOnceScene(async (scene, ...met) => {
			const { service, run, credential, anotherToken, numbers, howOften } = scene;
			const [, claim, faults, changes = () => ({})] = met;
			const requestOptions = faults.some(({ kind }) => kind === 'timeout') ? { timeout: 1500 } : {};
			for (const fault of faults)
				for (const { path } of operations) service.faults.add({ ...fault, match: { ...fault.match, path } });
			const outcomes = operations.map(async ({ name, parameters }) => {
				const [person] = numbers(1);
				const node = { ...goingOn, id: name };
				const options = { items: [person!], node, parameters };
				const first = await run({
					...options,
					parameters: { ...parameters, requestOptions },
					credential: credential({ token: anotherToken(), ...changes(service) }),
				});
				expect([name, came(first)]).toEqual([name, [claim === 'sent' ? 'sent' : 'failed']]);
				expect([name, standing(scene.deduplication, { workflowId: scene.workflowId, nodeId: name })]).toEqual(
					[name, { sent: claim === 'sent' ? 1 : 0, inDoubt: claim === 'in doubt' ? 1 : 0 }],
				);
				return { name, options, person: person!, delivered: howOften([person!])[0]! };
			});
			const runs = await Promise.all(outcomes);
			service.faults.clear();
			const asked = service.requests.length;
			const again = { sent: 'skipped', released: 'sent', 'in doubt': 'in doubt' }[claim] as Came;
			for (const { name, options, person, delivered } of runs) {
				const next = async () =>
					came(await run({ ...options, credential: credential({ token: anotherToken() }) }));
				expect([name, await next()]).toEqual([name, [again]]);
				expect([name, howOften([person])]).toEqual([name, [claim === 'released' ? 1 : delivered]]);
				expect([name, await next()]).toEqual([name, [again === 'sent' ? 'skipped' : again]]);
			}
			expect(service.requests.length - asked).toBe(claim === 'released' ? 2 : 0);
		}),
	);

	test.concurrent(
		'an item is not claimed when its values are not valid',
		withOnceScene(async ({ run, inStopMode, letters, standing }) => {
			const items = letters(3);
			const wrong = items.map((item, index) => (index === 1 ? { ...item, text: '' } : item));
			await inStopMode({ items: wrong });
			expect(standing()).toEqual({ sent: 0, inDoubt: 0 });
			expect(came(await run({ items: wrong }))).toEqual(['sent', 'failed', 'sent']);
			expect(came(await run({ items }))).toEqual(['skipped', 'sent', 'skipped']);
		}),
	);
});

describe('a run that does not send everything by itself', () => {
	test.concurrent(
		'a run that fails releases recipients without a message, and the next run sends to them',
		withOnceScene(async ({ service, run, inStopMode, letters, standing, howOften, expectEachOnce }) => {
			const items = letters(40);
			service.faults.add({ kind: 'delay', ms: [0, 20] });
			service.faults.add({ ...refusal, match: { recipient: items[17]!.id } });
			const { error } = await inStopMode({ items });
			expect(error?.message).toContain('[Item 17]');
			const delivered = howOften(items);
			expect(standing()).toEqual({ sent: countOf(delivered, 1), inDoubt: 0 });
			service.faults.clear();
			const next = await run({ items });
			expect(came(next)).toEqual(delivered.map((count) => (count ? 'skipped' : 'sent')));
			expectEachOnce(items);
		}),
	);

	test.concurrent(
		'Retry On Fail sends refused messages again, and nobody gets two',
		withOnceScene(async ({ service, run, letters, standing, expectEachOnce }) => {
			const items = letters(30);
			service.faults.add({ ...refusal, match: { recipient: items[12]!.id, times: 2 } });
			const { error, json } = await run({
				items,
				node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 },
			});
			expect(error).toBeUndefined();
			expect(json).toHaveLength(30);
			expectEachOnce(items);
			expect(standing()).toEqual({ sent: 30, inDoubt: 0 });
		}),
	);

	test.concurrent(
		'a run that the user stops releases recipients without a message, and the next run sends to them',
		withOnceScene(async ({ service, run, stoppableRun, letters, standing, howOften, requestsTo }) => {
			const items = letters(100);
			service.faults.add({ kind: 'delay', ms: [5, 40] });
			const { ended, stop } = stoppableRun({ items, node: {} });
			await until(() => service.requests.length >= 30);
			stop();
			expect((await ended).run.status).toBe('canceled');
			service.faults.clear();
			const next = came(await run({ items }));
			const counts = howOften(items);
			expect(Math.max(...counts)).toBe(1);
			// At most the requests in transit.
			expect(countOf(next, 'in doubt')).toBeLessThanOrEqual(10);
			for (const [index, each] of next.entries()) {
				if (each !== 'in doubt') expect([index, each, counts[index]]).toEqual([index, each, 1]);
				else expect(requestsTo(items[index]!).length).toBeLessThanOrEqual(1);
			}
			expect(countOf(next, 'failed')).toBe(0);
			expect(standing().inDoubt).toBe(countOf(next, 'in doubt'));
		}),
	);
});

/* A recipe of docs/sending.md, with the expression that the page shows. */
describe('at most one promotion a week for each person', () => {
	beforeAll(() => setGlobalState({ defaultTimezone: 'Europe/Moscow' }));

	const [recipe] = /\{\{[^}]*\$now[^}]*\}\}/.exec(
		readFileSync(join(projectFolder, 'docs/sending.md'), 'utf8'),
	) as unknown as [string];
	/** @param time replaces `$now`: no test can change the clock of an isolate, in which some engines evaluate expressions */
	const onceAWeek = (time = '$now') => ({ ...send, ...withOnce(`=${recipe.replace('$now', () => time)}`) });
	const atTimeOfItem = onceAWeek('DateTime.fromISO($json.at)');

	/** @returns a function that sends a promotion to these people at a time, and returns the different outcomes */
	const promotionsTo =
		(scene: OnceScene, people: ReturnType<OnceScene['letters']>) =>
		async (at: string, workflowId = scene.workflowId) => {
			const items = people.map((person) => ({ ...person, at, text: `Акция, ${at}` }));
			const outcomes = new Set(came(await scene.run({ parameters: atTimeOfItem, items, workflowId })));
			return [...outcomes].join(', ');
		};

	test.concurrent(
		'a second promotion in the same week skips everybody who got the first, and reaches the others',
		withOnceScene(async (scene) => {
			const people = scene.letters(2);
			const promote = promotionsTo(scene, people);
			expect(await promote('2026-11-23T00:01:00+03:00')).toBe('sent');
			expect(await promote('2026-11-29T23:59:00+03:00')).toBe('skipped');
			expect(await promotionsTo(scene, scene.letters(1))('2026-11-29T23:59:30+03:00')).toBe('sent');
			expect(await promote('2026-11-30T00:01:00+03:00')).toBe('sent');
			expect(scene.howOften(people)).toEqual([2, 2]);
		}),
	);

	test.concurrent(
		'the week that contains the turn of the year is one week',
		withOnceScene(async (scene) => {
			const promote = promotionsTo(scene, scene.letters(2));
			expect(await promote('2026-12-28T10:00:00+03:00')).toBe('sent');
			expect(await promote('2026-12-31T23:59:00+03:00')).toBe('skipped');
			expect(await promote('2027-01-01T00:01:00+03:00')).toBe('skipped');
			expect(await promote('2027-01-03T23:59:00+03:00')).toBe('skipped');
			expect(await promote('2027-01-04T00:01:00+03:00')).toBe('sent');
			// One year later the number of the week is the same, and the year is not.
			expect(await promote('2028-01-03T10:00:00+03:00')).toBe('sent');
		}),
	);

	test.concurrent(
		"the week begins on Monday in n8n's time zone",
		withOnceScene(async (scene) => {
			const promote = promotionsTo(scene, scene.letters(2));
			expect(await promote('2026-11-29T12:00:00+03:00')).toBe('sent');
			// In Moscow it is Sunday, in Vladivostok Monday.
			expect(await promote('2026-11-30T00:01:00+10:00')).toBe('skipped');
			expect(await promote('2026-11-29T21:01:00Z')).toBe('sent');
		}),
	);

	test.concurrent(
		'promotions of two workflows do not know about each other',
		withOnceScene(async (scene) => {
			const promote = promotionsTo(scene, scene.letters(2));
			expect(await promote('2026-11-23T10:00:00+03:00')).toBe('sent');
			expect(await promote('2026-11-23T10:00:00+03:00', newWorkflowId())).toBe('sent');
		}),
	);

	test.concurrent(
		'$now is a time in this week',
		withOnceScene(async ({ run, letters }) => {
			const items = letters(1);
			const weeks = [weekInMoscow()];
			expect(came(await run({ parameters: onceAWeek(), items }))).toEqual(['sent']);
			weeks.push(weekInMoscow());
			const again = await Promise.all(
				weeks.map(async (value) => came(await run({ parameters: { ...send, ...withOnce(value) }, items }))),
			);
			expect(again.flat()).toContain('skipped');
		}),
	);
});

/** The value of the recipe now: a week belongs to the year of its Thursday. */
function weekInMoscow(): string {
	const day = new Date(Date.now() + 3 * 3_600_000);
	day.setUTCDate(day.getUTCDate() + 4 - (day.getUTCDay() || 7));
	const year = day.getUTCFullYear();
	const week = Math.ceil(((day.getTime() - Date.UTC(year, 0, 1)) / 86_400_000 + 1) / 7);
	return `promotion ${year}-${String(week).padStart(2, '0')}`;
}
