import { isReading, missingOf, operations, unknownOf } from '../operations';
import { modes, runEach, startEach, useEach, type Attempt } from './everyOperation';
import { faults, underMaintenance } from './faults';

/* Every operation, fault and error mode: how often the request is sent, what is output, and what the error says. */

const services = useEach();

const messages = operations.filter(({ resource }) => resource === 'message');

function expectFailure(
	{ context, mode, onError, result, rows, said, title: operation }: Attempt,
	message: RegExp,
) {
	const [title, text] = said;
	expect([context, title]).toEqual([context, expect.stringMatching(message)]);
	expect([context, title]).toEqual([context, expect.stringContaining('[Item 0]')]);
	expect([context, text]).toEqual([context, expect.stringMatching(/\.$/)]);
	// A run of one item: the error contains no counts of items.
	expect([context, text]).toEqual([context, expect.not.stringContaining(' items')]);
	if (onError) expect([context, rows[0]?.pairedItem]).toEqual([context, { item: 0 }]);
	if (mode === 'error output') {
		expect([context, rows[0]?.json.lead, result.outputs[0]]).toEqual([context, operation, []]);
	}
}

function expectNoToken(attempts: Attempt[]) {
	const { token } = services[0]!;
	for (const { context, result } of attempts) {
		expect([context, JSON.stringify(result.run).includes(token)]).toEqual([context, false]);
	}
}

test.each(faults)(
	'after %s, only idempotent operations are repeated, and the error states the outcome',
	async (
		_name,
		{ fault, beside, message, isUnknown = false, says, saysNot, attempts = 1, onlyForReading },
	) => {
		for (const service of services) {
			if (beside) service.faults.add(beside);
			service.faults.add(fault);
		}
		const requestOptions = fault.kind === 'timeout' ? { timeout: 3000 } : {};
		const tried = await runEach(services, { requestOptions });

		expectNoToken(tried);
		for (const attempt of tried) {
			const { context, idempotent, sent, said, result } = attempt;
			if (onlyForReading && !isReading(attempt)) {
				const { error, outputs } = result;
				expect([context, sent.length, error, outputs[0]!.length]).toEqual([context, 1, undefined, 1]);
				continue;
			}
			expect([context, sent.length]).toEqual([context, idempotent ? attempts : 1]);
			expectFailure(attempt, message);
			const [, text] = said;
			const isSaid = isUnknown === 'changing' ? !isReading(attempt) : isUnknown;
			expect([context, text, String(text).startsWith(unknownOf(attempt))]).toEqual([context, text, isSaid]);
			if (says) expect([context, text]).toEqual([context, expect.stringMatching(says)]);
			if (saysNot) expect([context, text]).toEqual([context, expect.not.stringMatching(saysNot)]);
		}
	},
	90_000,
);

const wrongAddress = 'The service does not have this endpoint';
const addressAlone =
	/^Check 'Base URL' in the credential: it must be the address of the service, without a path\.$/;
const addressFirst =
	/^Check 'Base URL' in the credential: it must be the address of the service, without a path\. If other operations work, check '[^.]+'\.$/;
const recordFirst =
	/^Check '[^.]+'\. If the service never finds anything, check 'Base URL' in the credential\.$/;

test.each<[string, number, string, (attempt: Attempt) => string]>([
	['finds nothing, an operation says that there is none of what it names', 404, 'Нет', missingOf],
	['takes no such request, an operation says that the address is wrong', 405, 'Нет', () => wrongAddress],
	[
		'has no such route, an operation says that the address is wrong',
		404,
		'The route app/api/v1/x could not be found.',
		() => wrongAddress,
	],
	[
		'has no such route and no words for it, an operation says that the address is wrong',
		404,
		'',
		() => wrongAddress,
	],
])('when the service %s', async (_name, status, words, sentence) => {
	for (const service of services) service.faults.add({ kind: 'answer', status, body: { message: words } });
	const tried = await runEach(services);

	expectNoToken(tried);
	for (const attempt of tried) {
		const { context, sent, said } = attempt;
		const [title, text] = said;
		expect([context, sent.length]).toEqual([context, 1]);
		expect([context, title]).toEqual([context, `${sentence(attempt)} [Item 0]`]);
		const [advice, quoted] = String(text).split(' The service says: ');
		expect([context, quoted]).toEqual([context, words ? `"${words}".` : undefined]);
		const isAddress = sentence(attempt) === wrongAddress;
		const expected =
			missingOf(attempt) === wrongAddress ? addressAlone : isAddress ? addressFirst : recordFirst;
		expect([context, advice]).toEqual([context, expect.stringMatching(expected)]);
	}
});

/* Nothing was processed before maintenance ends, so non-idempotent requests can be repeated too. */
test('during maintenance every request is repeated until maintenance ends or takes too long', async () => {
	const cases = [{ retryAfter: 1 }, {}].flatMap((how) =>
		[false, true].flatMap((page) => [true, false].map((ends) => ({ how: { ...how, page }, ends }))),
	);
	const tryCase = async ({ how, ends }: (typeof cases)[number]) => {
		const own = await startEach();
		for (const service of own) {
			for (const { endpoint } of operations) {
				service.faults.add({ kind: 'maintenance', ...how, match: { path: endpoint, times: 2 } });
			}
			if (!ends) service.faults.add({ kind: 'maintenance', ...how, retryAfter: 900 });
		}
		const tried = await runEach(own);
		const delivered = own.map((service) => service.deliveries().length);
		await Promise.all(own.map(async (service) => await service.stop()));

		expectNoToken(tried);
		expect(delivered).toEqual(modes.map(() => (ends ? messages.length : 0)));
		for (const attempt of tried) {
			const context = `${attempt.context}, ${JSON.stringify(how)}`;
			const { sent, said } = attempt;
			const statuses = sent.map(({ status }) => status);
			expect([context, statuses]).toEqual([context, [503, 503, ends ? 200 : 503]]);
			if (ends) {
				expect([context, said[0]]).toEqual([context, undefined]);
			} else {
				expectFailure(attempt, underMaintenance.message);
				expect([context, said[1]]).toEqual([context, expect.stringMatching(underMaintenance.says)]);
			}
		}
	};
	await Promise.all(cases.map(tryCase));
}, 90_000);
