import type { Fault, Service } from '../../sandbox/service';
import { isReading, missingOf, operations, unknownOf } from '../operations';
import { modes, runEach, startEach, type Attempt } from './everyOperation';

/* Every operation, every fault, every error mode: how often the request left, what came out, and what it says. */

let services: Service[];
beforeAll(async () => {
	services = await startEach();
});
afterEach(() => services.forEach((service) => service.reset()));
afterAll(async () => await Promise.all(services.map(async (service) => await service.stop())));

const messages = operations.filter(({ resource }) => resource === 'message');

interface Outcome {
	fault: Fault;
	/** Another one that strikes with it. */
	beside?: Fault;
	message: RegExp;
	/**
	 * Whether nobody knows if it was done, which is said first in the words of the operation; 'changing': not where it only
	 * reads, since reading again brings the same.
	 */
	isUnknown?: true | 'changing';
	/** What the description says beside that, and what it must not say. */
	says?: RegExp;
	saysNot?: RegExp;
	/** How often the request leaves when repeating is harmless; once otherwise. */
	attempts?: 3;
	/** Only operations that read take it for a fault. */
	onlyForReading?: true;
}

const failedUnknown = { message: /failed to process/, isUnknown: true, attempts: 3 } as const;
const underMaintenance = { message: /under maintenance/, says: /^Nothing was done\./ } as const;
const refusedValues = {
	fault: {
		kind: 'answer',
		status: 422,
		body: { message: 'The given data was invalid.', errors: { _: ['Так нельзя.'] } },
	},
	message: /refused the value/,
	says: /Так нельзя\./,
	saysNot: /Warning|tariff/,
} as const;

/** Pages of other web servers, which nobody must take for the framework's page of its maintenance. */
const page = (status: number, body: string): Fault => ({
	kind: 'answer',
	status,
	headers: { 'content-type': 'text/html' },
	body,
});
const pageOfApache = `<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">
<html><head>
<title>503 Service Unavailable</title>
</head><body>
<h1>Service Unavailable</h1>
<p>The server is temporarily unable to service your request.</p>
</body></html>
`;
const pageOfHaproxy = `<html><body><h1>503 Service Unavailable</h1>
No server is available to handle this request.
</body></html>
`;

/** What to do about a page: first of all, or behind the words of an operation that changes something. */
const pageFirst =
	/^(?:The \w+ may have been .+\. )?Check 'Base URL' in the credential: it must be the address that /;

const faults: Array<[string, Outcome]> = [
	['a 500', { fault: { kind: 'server error' }, ...failedUnknown }],
	['a page under 503', { fault: { kind: 'unavailable' }, ...failedUnknown }],
	[
		'a page under 503 that asks for patience',
		{ fault: { kind: 'unavailable', retryAfter: 1 }, ...failedUnknown },
	],
	["Apache's page under 503", { fault: page(503, pageOfApache), ...failedUnknown }],
	["HAProxy's page under 503", { fault: page(503, pageOfHaproxy), ...failedUnknown }],
	[
		'a 503 with words of its own',
		{ fault: { kind: 'answer', status: 503, body: { message: 'Очередь переполнена' } }, ...failedUnknown },
	],
	[
		'a reset',
		{ fault: { kind: 'reset' }, message: /broke off/, isUnknown: true, says: /ECONNRESET/, attempts: 3 },
	],
	[
		'a time-out',
		{
			fault: { kind: 'timeout', when: 'before' },
			message: /in time/,
			isUnknown: true,
			says: /'Timeout'/,
			attempts: 3,
		},
	],
	[
		'cut-off JSON',
		{
			fault: { kind: 'malformed', when: 'before' },
			message: /cannot be read/,
			isUnknown: true,
			says: /It answered/,
			attempts: 3,
		},
	],
	[
		'nothing',
		{ fault: { kind: 'empty', when: 'before' }, message: /with nothing/, attempts: 3, onlyForReading: true },
	],
	['a page', { fault: { kind: 'html' }, message: /web page/, isUnknown: 'changing', says: pageFirst }],
	['a page under 502', { fault: { kind: 'html', status: 502 }, ...failedUnknown }],
	['Forbidden under 200', { fault: { kind: 'forbidden' }, message: /refused access/, says: /"Forbidden"/ }],
	['a redirect', { fault: { kind: 'redirect' }, message: /redirected/, says: /login page/ }],
	[
		'a long Retry-After',
		{ fault: { kind: 'too many', retryAfter: 900 }, message: /limit of requests/, says: /Too Many/ },
	],
	['a refusal of the values', refusedValues],

	['maintenance that takes long', { fault: { kind: 'maintenance', retryAfter: 900 }, ...underMaintenance }],
	[
		'a page of maintenance that takes long',
		{ fault: { kind: 'maintenance', retryAfter: 900, page: true }, ...underMaintenance },
	],
	["PHP's error", { fault: { kind: 'php error' }, ...failedUnknown }],
	["PHP's error as text", { fault: { kind: 'php error', plain: true }, ...failedUnknown }],
	["PHP's error as logged", { fault: { kind: 'php error', plain: 'logged' }, ...failedUnknown }],
	["PHP's warning and a refusal of the values", { ...refusedValues, beside: { kind: 'php warning' } }],
	[
		"PHP's warning as text and a refusal of the values",
		{ ...refusedValues, beside: { kind: 'php warning', plain: true } },
	],
];

function expectFailure(
	{ context, mode, onError, result, rows, said, title: operation }: Attempt,
	message: RegExp,
) {
	const [title] = said;
	expect([context, title]).toEqual([context, expect.stringMatching(message)]);
	expect([context, title]).toEqual([context, expect.stringContaining('[Item 0]')]);
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
	'an operation that meets %s is repeated only where that does no harm, and says what became of it',
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
			const { context, repeatable, sent, said, result } = attempt;
			if (onlyForReading && !isReading(attempt)) {
				const { error, outputs } = result;
				expect([context, sent.length, error, outputs[0]!.length]).toEqual([context, 1, undefined, 1]);
				continue;
			}
			expect([context, sent.length]).toEqual([context, repeatable ? attempts : 1]);
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

const wrongAddress = 'The service has nothing at this address';
const addressAlone =
	/^Check 'Base URL' in the credential: it must be the address of the service, without a path\.$/;
const addressFirst =
	/^Check 'Base URL' in the credential: it must be the address of the service, without a path\. If the node works otherwise, check '[^.]+'\.$/;
const recordFirst = /^Check '[^.]+'\. If nothing is ever found, check 'Base URL' in the credential\.$/;

test.each<[string, number, string, (attempt: Attempt) => string]>([
	['finds nothing, there is none of what the operation names', 404, 'Нет', missingOf],
	['takes no such request, the address is wrong', 405, 'Нет', () => wrongAddress],
	[
		'has no such route, the address is wrong',
		404,
		'The route app/api/v1/x could not be found.',
		() => wrongAddress,
	],
	['has no such route and no words for it, the address is wrong', 404, '', () => wrongAddress],
])('where the service %s', async (_name, status, words, sentence) => {
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

/* Nothing was done before maintenance has ended, so that it makes no difference what is harmless to repeat. */
test('during maintenance everything leaves again, until it ends or takes too long', async () => {
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
