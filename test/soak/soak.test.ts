import { createHash } from 'node:crypto';

import { webPage } from '../../nodes/ChatbotService/client/failure/failure';
import { SEEDED, startEmulator, type Emulator, type RecordedRequest } from '../../sandbox/emulator';
import { seededRandom } from '../../sandbox/emulator/random';
import { duringTests } from '../duringTests';
import { credentialFor, runNode, type RunResult } from '../engine/harness';
import { isReading, operations, unknownOf } from '../operations';
import { faults, itemIn, nodes, recordsOf, type Item, type SoakNode } from './items';

/*
 * Thousands of items of every operation, in many concurrent workflows and with several accounts, with a service that has every
 * kind of fault. The outcome of each item in n8n is compared with the record of the service.
 */

const { seed } = jest.requireActual<{ seed: number }>('../seed');
const count = Number(process.env.SOAK_ITEMS ?? 3000);
const random = seededRandom(seed);
const below = (end: number) => Math.floor(random() * end);

const requestsPerSecond = 10;
const accounts = Array.from({ length: 40 }, (_, account) => `soak-${seed}-${account}-7f3c2e91`);
const workflowsAtOnce = 3;

interface Run {
	node: SoakNode;
	account: number;
	/** A few of them have no values, so that nothing may be sent. */
	items: Array<{ number: number; json: object; isInvalid: boolean }>;
	errorOutput: boolean;
	retryOnFail: boolean;
	/** When the user stops it; undefined if the user does not. */
	stopAfterMs: number | undefined;
}

const runs: Run[] = [];
for (let number = 0; number < count;) {
	const node = nodes[below(nodes.length)]!;
	const items: Run['items'] = [];
	for (const end = Math.min(count, number + 1 + below(15)); number < end; number++) {
		const isInvalid = node.own.length > 0 && random() < 0.02;
		const values = isInvalid ? [] : node.own.map(([field, valueOf]) => [field, valueOf(recordsOf(number))]);
		items.push({ number, json: { ...Object.fromEntries(values), number }, isInvalid });
	}
	const [errorOutput, retryOnFail, isStopped] = [random() < 0.5, random() < 0.2, random() < 0.06];
	const stopAfterMs = isStopped ? below(3000) : undefined;
	runs.push({ node, account: below(accounts.length), items, errorOutput, retryOnFail, stopAfterMs });
}

/** How often an item may have taken effect, by its outcome in n8n; stopping a workflow drops all answers. */
const allowed = { done: [1], notDone: [0], unknown: [0, 1], canceled: [0, 1] };
type Outcome = keyof typeof allowed;

/** By the number of the item, and what is wrong with outputs. */
const outcomes: Outcome[] = [];
const problems: string[] = [];

/** The node's texts for an unknown outcome. Of an item that only reads, a page instead of an answer says no more. */
const doubts = [...operations.map(unknownOf), webPage(200, undefined).message];

const service = duringTests(async () => await startEmulator());

beforeAll(async () => {
	service.setLimits({ account: { requests: requestsPerSecond, windowMs: 1000 } });
	for (const token of accounts) service.data.accounts.push({ token, apiAccess: true });
	for (let number = 0; number < count; number++) provide(service.data, recordsOf(number));
	// The engine starts some things once for all runs.
	await runOne({ ...runs[0]!, node: nodes[0]! });
	service.requests.length = 0;
	addFaults(service);
	const ofAccount = accounts.map((_, account) => runs.filter((run) => run.account === account).values());
	const worker = async (left: (typeof ofAccount)[number]) => {
		for (const run of left) note(run, await runOne(run));
	};
	await Promise.all(ofAccount.flatMap((left) => Array.from({ length: workflowsAtOnce }, () => worker(left))));
});

/** What the service has for an item: a bot, a contact, and a list with one item. */
function provide(data: Emulator['data'], { id, schemaId, listItemId }: Item) {
	const createdAt = '2026-11-05T09:30:00+03:00';
	const tags = ['VIP', 'Новый лид'];
	const variables = [{ id, name: 'Город', value: 'Казань', deletable: false }];
	const inVk = { messenger: 'vk' as const, externalId: String(id), phone: undefined };
	const person = { ...inVk, botId: SEEDED.bots.school, name: 'Анна', createdAt };
	data.bots.set(id, { id, name: 'Бот', tags });
	data.contacts.set(id, { ...person, id, tags: [...tags], variables });
	const text = { type: 'string' as const, is_required: false, is_hidden: false, is_encryptable: false };
	const fields = {
		phone: { ...text, name: 'Телефон' },
		title: { ...text, name: 'Название' },
		stock: { ...text, name: 'Остаток', type: 'number' as const },
	};
	const at = { created_at: createdAt, updated_at: createdAt };
	data.listSchemas.set(schemaId, { id: schemaId, name: 'Клиенты', is_menu: false, fields, ...at });
	const values = { title: 'Розы', stock: 1 };
	data.listItems.set(listItemId, { id: listItemId, schemaId, values, createdAt, updatedAt: createdAt });
}

/** With the same seed, the same attempts for an item have the same faults, in whatever order the requests arrive. */
function addFaults({ faults: active }: Emulator) {
	const attempts: Record<string, number> = {};
	const known = new WeakMap<RecordedRequest, number>();
	const faultOf = (request: RecordedRequest) => {
		const { operation, input, query, headers } = request;
		const about =
			itemIn(input) ?? `${String(query.api_token ?? headers.authorization)} ${String(input.page)}`;
		const attempt = (attempts[`${operation} ${about}`] = (attempts[`${operation} ${about}`] ?? 0) + 1);
		const digest = createHash('sha256').update(`${seed} ${operation} ${about} ${attempt}`).digest();
		let left = (digest.readUInt32LE() / 2 ** 32) * 1000;
		return faults.findIndex(([perMille]) => (left -= perMille) < 0);
	};
	for (const [index, [, fault]] of faults.entries()) {
		const where = (request: RecordedRequest) => {
			if (!known.has(request)) known.set(request, faultOf(request));
			return known.get(request) === index;
		};
		active.add({ ...fault, match: { seed, where } });
	}
}

const runOne = async ({ node, account, items, errorOutput, retryOnFail, stopAfterMs }: Run) =>
	await runNode({
		parameters: { ...node.parameters, requestOptions: { timeout: 2000 } },
		credential: credentialFor(
			{ ...service, url: service.url, token: accounts[account]! },
			{ requestsPerSecond, tokenPlacement: account % 2 ? 'bearer' : 'query' },
		),
		items: items.map(({ json }) => json) as never,
		node: {
			onError: errorOutput ? 'continueErrorOutput' : 'continueRegularOutput',
			...(retryOnFail && { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 }),
		},
		onStart: (cancel) => {
			if (stopAfterMs !== undefined) setTimeout(cancel, stopAfterMs).unref();
		},
	});

/** Records the outcome of each item of a run, and problems of the output. */
function note(run: Run, { run: { status }, outputs, error }: RunResult) {
	const { title, answer } = run.node.operation;
	if (status === 'canceled' && run.stopAfterMs !== undefined) {
		for (const { number } of run.items) outcomes[number] = 'canceled';
		return;
	}
	if (status !== 'success') problems.push(`A run of ${title} ended as ${status}: ${error?.message}`);
	const rows = run.items.map((): Outcome[] => []);
	for (const [output, items] of outputs.entries()) {
		for (const { json, pairedItem } of items) {
			const index = (pairedItem as { item?: number } | undefined)?.item ?? -1;
			const isFailed = run.errorOutput ? output === 1 : typeof json.error === 'string';
			const words = `${String(json.error)} ${String(json.message)}`;
			if (!rows[index] || (isFailed && !words.includes(`[Item ${index}]`)))
				problems.push(`${title}: a row of item ${index} says "${words}"`);
			const failed = doubts.some((doubt) => words.includes(doubt)) ? 'unknown' : 'notDone';
			rows[index]?.push(isFailed ? failed : 'done');
		}
	}
	for (const [index, { number }] of run.items.entries()) {
		const mine = rows[index]!;
		const isList = answer === 'many' && mine.length > 1 && mine.every((each) => each === 'done');
		if (mine.length === 1 || isList) outcomes[number] = mine[0]!;
		else problems.push(`${title}: item ${number} ended as ${mine.join(', ') || 'nothing'}`);
	}
}

test('all operations, faults and outcomes occurred', () => {
	expect(new Set(runs.map(({ node }) => node))).toEqual(new Set(nodes));
	const met = service.requests.flatMap((request) => request.faults);
	expect(new Set(met)).toEqual(new Set(faults.map(([, { kind }]) => kind)));
	expect(new Set(outcomes)).toEqual(new Set(Object.keys(allowed)));
});

test('every item ended once, with its own outcome', () => {
	expect(problems).toEqual([]);
	expect(Object.keys(outcomes)).toHaveLength(count);
});

test('every item took effect as n8n reports it', () => {
	const arrived: Record<number | string, RecordedRequest[]> = {};
	for (const request of service.requests) (arrived[itemIn(request.input) ?? 'none'] ??= []).push(request);
	const fits = (run: Run, isInvalid: boolean, outcome: Outcome, requests: RecordedRequest[]) => {
		const { operation } = run.node;
		const accepted = requests.filter((request) => request.accepted).length;
		if (isInvalid) return requests.length === 0 && outcome !== 'done';
		if (!operation.idempotent) return allowed[outcome].includes(accepted);
		if (outcome === 'done') return accepted >= 1;
		// Reading changes nothing. A second try of the whole node does not know the outcomes of the first one.
		const isSure = !isReading(operation) && !run.retryOnFail;
		return outcome !== 'notDone' || !isSure || accepted === 0;
	};
	const wrong = runs.flatMap((run) =>
		run.items.flatMap(({ number, isInvalid }) => {
			const requests = arrived[number] ?? [];
			const isFine = !run.node.own.length || fits(run, isInvalid, outcomes[number]!, requests);
			return isFine ? [] : `${run.node.operation.title} ${number}: ${outcomes[number]}, ${requests.length}`;
		}),
	);
	expect(wrong).toEqual([]);
	const shared = nodes.filter(({ own }) => !own.length).map(({ operation }) => operation.endpoint);
	expect(new Set(arrived.none?.map(({ operation }) => operation))).toEqual(new Set(shared));
	service.assertContract();
});
