import { SEEDED, TOKEN_WITHOUT_API, type Fault } from '../../sandbox/emulator';
import { byTitle, operationOf, parametersOf, unknownOf, variants, type Variant } from '../operations';
import { credentialFor, runNode, useEmulator, type RunOptions } from './harness';
import { refusal, send } from './messages';

/* What users see when something is wrong: with the values of an item, with the credential, with the service. */

const service = useEmulator();

const { contacts, schemas } = SEEDED;
const credential = (changes = {}) => credentialFor(service, changes);
const good = { id: contacts.telegram, text: 'Добрый день' };
const run = async (options: Partial<RunOptions>) =>
	await runNode({ parameters: send, credential: credential(), items: [good], ...options });

const withoutPath =
	"Check 'Base URL' in the credential: it must be the address of the service, without a path.";

test('the error names all wrong values of an item and what to enter, and nothing is sent', async () => {
	const { error } = await run({
		parameters: { ...send, contactId: '={{ "x" }}', content: ['text', 'image'], imageUrl: '={{ "y" }}' },
	});
	expect(error?.message).toBe(
		"'Contact ID' must be a whole number; 'Image URL' must be a complete URL [Item 0]",
	);
	expect(error?.description).toMatch(
		/^Enter the numeric ID.* Received: "x"\. Enter a URL.* Received: "y"\.$/,
	);
	expect(error?.httpCode).toBe('none');
	expect(service.requests).toEqual([]);
});

describe('values that the service refuses', () => {
	test.each<[string, Fault, string, RegExp]>([
		['is refused', refusal, 'The service refused the request', /^Correct the values/],
		[
			'may have been sent',
			{ kind: 'server error' },
			'The service failed to process the request',
			new RegExp(`^${unknownOf(operationOf('message/send'))} `),
		],
	])('when On Error continues, a message that %s fails only its own item', async (...asked) => {
		const [, fault, message, advice] = asked;
		service.faults.add({ ...fault, match: { text: 'не дойдёт' } });
		const { outputs } = await run({
			items: [good, { ...good, text: 'не дойдёт' }, good],
			node: { onError: 'continueErrorOutput' },
		});
		expect(outputs[0]!.map(({ json, pairedItem }) => [json, pairedItem])).toEqual([
			[{ success: true }, { item: 0 }],
			[{ success: true }, { item: 2 }],
		]);
		expect(outputs[1]).toHaveLength(1);
		const [failed] = outputs[1]!;
		expect(failed!.pairedItem).toEqual({ item: 1 });
		expect(failed!.json).toMatchObject({ id: good.id, text: 'не дойдёт' });
		expect(failed!.json.error).toContain(message);
		expect(failed!.json.error).toContain('[Item 1]');
		expect(failed!.json.message).toMatch(advice);
	});

	const expectedOf = ({ fields }: Variant) => fields.filter(({ whatItIs }) => whatItIs);
	// To the service, a bot that does not exist is an invalid value.
	const findable = variants.filter((each) => !['botId', undefined].includes(expectedOf(each).at(-1)?.name));

	test.each(byTitle(findable))(
		'when the service does not find what %s names, the error lists everything that may be missing and quotes the service',
		async (_title, variant) => {
			const expected = expectedOf(variant);
			const { name, value } = expected.at(-1)!;
			const absent = String(value).replace(/[\p{L}\d]/gu, '9');
			const { error } = await run({ parameters: parametersOf(variant, { [name]: absent }) });
			const missing = expected.map(({ whatItIs }) => whatItIs).join(' or no ');
			expect(error?.message).toBe(`No ${missing} in this account [Item 0]`);
			const [advice, said] = error!.description!.split(' The service says: ');
			const labels = expected.map(({ label }) => `'${label}'`).join(', ');
			expect(advice).toBe(
				`Check ${labels}. If the service never finds anything, check 'Base URL' in the credential.`,
			);
			expect(said).toMatch(/^".*[а-яё].*"\.$/i);
		},
	);

	test.each<[string, string, Record<string, unknown>]>([
		['Field Slug', 'listSchema/addField', { schemaId: schemas.orders, newFieldSlug: 'phone' }],
		['Contact Name', 'message/sendToWhatsApp', { phone: '+79990001122', contactName: '' }],
	])("a refusal of the service names '%s' as labeled in the editor", async (label, title, changes) => {
		const [usual] = operationOf(title).variants;
		const { error } = await run({ parameters: parametersOf(usual!, changes) });
		expect(error?.message).toContain(`The service refused the value of '${label}'`);
		expect(error?.description).toMatch(/The service says: ".*[а-яё]/i);
	});
});

describe('a credential that does not work', () => {
	const errorWith = async (changes: Record<string, unknown>) =>
		(await run({ credential: credential(changes) })).error!;

	test.each<[string, Record<string, unknown>, RegExp, RegExp, number]>([
		['a wrong token', { token: 'wrong-token' }, /does not accept the token/, /Token Placement/, 1],
		['a plan without API access', { token: TOKEN_WITHOUT_API }, /refused access/, /plan/, 1],
		[
			'an invalid Base URL',
			{ baseUrl: 'https://' },
			/'Base URL' in the credential is not a valid URL/,
			/./,
			0,
		],
	])('the error names %s as the cause', async (_name, changes, message, description, requests) => {
		const error = await errorWith(changes);
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(description);
		expect(service.requests).toHaveLength(requests);
	});

	test('for the address of another page, the error says that the service does not have this endpoint, and what else may be wrong', async () => {
		const error = await errorWith({ baseUrl: `${service.url}/login` });
		expect(error.message).toBe('The service does not have this endpoint [Item 0]');
		expect(error.description).toBe(
			`${withoutPath} If other operations work, check 'Contact ID'. ` +
				'The service says: "The route login/api/v1/sendMessage could not be found.".',
		);
		expect(service.violations.splice(0)).toHaveLength(1);
	});
});
