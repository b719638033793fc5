import { SEEDED, type Fault } from '../../sandbox/emulator';
import { operationOf } from '../operations';
import { goodsColumns } from '../operations/fields';
import { credentialFor, retryNode, type RunResult } from './harness';
import { attach, countsIn, getReferrals, postContact, refusal, setVariables, toVk } from './messages';
import { howOften } from './once';
import { apart, errorsOf, goingOn, scene, usual, type Given } from './scene';

/*
 * Retry, which n8n offers for a failed execution, and Retry On Fail, with which n8n runs a failed node again: answered requests are not
 * repeated, requests with an unknown outcome are not repeated, and everything else is done with the current values. Reading is always
 * done again. What a ledger knows about an item: unit/execution.test.ts.
 */

const { service, run, asked, letters } = scene(toVk);

/** A request fails after the others that were sent with it are answered. */
function failOnce(match: Fault['match'], fault: Fault = refusal) {
	service.faults.add({ kind: 'delay', ms: 250, match: { ...match, times: 1 } });
	service.faults.add({ ...fault, match: { ...match, times: 1 } });
}

const tries = { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 };

const { telegram, whatsapp, vk } = SEEDED.contacts;
const ids: unknown[] = [telegram, whatsapp, vk].map(String);
const people = [telegram, whatsapp, vk].map((id, item) => ({ id, text: 'абв'[item]! }));

const tagsOf = usual('tag/getManyByContact', { contactId: '={{ $json.id }}' });

/** The letter of the person of a request, and the first one of its variable. */
const keyOf = ({ input, operation }: (typeof service.requests)[number]) =>
	'абв'.charAt(ids.indexOf(String(input.contact_id ?? input.vk_id))) +
	(operation === 'setContactVariable' ? String(input.name).charAt(0) : '');

const of = (key: string): Fault['match'] => ({ where: (request) => keyOf(request) === key });
const [last, level] = [of('в'), of('вУ')];
const lost: Fault = { kind: 'reset', when: 'after' };

type Row = [string, Given['parameters'], Fault['match'], Fault, string, string?];

/** Which request of the third item fails and how; all requests of the execution, with what leaves again; whose outcome is unknown. */
const rows: Row[] = [
	['messages', toVk, last, refusal, 'а б в в'],
	['a lost message', toVk, last, lost, 'а б в', 'message/send'],
	['tags', attach, last, refusal, 'а б в в'],
	['POSTs', postContact, last, refusal, 'а б в в'],
	['a lost POST', postContact, last, lost, 'а б в', 'api/request'],
	['variables of items', setVariables, level, refusal, 'аВ аГ аУ бВ бГ бУ вГ вУ вВ вГ вУ'],
	['GETs', getReferrals, last, refusal, 'а б в в'],
	['tags of contacts', tagsOf, last, refusal, 'а б в в'],
];

test.each(rows.flatMap((row) => ['Retry', 'Retry On Fail'].map((how): [string, ...Row] => [how, ...row])))(
	'%s: of %s, only what is missing leaves again',
	async (how, ...[, parameters, match, fault, sent, unknown]: Row) => {
		failOnce(match, fault);
		const isRetry = how === 'Retry';
		const first = await run({ parameters, items: people, node: isRetry ? {} : tries });
		if (isRetry) expect(countsIn(first.error?.description)).toEqual([3, 2, 1, 0]);
		const { error, json } = isRetry ? await retryNode(first) : first;
		const isRead = isRetry && (parameters === getReferrals || parameters === tagsOf);
		const expected = isRead ? `а б ${sent}` : sent;
		expect(service.requests.map(keyOf).sort()).toEqual(expected.split(' ').sort());
		if (unknown) expect(error?.description).toContain(operationOf(unknown).unknown);
		else expect([error, json.length > 0]).toEqual([undefined, true]);
	},
);

test('each Retry reads again, also what another has read', async () => {
	service.faults.add({ kind: 'delay', ms: 300, match: { ...last, times: 2 } });
	service.faults.add({ ...refusal, match: { ...last, times: 2 } });
	const failed = await run({ parameters: getReferrals, items: people });
	const again = await retryNode(failed);
	expect(again.error?.message).toContain('[Item 2]');
	for (const each of [failed, again]) {
		const before = service.requests.length;
		const { error } = await retryNode(each);
		expect([error, service.requests.length - before]).toEqual([undefined, 3]);
	}
});

test('Retry On Fail reads again after an unknown outcome', async () => {
	service.faults.add({ kind: 'server error', match: { times: 3 } });
	const { error } = await run({ parameters: getReferrals, items: people.slice(0, 1), node: tries });
	expect([error, asked().length]).toEqual([undefined, 4]);
});

test.each<[string, changes: Given, first?: Given]>([
	['original workflow', {}],
	['a workflow that is not saved', {}, { workflowId: null }],
	['saved workflow, Timeout edited', { parameters: { ...toVk, requestOptions: { timeout: 9000 } } }],
	['saved workflow, On Error edited', { node: goingOn }],
])('answered requests are not repeated by Retry: %s', async (...[, changes, first]) => {
	const items = letters(8);
	failOnce({ recipient: items[7]!.id });
	const failed = await run({ items, ...first });
	expect(failed.error?.description).toMatch(/^7 sent, 1 failed\. .* choose 'Retry' for this execution/);
	service.data.accounts.push({ token: 'renewed-token', apiAccess: true });
	const credential = credentialFor(service, { token: 'renewed-token', tokenPlacement: 'bearer' });
	const { error, outputs } = await retryNode(failed, { credential, ...changes });
	const rows = items.map((_, item) => ({ json: { success: true }, pairedItem: { item } }));
	expect([error, outputs[0]]).toEqual([undefined, rows]);
	expect(howOften(service, items)).toEqual(items.map(() => 1));
	expect(service.requests).toHaveLength(8 + 1);
});

/*
 * n8n offers Retry of an execution until one of its retries succeeds. Each retry starts with a copy of the data of the failed
 * execution, so only n8n's store knows what another retry has done since.
 */
test('a Retry does not repeat what another Retry did', async () => {
	const items = letters(30);
	service.faults.add({ ...refusal, match: { recipient: items[3]!.id, times: 1 } });
	const failed = await run({ items });
	expect(failed.error?.message).toContain('[Item 3]');
	expect(service.deliveries().length).toBeLessThan(25);
	failOnce({ recipient: items[25]!.id });
	const latest = await retryNode(failed);
	expect(latest.error?.message).toContain('[Item 25]');
	// A retry of a retry belongs to the same execution.
	for (const each of [failed, latest]) {
		expect((await retryNode(each)).json).toEqual(items.map(() => ({ success: true })));
		expect(howOften(service, items)).toEqual(items.map(() => 1));
	}
});

/*
 * A request that must not be repeated is identified by its operation, its item and its target, never by its content: users who
 * correct a text and retry want to send it only to the recipients that are missing.
 */
test.each<[title: string, what: string, object, again: number]>([
	['message/send', 'text', { text: 'Другой текст' }, 1],
	['message/send', 'contact', { contactId: '5' }, 2],
	['contactVariable/upsert', 'value', { variableValue: 'Другое' }, 2],
	['listItem/create', 'value', { columns: goodsColumns({ title: 'Иное', stock: 1 }) }, 1],
])('Retry of two items of %s with another %s', async (title, _, changes, again) => {
	failOnce({ nth: 2 });
	const failed = await run({ items: [{}, {}], parameters: usual(title) });
	expect(failed.error?.message).toContain('[Item 1]');
	const before = service.requests.length;
	// A request with another target is sent, whatever the service answers.
	await retryNode(failed, { parameters: usual(title, changes), node: goingOn });
	expect(service.requests.length - before).toBe(again);
});

const contextOf = ({ run: { data } }: RunResult): unknown =>
	data.executionData?.contextData['node:Tested'] ?? {};

test('what is kept is small, without secrets, and goes', async () => {
	expect(contextOf(await run({ items: letters(5), node: apart }))).toEqual({});
	const items = letters(100);
	failOnce({ recipient: items[99]!.id });
	const failed = await run({ items });
	const context = JSON.stringify(contextOf(failed));
	expect(context.length / items.length).toBeLessThanOrEqual(60);
	const secrets = [service.token, 'Письмо', String(items[50]!.id), service.url];
	expect(secrets.filter((each) => context.includes(each))).toEqual([]);
	expect(contextOf(await retryNode(failed))).toEqual({});
});

/* The service answers without the contacts, which are read afterwards. */
test.each(['withoutId', 'nothing'] as const)('a Retry outputs contacts that were saved: %s', async (way) => {
	service.dialect.savedContact = way;
	const parameters = usual('contact/upsert', { externalId: '={{ $json.id }}', additionalFields: {} });
	const items = [900_000, 900_001, 900_002, 900_003].map((id) => ({ id }));
	failOnce({ path: 'createOrUpdateContact', nth: 3 });
	const failed = await run({ parameters, items });
	expect([errorsOf(failed)[0], asked().length]).toEqual([expect.stringContaining('[Item 2]'), 4]);
	const { json } = await retryNode(failed);
	expect(json.map(({ telegram_id }) => ({ id: Number(telegram_id) }))).toEqual(items);
	expect(asked().slice(4)).toEqual(['createOrUpdateContact', 'getContacts']);
});

/* A service that stores no values creates an empty item each time. */
test('Retry On Fail creates no second empty item', async () => {
	service.dialect.newItem = 'flat';
	const { error } = await run({ parameters: usual('listItem/create'), items: [{}], node: tries });
	expect([error?.message, asked()]).toEqual([expect.any(String), ['addListItem']]);
});
