import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { isDeepStrictEqual } from 'node:util';

import { SEEDED } from '../../sandbox/emulator';
import { input, matching, savedNodes, sentBy, sentIn } from '../fixtures/workflows';
import { byTitle, isReading, operationOf, parametersOf, requestsOf, variants } from '../operations';
import { linkIn, sampleLink } from '../operations/link';
import type { PastedInto } from '../pasted/table';
import { pasted, spellingsOfOnePerson } from '../pasted/values';
import { credentialFor, hintsOf, runNode, useEmulator, type RunOptions } from './harness';
import { send } from './messages';
import { came, withOnce } from './once';

/*
 * Each operation through the real engine: the exact request and the exact output items, also with pasted values and in workflows that
 * are already saved.
 */

const service = useEmulator();
const withHeader = useEmulator({ tokenHeader: 'X-Api-Key' });

const inQuery = { tokenPlacement: 'query' };
const credential = (changes = {}) => credentialFor(service, { tokenPlacement: 'bearer', ...changes });
const run = async (options: Pick<RunOptions, 'parameters'> & Partial<RunOptions>) =>
	await runNode({ credential: credential(), ...options });
const { contacts, bots } = SEEDED;

test.each(byTitle(variants))('%s makes its exact request and returns its items', async (_title, variant) => {
	const { isDone = () => true, items, of } = variant;
	if (!isReading(of)) expect(isDone(service.data)).toBe(false);
	const parameters = parametersOf(variant);
	const result = await run({ parameters });
	const { json, outputs, error } = result;

	expect([error, hintsOf(result)]).toEqual([undefined, []]);
	expect(json).toEqual(items);
	expect(outputs[0]!.map((item) => item.pairedItem)).toEqual(items.map(() => ({ item: 0 })));
	expect(isDone(service.data)).toBe(true);
	const expected = requestsOf(variant);
	expect(service.requests).toHaveLength(expected.length);
	for (const [index, { endpoint, method, query = {}, body }] of expected.entries()) {
		const request = service.requests[index]!;
		if (of.question) query.text = query.text!.replace(sampleLink, linkIn(request.input.text));
		const search = Object.entries(query).map((pair) => pair.map(encodeURIComponent).join('='));
		const target = [`/api/v1/${endpoint}`, search.join('&')].filter(Boolean).join('?');
		expect(request).toMatchObject({ method, target, accepted: true });
		expect(request.body).toEqual(body);
		expect(request.headers).toMatchObject({
			accept: 'application/json',
			'x-requested-with': 'XMLHttpRequest',
			authorization: `Bearer ${service.token}`,
		});
	}
});

test('a field of a new list is sent with the attributes that the editor shows', async () => {
	const [usual] = operationOf('listSchema/create').variants;
	const city = { name: 'Город', slug: 'city', type: 'string' };
	await run({ parameters: parametersOf(usual!, { fields: { field: [city] } }) });
	const off = { is_required: false, is_hidden: false, is_encryptable: false };
	expect(service.requests[0]!.body).toMatchObject({ fields: { city: { ...city, ...off } } });
});

test.each([
	['in the query', 'Здравствуйте'],
	['in a JSON body, because a URL would be too long', 'ж'.repeat(4000)],
])(
	'a message arrives %s, with its addresses encoded exactly once, whatever their spelling',
	async (_, text) => {
		const image = 'https://xn--e1afmkfd.xn--p1ai/%D0%BC%D0%BE%D0%B9%20%D0%BA%D0%BE%D1%82%20100%25.png';
		const file = 'https://example.com/price%20list.pdf?%D0%B3%D0%BE%D0%B4=2026';
		const { error } = await run({
			parameters: {
				...{ ...send, contactId: String(contacts.telegram), content: ['text', 'image', 'file'], text },
				...{ imageUrl: '={{ $json.image }}', fileUrl: '={{ $json.file }}' },
			},
			items: [
				{ image: ' https://пример.рф/мой кот 100%.png', file: 'https://example.com/price list.pdf?год=2026' },
				{ image, file },
			],
		});
		expect(error).toBeUndefined();
		const body = text.length < 100 ? undefined : { contact_id: contacts.telegram, text, image, file };
		expect(service.requests.map((request) => request.body)).toEqual([body, body]);
		expect(service.deliveries()).toMatchObject([
			{ text, image, file },
			{ text, image, file },
		]);
	},
);

test('a value of a variable that is too long for a URL is sent in a JSON body', async () => {
	const value = 'ж'.repeat(4000);
	const [usual] = operationOf('contactVariable/upsert').variants;
	await run({ parameters: parametersOf(usual!, { variableValue: value }) });
	expect(service.requests).toMatchObject([{ accepted: true, body: { value } }]);
});

test('the token is sent in a header with any name', async () => {
	const { url, token, requests } = withHeader;
	await run({
		parameters: { resource: 'tag', operation: 'getManyByBot', botId: String(bots.school) },
		credential: credential({ baseUrl: url, token, tokenPlacement: 'header', tokenName: 'X-Api-Key' }),
	});
	expect(requests).toMatchObject([{ accepted: true, headers: { 'x-api-key': token } }]);
	expect(requests[0]!.target).not.toContain(token);
});

/* How each kind of field reads them: test/unit/kinds.test.ts. */
describe('pasted values', () => {
	/** Values that items can hold, and that all expression engines of n8n return in the same way: those that JSON can hold. */
	const isInItems = (value: unknown) => isDeepStrictEqual(JSON.parse(JSON.stringify(value) ?? 'null'), value);

	/** Runs an item for each value of one field. */
	async function runWith({ variant, field }: PastedInto, values: unknown[], more: INodeParameters = {}) {
		const sample = variants.find(({ title }) => title === variant)!;
		return await run({
			parameters: { ...parametersOf(sample, { limit: 7, [field]: '={{ $json.value }}' }), ...more },
			credential: credential(inQuery),
			items: values.map((value) => ({ value }) as IDataObject),
			node: { onError: 'continueErrorOutput' },
		});
	}

	test.each(pasted.map((into) => [into.label, into.variant, into] as const))(
		'a refused value of %s of %s fails its own item, and nothing is sent for it',
		async (label, _, into) => {
			const values = into.refused.map(([value]) => value).filter(isInItems);
			const { outputs, error } = await runWith(into, values);
			expect([error, outputs[0]]).toEqual([undefined, []]);
			const named = outputs[1]!.filter(({ json }) => String(json.error).includes(`'${label}`));
			expect(named.map(({ pairedItem }) => pairedItem)).toEqual(values.map((_value, item) => ({ item })));
			expect(service.requests).toEqual([]);
		},
	);

	test('all spellings of a phone number count as one person, who gets one message', async () => {
		// Run one after the other: each run queries n8n's store.
		const spellings = spellingsOfOnePerson.filter((_, index) => index % 5 === 0);
		const into = pasted.find(({ field }) => field === 'phone')!;
		const ran = await runWith(into, spellings, withOnce('осень'));
		expect(came(ran).filter((each) => each === 'sent')).toHaveLength(1);
		expect(came(ran).filter((each) => each === 'skipped')).toHaveLength(spellings.length - 1);
		expect(service.requests.map(({ input }) => input.phone)).toEqual(['+79161234567']);
	});
});

/* Nodes in workflows that earlier versions of the package saved. */
test.each(byTitle(savedNodes))('a saved node still does the same: %s', async (_title, saved) => {
	const { outputs, error } = await run({
		parameters: saved.node.parameters,
		node: { ...saved.node, name: 'Tested' },
		items: [input],
	});
	expect(error).toBeUndefined();
	expect(sentIn(service.requests)).toEqual(sentBy(saved));
	expect(outputs.map((items) => items.map(({ json }) => json))).toEqual(matching(saved.outputs));
});
