/** `npm run check:service -- --write` says of each service what it does, and touches only what the person allows. */

import { startEmulator, type Emulator, type Fault } from '../../sandbox/emulator';
import { claims } from '../../tools/checkService/claims';
import { placesOf } from '../../tools/checkService/lines';
import { useEmulator } from '../contract/client';
import { allowed, contradictedIn, runCheck, serviceNames } from '../contract/serviceCheck';

const answering = (path: string, status: number, body: unknown, more: Fault['match'] = {}): Fault => ({
	kind: 'answer',
	status,
	body,
	match: { path, ...more },
});

/** What a service does else than docs/openapi.yaml says, and what the report says about that. */
const planted: Array<[string, string, string[], (service: Emulator) => void, string[]]> = [
	[
		'watbot',
		'loses a value',
		[
			'WatBot requires `bot_id` | confirmed',
			'Without it, 10 at WatBot (seen) | confirmed',
			'WatBot needs the ID of the list too (inferred) | confirmed',
			'elsewhere 50 (inferred) | not here: 10',
		],
		({ data: { listItems } }) => {
			const set = listItems.set.bind(listItems);
			listItems.set = (id, item) => set(id, { ...item, values: { ...item.values, check_yes: null } });
		},
		[`${lineOf('valueBool')} | ${claims.valueBool.says} | **contradicted**: the value is lost`],
	],
	[
		'cleverapp',
		'ignores filters',
		['WatBot reads them in the body (seen) | also here', 'JetBot documents it as required. | not here'],
		({ dialect }) => void (dialect.filters = 'ignored'),
		[`${lineOf('filtersAll')} | ${claims.filtersAll.says} | **contradicted**`],
	],
	[
		'onebot',
		'puts the ID of a new list elsewhere',
		['there the name is in `variable`, and `deletable` is missing. | confirmed'],
		({ data, faults }) => {
			const id = `5dee4800c2cc5a38ec${data.next.schema.toString(16).padStart(6, '0')}`;
			faults.add({ ...answering('createListSchema', 200, [{ schema_id: id }]), when: 'after' });
		},
		[`${lineOf('listAnswer')} | ${claims.listAnswer.says} | **contradicted**: the ID is in \`*.schema_id\``],
	],
	[
		'jetbot',
		'does not delete',
		['JetBot documents it as required. | confirmed'],
		({ faults }) => faults.add(answering('deleteListItem', 200, { success: true })),
		[`${lineOf('itemDeleted')} | ${claims.itemDeleted.says} | **contradicted**: it is still there`],
	],
	[
		'leadtex',
		'refuses a token with another status',
		[
			'LEADTEX creates a tag that the bot does not have (inferred). | confirmed',
			'LEADTEX only in the query, as `filters[slug]=value` (seen) | confirmed',
			'LEADTEX `is_menu` (inferred). | confirmed',
			'Where no answer is documented, it also has `data` (inferred). | confirmed',
			'the bot keeps the tag | confirmed',
			'LEADTEX answered 500 to it, and to another header (seen once). | confirmed',
		],
		({ faults, token }) =>
			faults.add(
				answering(
					'getListSchemas',
					403,
					{ message: 'Forbidden' },
					{
						where: ({ query, headers }) => !headers.authorization && query.api_token !== token,
					},
				),
			),
		[
			`${lineOf('unknownToken')} | ${claims.unknownToken.says} | **contradicted**: a token that does not exist is refused with 403; no token is refused with 403`,
		],
	],
];

function lineOf(name: keyof typeof claims): string {
	return `| ${placesOf(claims[name])[0]!.line}`;
}

test.each(planted)(
	'As %s, nothing is contradicted until it %s',
	async (name, _what, says, plant, expected) => {
		const service = await startEmulator({ service: name });
		try {
			const options = { service: serviceNames[name] };
			const { report } = await runCheck(service, allowed, options);
			expect(contradictedIn(report)).toEqual([]);
			for (const said of says) expect(report).toContain(said);
			service.reset();
			plant(service);
			const { report: found } = await runCheck(service, allowed, options);
			expect(contradictedIn(found)).toEqual(expected.map((row) => expect.stringContaining(row) as string));
		} finally {
			await service.stop();
		}
	},
);

const service = useEmulator();

/** Requests that change something. */
const changes = () => service.requests.filter(({ operation }) => !operation!.startsWith('get'));
const ofContact = () => changes().filter(({ input }) => 'contact_id' in input);

test.each([[''], ['yes'], ['Write it'], ['writ']])(
	'Without the word, here after "%s", it only reads',
	async (word) => {
		const { report } = await runCheck(service, [word, '5001', 'yes', 'yes', 'yes']);
		expect(changes()).toEqual([]);
		expect(report).toContain('Contradicted lines of docs/openapi.yaml: none');
	},
);

test('It shows whom an ID names, and touches no contact that the person does not confirm', async () => {
	const { said, report } = await runCheck(service, ['write', '5002', '', 'yes', 'no']);
	expect(said).toContain('Contact 5002: Иван Петров, whatsapp.');
	expect(ofContact()).toEqual([]);
	expect(changes().map(({ operation }) => operation)).toContain('createListSchema');
	expect(report).not.toMatch(/5002|Иван/);
	service.reset();
	const unknown = await runCheck(service, ['write', '77777', 'no', 'no']);
	expect(unknown.said).toContain('Contact 77777 is not among the first');
	expect(ofContact()).toEqual([]);
});

test.each(['0', '-5001', '5001.5', 'Анна', '5001 5002', '1e3'])(
	'It refuses "%s" as the ID of a contact',
	async (id) => {
		const { error } = await runCheck(service, ['write', id, 'yes', 'yes', 'yes']);
		expect(error).toMatchObject({ message: expect.stringContaining('whole number above 0') as string });
		expect(service.requests).toEqual([]);
	},
);

test.each([
	['', 0],
	['no', 0],
	['yes', 1],
])('With the answer "%s" to the question about a message, %i leave', async (answer, count) => {
	await runCheck(service, ['write', '5001', 'yes', answer, 'no']);
	expect(service.deliveries()).toHaveLength(count);
	expect(ofContact().every(({ input }) => String(input.contact_id) === '5001')).toBe(true);
});

test.each<['rounded up' | 'rounded down', number[], string]>([
	['rounded up', [], 'a request after it passes'],
	['rounded down', [1000], 'a request after it is refused, and passes a second later'],
])(
	'If the person agrees, it exceeds the limit once, where Retry-After is %s',
	async (retryAfter, more, here) => {
		// The limit begins when everything is removed.
		const where = () => {
			service.setLimits({ account: { requests: 25, windowMs: 60_000, window: 'fixed' }, retryAfter });
			return false;
		};
		service.faults.add({ kind: 'delay', ms: 0, match: { path: 'deleteListSchema', where } });
		const waited: number[] = [];
		const sleep = async (milliseconds: number) => {
			waited.push(milliseconds);
			if (waited.length > more.length) service.setLimits(false);
		};
		const { report } = await runCheck(service, ['write', '', 'yes'], { sleep });
		const [asked, ...others] = waited;
		// The rest of the minute in which the requests were refused.
		expect(asked).toBeGreaterThan(30_000);
		expect(others).toEqual(more);
		expect(report).toMatch(
			/Refused by the limit: status 429, x-ratelimit-limit: 25, x-ratelimit-remaining: 0, retry-after: \d+/,
		);
		expect(report).toContain(`| confirmed: ${here} |`);
		expect(report).toMatch(/2 requests per second, 120 per minute.*contradicted\*\*: \d+ requests passed/);
		service.reset();
		await runCheck(service, ['write', '', 'no']);
		expect(service.requests.every(({ refusedBy }) => !refusedBy)).toBe(true);
	},
);

test('A limit that is not there ends after 150 requests', async () => {
	const before = service.requests.length;
	const { report } = await runCheck(service, ['write', '', 'yes']);
	expect(report).toContain('Limit: 150 requests passed');
	expect(service.requests.length - before).toBeLessThan(300);
});
