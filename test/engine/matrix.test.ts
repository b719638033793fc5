import type { Expected } from '../../nodes/ChatbotService/client/failure/advice';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import type { Emulator } from '../../sandbox/emulator';
import { beginsByReading, operations, unknownOf, type Operation } from '../operations';
import { times } from '../times';
import { startAnswering } from './answering';
import { isSentBy, modes, runAll, type Attempt, type Mode } from './everyOperation';
import { useFastTime } from './fastTime';
import { faults, type Outcome } from './faults';
import { credentialFor, runNode, withEmulator } from './harness';
import { usual } from './scene';

/*
 * Every operation with faults of every kind: how often the request is sent, what is output, and what the error says. The error mode
 * changes from fault to fault, so that each operation meets each of them. By day, each fault meets a quarter of the operations.
 */

useFastTime(10);

const modeOf = (place: number): Mode => modes[place % modes.length]!;

/** The operations that meet a fault, in groups that are small enough for a busy machine. */
const groupsAt = (place: number): Operation[][] =>
	(times(1) > 1 ? [0, 1, 2, 3] : [0]).map((more) =>
		operations.filter((_, index) => (index + place + more) % 4 === 0),
	);

function expectFailure(attempt: Attempt, { message, description }: Outcome['failure']) {
	const { context, mode, result, rows, said, title } = attempt;
	const [, text] = said;
	// A run of one item: the error contains no counts of items.
	const isWhole = String(text).endsWith('.') && !String(text).includes(' items');
	const expected = [`${message} [Item 0]`, expect.stringContaining(description), true];
	expect([context, ...said, isWhole]).toEqual([context, ...expected]);
	if (mode !== 'stopWorkflow') expect([context, rows[0]?.pairedItem]).toEqual([context, { item: 0 }]);
	if (mode === 'continueErrorOutput')
		expect([context, rows[0]?.json.lead, result.outputs[0]]).toEqual([context, title, []]);
}

function expectOutcome(attempt: Attempt, outcome: Outcome, token: string) {
	const { failure, isUnknown = false, says = /./, saysNot = /^$/, attempts = 1 } = outcome;
	const { context, idempotent, sent, said, result } = attempt;
	expect([context, JSON.stringify(result.run).includes(token)]).toEqual([context, false]);
	const isSuccess = outcome.onlyForReading === true && !beginsByReading(attempt);
	expect([context, sent.length]).toEqual([context, idempotent && !isSuccess ? attempts : 1]);
	if (isSuccess)
		return expect([context, result.error, result.outputs[0]!.length]).toEqual([context, undefined, 1]);
	expectFailure(attempt, failure);
	const text = String(said[1]);
	const isSaid = isUnknown === 'changing' ? !beginsByReading(attempt) : isUnknown;
	expect([context, text, text.startsWith(unknownOf(attempt))]).toEqual([context, text, isSaid]);
	expect([context, text]).toEqual([context, expect.stringMatching(says)]);
	expect([context, text]).toEqual([context, expect.not.stringMatching(saysNot)]);
}

const meetsFault = withEmulator(async (service: Emulator, _name: string, outcome: Outcome, place: number) => {
	const { fault, beside } = outcome;
	if (beside) service.faults.add(beside);
	service.faults.add(fault);
	const requestOptions = fault.kind === 'timeout' ? { timeout: 2000 } : {};
	for (const chosen of groupsAt(place))
		for (const attempt of await runAll(service, modeOf(place), { chosen, requestOptions }))
			expectOutcome(attempt, outcome, service.token);
});

/* A time-out alone, so that no request is late because of the others: it passes, and so does the patience of a request alone. */
for (const isTimeout of [false, true])
	(isTimeout ? test : test.concurrent).each(
		faults
			.map(([name, outcome], place) => [name, outcome, place] as const)
			.filter(([, { fault }]) => (fault.kind === 'timeout') === isTimeout),
	)('%s: only what is idempotent is repeated', meetsFault);

/** What an operation names that may not exist. */
const expectedOf = ({ variants: [usual] }: Operation): Expected[] =>
	usual!.fields.flatMap(({ label, whatItIs }) => (whatItIs ? [{ label, whatItIs }] : []));

const nothingFound = (status: number, of: Expected[], words: string) =>
	(of.length ? failures.notFound : failures.unknownEndpoint)(status, of, words);

test.concurrent.each<[string, number, string, typeof nothingFound]>([
	['finds nothing, the error says what does not exist', 404, 'Нет', nothingFound],
	['accepts no such request, the error blames the address', 405, 'Нет', failures.unknownEndpoint],
	['has no such route, so it does', 404, 'The route app/x could not be found.', failures.unknownEndpoint],
])(
	'when the service %s',
	withEmulator(async (service, _name, status, words, failureOf) => {
		service.faults.add({ kind: 'answer', status, body: { message: words } });
		const chosen = words === 'Нет' ? operations : groupsAt(0)[0]!;
		for (const attempt of await runAll(service, modeOf(0), { chosen })) {
			const { context, sent, said } = attempt;
			const { message, description } = failureOf(status, expectedOf(attempt), words);
			const saying = [`${message} [Item 0]`, expect.stringContaining(description)];
			expect([context, sent.length, ...said]).toEqual([context, 1, ...saying]);
		}
	}),
);

/*
 * The API does not document the answers to most requests that change something, and each method of a Laravel controller may return
 * something else. This shows what n8n makes of such bodies before the node reads them.
 */
const changing = operations.filter(({ answer }) => answer === 'done' || answer === 'deleted');

test.concurrent.each<[string, number, string | undefined, string]>([
	['no content', 204, undefined, ''],
	['the text ok', 200, 'text/html; charset=UTF-8', 'ok'],
	['null as JSON', 200, 'application/json', 'null'],
	['an empty list', 200, 'application/json', '[]'],
])(
	'every change has succeeded that is answered with %s',
	withEmulator(async (service, _name, status, type, body) => {
		const headers = type ? { 'content-type': type } : undefined;
		service.faults.add({ kind: 'answer', when: 'after', status, headers, body });
		for (const attempt of await runAll(service, modeOf(1), { chosen: changing })) {
			const { answer, context, question, result, sent, title } = attempt;
			const done = answer === 'deleted' ? { deleted: true } : { success: true };
			expect([context, sent.length, result.json]).toEqual([context, 1, [question ? { lead: title } : done]]);
		}
	}),
);

const nested = (inner: string) => `${'{"а":'.repeat(30_000)}${inner}${'}'.repeat(30_000)}`;
const manyOf = (each: (index: number) => string) => Array.from({ length: 200_000 }, (_, n) => each(n)).join();

/** What they read: rows, a record, and whether something was done. The last two are not repeated. */
const [rows, record, done] = ['tag/getManyByBot', 'contact/upsert', 'message/send'] as const;

const secret = 'секретный-токен';

test.concurrent.each<[string, string, string]>([
	['nested 30,000 deep with the token in it', record, nested(JSON.stringify(secret))],
	['nested 30,000 deep in a refusal', done, `{"success":false,"error":${nested('1')}}`],
	['of 30,000 lists in each other', rows, `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
	['with a text of 5 MB', done, JSON.stringify({ success: true, text: 'я'.repeat(2_500_000) })],
	['with 200,000 refused fields', done, `{"errors":{${manyOf((n) => `"f${n}":["Нет"]`)}}}`],
	['with keys of every object', record, '{"data":{"toString":1,"__proto__":null},"toJSON":5}'],
])('an answer %s ends the item of %s, without the token', async (_, title, body) => {
	const answering = await startAnswering(() => body);
	const { error, outputs } = await runNode({
		parameters: usual(title),
		credential: credentialFor({ ...answering, token: secret }),
		node: { onError: 'continueErrorOutput' },
	});
	const ended = outputs.flat().map((item) => item.json);
	expect([error, ended.length > 0, holdsText(ended, secret)]).toEqual([undefined, true, false]);
	expect(answering.targets.length).toBeGreaterThan(0);
});

/** Whether the value contains the text at any depth: those of JSON would not end. */
function holdsText(value: unknown, text: string): boolean {
	const left = [value];
	for (const each of left)
		if (typeof each === 'object' && each !== null) for (const inner of Object.values(each)) left.push(inner);
	return left.some((each) => typeof each === 'string' && each.includes(text));
}

/* Nothing was processed before maintenance ends, so non-idempotent requests can be repeated too. */
test.each<[string, { retryAfter?: number; page?: boolean }, number]>([
	['ends', { retryAfter: 1 }, 0],
	['is reported by a page and takes too long', { page: true }, 1],
])(
	'in maintenance every request is repeated: it %s',
	withEmulator(async (service, end, how, place) => {
		const ends = end === 'ends';
		const groups = groupsAt(place);
		for (const operation of groups.flat()) {
			const match = { path: operation.endpoint, where: isSentBy(service, operation), times: 2 };
			service.faults.add({ kind: 'maintenance', ...how, match });
		}
		if (!ends) service.faults.add({ kind: 'maintenance', retryAfter: 900 });
		for (const chosen of groups)
			for (const attempt of await runAll(service, modeOf(place), { chosen })) {
				const { context, sent, said } = attempt;
				const statuses = sent.map(({ status }) => status);
				expect([context, statuses]).toEqual([context, [503, 503, ends ? 200 : 503]]);
				if (ends) expect([context, said[0]]).toEqual([context, undefined]);
				else expectFailure(attempt, failures.underMaintenance(503));
			}
		const messages = groups.flat().filter(({ resource }) => resource === 'message');
		expect(service.deliveries()).toHaveLength(ends ? messages.length : 0);
	}),
);
