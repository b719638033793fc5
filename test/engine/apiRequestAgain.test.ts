import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { accessRefused, valuesRefused } from '../../nodes/ChatbotService/client/failure/failure';
import { addContacts, SEEDED, type Fault } from '../../sandbox/emulator';
import { operationOf } from '../operations';
import { read, requesterOf, save, sentIn } from './apiRequest';
import { modes } from './everyOperation';
import { retryNode, stoppable, until, useEmulator } from './harness';
import { countsIn, refusal } from './messages';

/* API, Send Request: which requests leave again, and how those end that are under way. */

const service = useEmulator();
const send = requesterOf(service);
const { telegram, whatsapp, viber, vk } = SEEDED.contacts;
const unknown = operationOf('api/request').unknown!;

const people = [telegram, whatsapp, viber].map((id, item) => ({ id, name: `Имя ${item}` }));
const matching = (isMeant: (input: IDataObject) => boolean): Fault['match'] => ({
	where: ({ input }) => isMeant(input as IDataObject),
});
const sent = () => sentIn(service);

describe('what is requested again', () => {
	/** All others are answered when the last one is refused. */
	const refuseLast = (times = 1) => {
		const isLast = matching(({ contact_id, vk_id }) => [contact_id, vk_id].includes(String(viber)));
		const match = { ...isLast, times };
		service.faults.add({ kind: 'delay', ms: 1000, match });
		service.faults.add({ ...refusal, match });
	};

	test.each<[string, INodeParameters, number[]]>([
		['each GET', read, [telegram, whatsapp, viber]],
		['only the POST that was refused', save, [viber]],
	])('by Retry of a failed execution: %s', async (_, parameters, again) => {
		refuseLast();
		const failed = await send(parameters, { items: people });
		expect(failed.error?.message).toBe(`${valuesRefused(422, [], '').message} [Item 2]`);
		expect(countsIn(failed.error?.description)).toEqual([3, 2, 1, 0]);
		const { error, outputs } = await retryNode(failed);
		expect(error).toBeUndefined();
		expect(sent().slice(3).sort()).toEqual([...again].sort());
		// The answers are those of the service in both cases.
		expect(outputs[0]!.every(({ json }) => json.messenger)).toBe(true);
	});

	test('by each Retry of a failed execution: each GET, also one that a Retry before has requested', async () => {
		refuseLast(2);
		const failed = await send(read, { items: people });
		const again = await retryNode(failed);
		expect(again.error?.message).toContain('[Item 2]');
		for (const each of [failed, again]) {
			const before = service.requests.length;
			const { json, error } = await retryNode(each);
			expect([error, json[0]?.name, service.requests.length - before]).toEqual([undefined, 'Иван Петров', 3]);
		}
	});

	test('by Retry of a failed execution: no POST with an unknown outcome, and the item says so', async () => {
		service.faults.add({ kind: 'reset', when: 'after' });
		const failed = await send(save, { items: people.slice(0, 1) });
		service.faults.clear();
		const { error } = await retryNode(failed);
		expect([error?.description?.startsWith(unknown), sent()]).toEqual([true, [telegram]]);
	});

	test('by Retry On Fail: only the POST that was refused', async () => {
		refuseLast();
		const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 };
		const { error } = await send(save, { items: people, node });
		expect([error, sent()]).toEqual([undefined, [telegram, whatsapp, viber, viber]]);
	});
});

test('Retry On Fail requests a GET again after an unknown outcome, because it has changed nothing', async () => {
	service.faults.add({ kind: 'server error', match: { times: 3 } });
	const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 };
	const { error, json } = await send(read, { items: people.slice(0, 1), node });
	expect([error, json[0]?.name, sent().length]).toEqual([undefined, 'Иван Петров', 4]);
});

describe('a request that is under way', () => {
	test.each(modes.flatMap((mode) => [[mode, 'GET'] as const, [mode, 'POST'] as const]))(
		'ends at once when the user stops the run, %s, and only a POST may have been processed: %s',
		async (onError, method) => {
			service.faults.add({ kind: 'timeout', when: 'before' });
			const parameters = method === 'GET' ? read : save;
			const { ended, stop } = stoppable(
				async (onStart) => await send(parameters, { items: people.slice(0, 1), node: { onError }, onStart }),
			);
			await until(() => service.requests.length === 1);
			const stoppedAt = performance.now();
			stop();
			const result = await ended;
			expect(performance.now() - stoppedAt).toBeLessThan(1500);
			const error = onError === 'stopWorkflow' ? result.error! : result.outputs.flat()[0]!.error!;
			const advice = method === 'GET' ? '' : ` ${unknown}`;
			expect(error.message).toBe('The execution was canceled');
			expect(error.description).toBe(`The request was already in progress.${advice}`);
			expect(service.requests).toHaveLength(1);
		},
	);

	test('reads no further page when trouble ends the run, and its item says that nothing was done', async () => {
		for (const contact of addContacts(service.data, 120)) contact.invitedBy = telegram;
		const isOfOthers = matching(({ contact_id }) => contact_id !== String(telegram));
		service.faults.add({ kind: 'delay', ms: 300 });
		service.faults.add({ kind: 'delay', ms: 1000, match: { recipient: telegram } });
		service.faults.add({ kind: 'forbidden', match: isOfOthers });
		const items = [telegram, whatsapp, viber, vk].map((id) => ({ id }));
		const node = { onError: 'continueRegularOutput' } as const;
		const { json } = await send({ ...read, returnAll: true }, { items, node });
		const { message } = accessRefused(403, { expected: [], isForeign: false });
		expect(json[0]!.error).toBe(`Nothing was sent. ${message} [Item 0]`);
		expect(json[0]!.message).not.toMatch(/part of this item/i);
		expect(sent().filter((id) => id === telegram)).toHaveLength(1);
	});
});
