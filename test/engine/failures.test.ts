import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { SEEDED, TOKEN_WITHOUT_API } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { credentialFor, loadList, until, useEmulator } from './harness';
import { attach, send } from './messages';
import { newStore, withOnce } from './once';
import { apart, errorsOf, scene, usual, type Given } from './scene';

/*
 * What users see when something is wrong: with the values of an item, with the service, with the credential. And a credential that is
 * edited while a run uses it.
 */

const { service, run, refusal, letters } = scene(send);
const other = useEmulator();
afterEach(() => jest.restoreAllMocks());

const { valuesMissing, valuesRefused } = failures;
const { contacts, schemas } = SEEDED;
const credential = (changes = {}) => credentialFor(service, changes);
const good = [{ id: contacts.telegram, text: 'Добрый день' }];

test.each<[string, string, object, typeof valuesRefused]>([
	['newFieldSlug', 'listSchema/addField', { schemaId: schemas.orders, newFieldSlug: 'phone' }, valuesRefused],
	['contactName', 'message/sendToWhatsApp', { phone: '+79990001122', contactName: '' }, valuesMissing],
])('a refusal of %s is quoted, with its label', async (name, title, changes, failure) => {
	const { error } = await run({ parameters: usual(title, changes) });
	const { message } = failure([labelOf(title, name)], '');
	expect(error?.message).toBe(`${message} [Item 0]`);
	expect(error?.description).toMatch(/".*[а-яё].*"\.$/i);
});

describe('a credential that does not work', () => {
	const expected = [{ label: labelOf('message/send', 'contactId'), whatItIs: '' }];
	const noAccess = failures.accessRefused({ expected, isForeign: false });

	test.each<[string, string, failures.Failure]>([
		['a wrong token', 'wrong-token', failures.tokenRefused()],
		['a plan without API access', TOKEN_WITHOUT_API, noAccess],
	])('%s is named as the cause', async (_, token, { message, description }) => {
		const { error } = await run({ credential: credential({ token }), items: good });
		expect(error?.message).toBe(`${message} [Item 0]`);
		expect(error?.description).toContain(description);
		expect(service.requests).toHaveLength(1);
	});

	/* Which ones are refused: unit/account.test.ts. */
	test('sends nothing, until it is corrected', async () => {
		const items = letters(3);
		const wrong = credential({ tokenPlacement: 'bearer', token: 'sесret' });
		const broken = { items, with: withOnce('осень'), ...newStore(), credential: wrong };
		const { message, description } = failures.invalidToken('API Token');
		expect((await refusal(broken)).description).toContain(description);
		const each = items.map((_item, index) => `${message} [Item ${index}]`);
		expect(errorsOf(await run({ ...broken, node: apart }))).toEqual(each);
		const parameters = usual('listSchema/get');
		const list = loadList('searchListSchemas', { parameters, credential: broken.credential });
		await expect(list).rejects.toMatchObject({ message });
		expect(service.requests).toEqual([]);
		const { json } = await run({ ...broken, credential: credential() });
		expect(json).toEqual(items.map(() => ({ success: true })));
	});
});

describe('a credential that is edited during a run', () => {
	const token = 'a-new-token-of-the-account';

	/** Runs with a credential that is edited after the given number of requests. */
	async function edited(after: number, changes: object, given: Given) {
		const held = credential();
		const editing = until(() => service.requests.length >= after).then(() => Object.assign(held, changes));
		const [result] = await Promise.all([run({ ...given, credential: held }), editing]);
		return result;
	}

	const tokensAt = ({ requests }: typeof service) => new Set(requests.map(({ query }) => query.api_token));

	test('neither token appears in the output', async () => {
		service.data.accounts.push({ token, apiAccess: true });
		const body = { success: true, before: `?api_token=${service.token}`, after: `?api_token=${token}` };
		service.faults.add({ kind: 'answer', status: 200, body, when: 'after' });
		service.faults.add({ kind: 'delay', ms: [1, 20] });
		const { run: ran, json } = await edited(30, { token }, { items: letters(90) });
		expect([tokensAt(service), json.length]).toEqual([new Set([service.token, token]), 90]);
		expect(JSON.stringify(ran)).not.toContain(service.token);
		// The node learns the new token with the edit.
		const first = service.requests.findIndex(({ query }) => query.api_token === token);
		expect(JSON.stringify(json.slice(first + 10))).not.toContain(token);
	});

	test('the new token goes to the new address alone', async () => {
		other.data.accounts.push({ token, apiAccess: true });
		service.faults.add({ kind: 'delay', ms: 20 });
		const items = Array.from({ length: 80 }, () => ({ id: contacts.telegram }));
		const { json } = await edited(20, { baseUrl: other.url, token }, { parameters: attach, items });
		expect([json.length, service.requests.length + other.requests.length]).toEqual([80, 80]);
		expect(other.requests.length).toBeGreaterThan(40);
		expect([tokensAt(service), tokensAt(other)]).toEqual([new Set([service.token]), new Set([token])]);
	});
});
