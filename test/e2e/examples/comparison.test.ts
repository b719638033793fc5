import { setTimeout } from 'node:timers/promises';

import { addContacts, SEEDED } from '../../../sandbox/emulator';
import { type Execution, until } from '../../../sandbox/host';
import { credentialFor } from '../../../sandbox/start/sandbox';
import { broadcast, compared, segment, storeCompared } from '../support/comparison';
import { blocked, doneButNotSaid, openExamples, refusal, rows } from '../support/examples';

/* What docs/from-http-request.md says of the same broadcast, built with HTTP Request and with this package. */

const bench = openExamples();
const { telegram, whatsapp, vk } = SEEDED.contacts;
const refused = 5008;

/** The two ways, and where each of them lists who was not reached. */
const ways = [
	{ file: compared.http, notReached: (run: Execution) => rows(run, 'Other than 429?') },
	{
		file: compared.ours,
		notReached: (run: Execution) => run.output('Send message', 1).map(({ json }) => json),
	},
];

/** Contacts with the tag. The one who marks a contact as written to has created a tag for it. */
function prepare(file: string, ids: number[]): void {
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

test.each(ways)('two runs of $file reach all once', async ({ file, notReached }) => {
	const { api, service } = bench;
	prepare(file, [telegram, whatsapp, vk, refused]);
	service.faults.add({ kind: 'too many', retryAfter: 1, match: { recipient: whatsapp, times: 1 } });
	service.faults.add(refusal('sendMessage', refused));
	const id = await storeCompared(bench, file);

	const first = await api.runWorkflow(id);
	expect(first.status).toBe('success');
	expect(delivered()).toEqual({ [telegram]: 1, [whatsapp]: 1, [vk]: 1 });
	const text = expect.stringMatching(/^Здравствуйте, Анна Соколова! В субботу/) as string;
	expect(service.deliveries()).toContainEqual(expect.objectContaining({ contactId: telegram, text }));
	expect(notReached(first).map((json) => Number(json.id))).toEqual([refused]);
	expect(JSON.stringify(notReached(first))).toContain(blocked);

	service.faults.clear();
	await api.runWorkflow(id);
	expect(delivered()).toEqual({ [telegram]: 1, [whatsapp]: 1, [vk]: 1, [refused]: 1 });
});

test('only HTTP Request repeats an unknown outcome', async () => {
	const { api, service } = bench;
	const times = [];
	for (const { file } of ways) {
		prepare(file, [telegram, vk]);
		service.faults.add(doneButNotSaid('sendMessage', vk));
		const id = await storeCompared(bench, file);
		await api.runWorkflow(id);
		service.faults.clear();
		await api.runWorkflow(id);
		times.push(delivered());
	}
	expect(times).toEqual([
		{ [telegram]: 1, [vk]: 2 },
		{ [telegram]: 1, [vk]: 1 },
	]);
});

test('Stop ends only the broadcast of this package', async () => {
	const { api, service } = bench;
	const credential = await api.createCredential(credentialFor(service, { requestsPerSecond: 2 }));
	const counts = [];
	for (const { file } of ways) {
		prepare(file, []);
		const people = addContacts(service.data, 12);
		for (const { tags } of people) tags.push(segment);
		const id = await storeCompared({ ...bench, credential }, file);
		const execution = await api.startWorkflow(id);
		await until(() => service.deliveries().length >= 4);
		await api.stopExecution(execution);
		await api.waitForExecution(execution);
		// Longer than the rest would take.
		await setTimeout(8_000);
		const isStopped = service.deliveries().length < people.length;
		await api.runWorkflow(id);
		counts.push({ isStopped, times: [...new Set(people.map(({ id: person }) => delivered()[person]))] });
	}
	expect(counts).toEqual([
		{ isStopped: false, times: [2] },
		{ isStopped: true, times: [1] },
	]);
});
