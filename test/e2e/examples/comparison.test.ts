import { setTimeout } from 'node:timers/promises';

import { addContacts, SEEDED } from '../../../sandbox/emulator';
import { type Execution, until } from '../../../sandbox/host';
import { credentialFor } from '../../../sandbox/start/sandbox';
import { openBench } from '../support/bench';
import { broadcast, compared, segment, storeCompared } from '../support/comparison';
import { duringTests } from '../../duringTests';
import { blocked, doneButNotSaid, refusal } from '../support/examples';

const bench = duringTests(openBench);

const { telegram, whatsapp, vk } = SEEDED.contacts;
const anotherOne = 5008;

/** The two ways, and where each of them lists who was not reached. */
const ways = [
	{ file: compared.http, notReached: (run: Execution) => run.output('Other than 429?') },
	{ file: compared.ours, notReached: (run: Execution) => run.output('Send message', 1) },
];

afterEach(() => bench.service.assertContract());

/** Contacts with the tag. The one who marks a contact as written to has created a tag for it. */
function prepare(file: string, ...ids: number[]): void {
	const { service } = bench;
	service.reset();
	// Only this package asks for the tags that a service leaves out.
	if (file === compared.http) service.dialect.with = 'understood';
	service.data.bots.get(SEEDED.bots.school)!.tags.push(broadcast);
	for (const id of ids) service.data.contacts.get(id)!.tags.push(segment);
}

/** Whose message the service delivered how often. */
function delivered(): Record<number, number> {
	const counts: Record<number, number> = {};
	for (const { contactId } of bench.service.deliveries()) counts[contactId] = (counts[contactId] ?? 0) + 1;
	return counts;
}

const once = (...ids: number[]) => Object.fromEntries(ids.map((id) => [id, 1]));

test.each(ways)(
	'$file reaches each contact with the tag once, waits after a 429, lists who was not reached, and continues when it is started again',
	async ({ file, notReached }) => {
		const { api, service } = bench;
		prepare(file, telegram, whatsapp, vk, anotherOne);
		// More than a page.
		const last = addContacts(service.data, 500).at(-1)!;
		last.tags.push(segment);
		service.faults.add({ kind: 'too many', retryAfter: 1, match: { recipient: whatsapp, times: 1 } });
		service.faults.add(refusal('sendMessage', anotherOne));
		const id = await storeCompared(bench, file);

		const first = await api.runWorkflow(id);
		expect(first.status).toBe('success');
		expect(delivered()).toEqual(once(telegram, whatsapp, vk, last.id));
		const text = expect.stringMatching(/^Здравствуйте, Анна Соколова! В субботу/) as string;
		expect(service.deliveries()).toContainEqual(expect.objectContaining({ contactId: telegram, text }));
		expect(notReached(first).map(({ json }) => Number(json.id))).toEqual([anotherOne]);
		expect(JSON.stringify(notReached(first))).toContain(blocked);

		service.faults.clear();
		await api.runWorkflow(id);
		expect(delivered()).toEqual(once(telegram, whatsapp, vk, last.id, anotherOne));
	},
);

test('only with Chatbot Service, a message whose outcome is unknown is not sent again', async () => {
	const { api, service } = bench;
	const times = [];
	for (const { file } of ways) {
		prepare(file, telegram, vk);
		service.faults.add(doneButNotSaid('sendMessage', vk));
		const id = await storeCompared(bench, file);
		await api.runWorkflow(id);
		service.faults.clear();
		await api.runWorkflow(id);
		times.push(delivered());
	}
	expect(times).toEqual([{ [telegram]: 1, [vk]: 2 }, once(telegram, vk)]);
});

test('only with Chatbot Service, Stop ends the sending, and a new start then reaches everybody once', async () => {
	const { api, service } = bench;
	const credential = await api.createCredential(credentialFor(service, { requestsPerSecond: 2 }));
	const counts = [];
	for (const { file } of ways) {
		prepare(file);
		const people = addContacts(service.data, 12);
		for (const { tags } of people) tags.push(segment);
		const id = await storeCompared({ ...bench, credential }, file);
		const execution = await api.startWorkflow(id);
		await until(() => service.deliveries().length >= 4);
		await api.stopExecution(execution);
		await api.waitForExecution(execution);
		// Longer than the rest would take.
		await setTimeout(8_000);
		const stoppedAt = service.deliveries().length;
		await api.runWorkflow(id);
		const times = people.map((person) => delivered()[person.id] ?? 0);
		counts.push({
			isStopped: stoppedAt < people.length,
			least: Math.min(...times),
			most: Math.max(...times),
		});
	}
	expect(counts).toEqual([
		{ isStopped: false, least: 2, most: 2 },
		{ isStopped: true, least: 1, most: 1 },
	]);
});
