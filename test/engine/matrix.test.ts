import type { IDataObject } from 'n8n-workflow';

import type { Expected } from '../../nodes/ChatbotService/client/advice';
import {
	notFound,
	underMaintenance,
	unknownEndpoint,
	type Failure,
} from '../../nodes/ChatbotService/client/failure';
import type { Emulator } from '../../sandbox/emulator';
import {
	isReading,
	isRequestOf,
	operationOf,
	operations,
	parametersOf,
	unknownOf,
	type Operation,
} from '../operations';
import { startAnswering } from './answering';
import { modes, runAll, type Attempt } from './everyOperation';
import { faults, type Outcome } from './faults';
import { credentialFor, runNode, withEmulator } from './harness';

/*
 * Every operation with every fault: how often the request is sent, what is output, and what the error says. The error mode changes
 * from fault to fault, so that each operation meets each of them.
 */

const messages = operations.filter(({ resource }) => resource === 'message');

type Mode = (typeof modes)[number];
const modeOf = (place: number): Mode => modes[place % modes.length]!;

function expectFailure(
	{ context, mode, onError, result, rows, said, title: operation }: Attempt,
	{ message, description }: Outcome['failure'],
) {
	const [title, text] = said;
	expect([context, title]).toEqual([context, `${message} [Item 0]`]);
	expect([context, text]).toEqual([context, expect.stringContaining(description)]);
	expect([context, text]).toEqual([context, expect.stringMatching(/\.$/)]);
	// A run of one item: the error contains no counts of items.
	expect([context, text]).toEqual([context, expect.not.stringContaining(' items')]);
	if (onError) expect([context, rows[0]?.pairedItem]).toEqual([context, { item: 0 }]);
	if (mode === 'error output') {
		expect([context, rows[0]?.json.lead, result.outputs[0]]).toEqual([context, operation, []]);
	}
}

function expectNoToken(attempts: Attempt[], { token }: { token: string }) {
	for (const { context, result } of attempts) {
		expect([context, JSON.stringify(result.run).includes(token)]).toEqual([context, false]);
	}
}

async function expectOutcome(service: Emulator, outcome: Outcome, mode: Mode) {
	const { fault, failure, isUnknown = false, says, saysNot, attempts = 1 } = outcome;
	if (outcome.beside) service.faults.add(outcome.beside);
	service.faults.add(fault);
	const requestOptions = fault.kind === 'timeout' ? { timeout: 3000 } : {};
	const tried = await runAll(service, mode, { requestOptions });

	expectNoToken(tried, service);
	for (const attempt of tried) {
		const { context, idempotent, sent, said, result } = attempt;
		if (outcome.onlyForReading && !isReading(attempt)) {
			const { error, outputs } = result;
			expect([context, sent.length, error, outputs[0]!.length]).toEqual([context, 1, undefined, 1]);
			continue;
		}
		expect([context, sent.length]).toEqual([context, idempotent ? attempts : 1]);
		expectFailure(attempt, failure);
		const [, text] = said;
		const isSaid = isUnknown === 'changing' ? !isReading(attempt) : isUnknown;
		expect([context, text, String(text).startsWith(unknownOf(attempt))]).toEqual([context, text, isSaid]);
		if (says) expect([context, text]).toEqual([context, expect.stringMatching(says)]);
		if (saysNot) expect([context, text]).toEqual([context, expect.not.stringMatching(saysNot)]);
	}
}

const isTimeout = ({ fault }: Outcome) => fault.kind === 'timeout';
const met = faults.map(([name, outcome], place): [string, Outcome, Mode] => [name, outcome, modeOf(place)]);
const title = 'after %s, only idempotent operations are repeated, and the error states the outcome';

test.concurrent.each(met.filter(([, outcome]) => !isTimeout(outcome)))(
	title,
	withEmulator(async (service, _name, outcome, mode) => await expectOutcome(service, outcome, mode)),
);

/** What an operation names that may not exist. */
const expectedOf = ({ variants: [usual] }: Operation): Expected[] =>
	usual!.fields.flatMap(({ label, whatItIs }) => (whatItIs ? [{ label, whatItIs }] : []));

test.concurrent.each<[string, number, string, (status: number, of: Expected[], words: string) => Failure]>([
	[
		'finds nothing, the error says that what the operation names does not exist',
		404,
		'Нет',
		(status, of, words) => (of.length ? notFound : unknownEndpoint)(status, of, words),
	],
	['accepts no such request, the error blames the address', 405, 'Нет', unknownEndpoint],
	[
		'has no such route, the error blames the address',
		404,
		'The route app/api/v1/x could not be found.',
		unknownEndpoint,
	],
])(
	'when the service %s',
	withEmulator(async (service, _name, status, words, failureOf) => {
		service.faults.add({ kind: 'answer', status, body: { message: words } });
		for (const attempt of await runAll(service, modeOf(0))) {
			const { context, sent, said } = attempt;
			const { message, description } = failureOf(status, expectedOf(attempt), words);
			expect([context, sent.length]).toEqual([context, 1]);
			expect([context, ...said]).toEqual([context, `${message} [Item 0]`, description]);
		}
	}),
);

/*
 * The API does not document the answers to most requests that change something, and each method of a Laravel controller may return
 * something else. This shows what n8n makes of such bodies before the node reads them.
 */
const json = 'application/json';
const page = 'text/html; charset=UTF-8';
const changing = operations.filter(({ answer }) => answer === 'done' || answer === 'deleted');

test.concurrent.each<[string, number, string | undefined, string]>([
	['no content', 204, undefined, ''],
	['an empty page', 200, page, ''],
	['the text 1', 200, page, '1'],
	['the text true', 200, page, 'true'],
	['the text ok', 200, page, 'ok'],
	['the text null', 200, page, 'null'],
	['true as JSON', 200, json, 'true'],
	['1 as JSON', 200, json, '1'],
	['null as JSON', 200, json, 'null'],
	['an empty list', 200, json, '[]'],
	['an empty object', 200, json, '{}'],
])(
	'every change has succeeded that is answered with %s',
	withEmulator(async (service, _name, status, type, body) => {
		const headers = type ? { 'content-type': type } : undefined;
		service.faults.add({ kind: 'answer', when: 'after', status, headers, body });
		for (const attempt of await runAll(service, modeOf(1), { chosen: changing })) {
			const { answer, asks, context, result, sent, title } = attempt;
			const done = answer === 'deleted' ? { deleted: true } : { success: true };
			const item = asks ? { lead: title } : done;
			expect([context, sent.length, result.json]).toEqual([context, 1, [item]]);
		}
	}),
);

/* Nothing was processed before maintenance ends, so non-idempotent requests can be repeated too. */
test.concurrent.each<[string, Mode, { retryAfter?: number; page?: boolean }]>([
	['ends', modeOf(0), { retryAfter: 1 }],
	['is reported by a page and ends', modeOf(1), { page: true }],
	['takes too long', modeOf(2), { page: false }],
])(
	'during maintenance every request is repeated: it %s',
	withEmulator(async (service, ...row) => {
		const [end, mode, how] = row;
		const ends = end !== 'takes too long';
		for (const operation of operations) {
			const match = { path: operation.endpoint, where: isRequestOf(operation), times: 2 };
			service.faults.add({ kind: 'maintenance', ...how, match });
		}
		if (!ends) service.faults.add({ kind: 'maintenance', ...how, retryAfter: 900 });
		const tried = await runAll(service, mode);

		expect(service.deliveries()).toHaveLength(ends ? messages.length : 0);
		for (const attempt of tried) {
			const { context, sent, said } = attempt;
			const statuses = sent.map(({ status }) => status);
			expect([context, statuses]).toEqual([context, [503, 503, ends ? 200 : 503]]);
			if (ends) {
				expect([context, said[0]]).toEqual([context, undefined]);
			} else {
				expectFailure(attempt, underMaintenance(503));
			}
		}
	}),
);

/* Alone, so that no request is late because of the others. */
test.each(met.filter(([, outcome]) => isTimeout(outcome)))(
	title,
	withEmulator(async (service, _name, outcome, mode) => await expectOutcome(service, outcome, mode)),
);

describe('an answer that no service should give', () => {
	const nested = (depth: number, inner: string) => `${'{"а":'.repeat(depth)}${inner}${'}'.repeat(depth)}`;
	const row = '{"id":1,"name":"VIP"}';

	/** What they read: rows, a record, and whether something was done. */
	const [rows, record, done] = ['tag/getManyByBot', 'listSchema/get', 'message/send'];

	const odd: Array<[string, Array<string | undefined>, (token: string) => string]> = [
		[
			'nested 30,000 deep with the token in it',
			[record, done],
			(token) => nested(30_000, JSON.stringify(token)),
		],
		['nested 30,000 deep in a list', [rows], () => `{"data":[${nested(30_000, '1')}]}`],
		['nested 30,000 deep in a refusal', [done], () => `{"success":false,"error":${nested(30_000, '1')}}`],
		['of 30,000 lists in each other', [rows, done], () => `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
		['of 200,000 rows', [rows], () => `{"data":[${Array.from({ length: 200_000 }, () => row).join()}]}`],
		[
			'with a text of 5 MB',
			[record, done],
			() => JSON.stringify({ success: true, text: 'я'.repeat(2_500_000) }),
		],
		['of 5 MB of text', [done], () => 'я'.repeat(2_500_000)],
		['of 5 MB of tags', [record], () => '<a '.repeat(1_700_000)],
		[
			'with 100,000 refused fields',
			[done],
			() => `{"errors":{${Array.from({ length: 100_000 }, (_, n) => `"f${n}":["Нет"]`).join()}}}`,
		],
		[
			'with keys of every object',
			[record, done],
			() => '{"data":{"toString":1,"hasOwnProperty":2,"__proto__":null},"toJSON":5}',
		],
	];

	/* All at once, because idempotent requests are repeated after several seconds. */
	test('becomes rows or a failure, and the token appears nowhere', async () => {
		const tryOne = async (name: string, bodyOf: (token: string) => string, title: string) => {
			const token = 'секретный-токен';
			const answering = await startAnswering(() => bodyOf(token));
			const { error, outputs } = await runNode({
				parameters: parametersOf(operationOf(title).variants[0]!),
				credential: credentialFor({ ...answering, token }),
				node: { onError: 'continueErrorOutput' },
			});
			const ended = outputs.flat().map(({ json }) => json);
			expect([name, title, error, ended.length > 0]).toEqual([name, title, undefined, true]);
			expect([name, title, holdsText(ended, token)]).toEqual([name, title, false]);
			expect(answering.targets.length).toBeGreaterThan(0);
		};
		await Promise.all(
			odd.flatMap(([name, readers, bodyOf]) =>
				readers.map(async (title) => await tryOne(name, bodyOf, title!)),
			),
		);
	});
});

/** Whether the value contains the text at any depth. */
function holdsText(value: unknown, text: string): boolean {
	const left: unknown[] = [value];
	while (left.length) {
		const each = left.pop();
		if (typeof each === 'string' && each.includes(text)) return true;
		if (typeof each === 'object' && each !== null)
			for (const one of Object.values(each as IDataObject)) left.push(one);
	}
	return false;
}
