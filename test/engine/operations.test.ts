import { SEEDED } from '../../sandbox/emulator';
import { input, matching, savedNodes, sentBy, sentIn } from '../fixtures/workflows';
import { byTitle, isReading, parametersOf, requestsOf, variants } from '../operations';
import { linkIn, sampleLink } from '../operations/link';
import { spellingsOfOnePerson } from '../pasted/values';
import { credentialFor, hintsOf, useEmulator } from './harness';
import { came, withOnce } from './once';
import { apart, scene, usual } from './scene';

/*
 * Each operation through the real engine: the exact request and the exact output items, also in workflows that are already saved.
 */

const { service, run } = scene({});
const withHeader = useEmulator({ tokenHeader: 'X-Api-Key' });

const inHeader = () => credentialFor(service, { tokenPlacement: 'bearer' });
const { contacts } = SEEDED;

test.each(byTitle(variants))('%s makes its exact request and returns its items', async (_title, variant) => {
	const { isDone = () => true, items, of } = variant;
	if (!isReading(of)) expect(isDone(service.data)).toBe(false);
	const result = await run({ parameters: parametersOf(variant), credential: inHeader() });
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
			...{ accept: 'application/json', 'x-requested-with': 'XMLHttpRequest' },
			authorization: `Bearer ${service.token}`,
		});
	}
});

test('a field of a new list is sent as the editor shows', async () => {
	const city = { name: 'Город', slug: 'city', type: 'string' };
	await run({ parameters: usual('listSchema/create', { fields: { field: [city] } }) });
	const off = { is_required: false, is_hidden: false, is_encryptable: false };
	expect(service.requests[0]!.body).toMatchObject({ fields: { city: { ...city, ...off } } });
});

test.each([
	['the query', 'Здравствуйте'],
	['a JSON body, because a URL would be too long', 'ж'.repeat(4000)],
])('a message arrives in %s, addresses encoded once', async (_, text) => {
	const image = 'https://xn--e1afmkfd.xn--p1ai/%D0%BC%D0%BE%D0%B9%20%D0%BA%D0%BE%D1%82%20100%25.png';
	const items = [{ image: ' https://пример.рф/мой кот 100%.png' }, { image }];
	const parameters = usual('message/send', {
		content: ['text', 'image'],
		text,
		imageUrl: '={{ $json.image }}',
	});
	await run({ parameters, items });
	const body = text.length < 100 ? undefined : { contact_id: contacts.telegram, text, image };
	expect(service.requests.map((request) => request.body)).toEqual([body, body]);
	expect(service.deliveries()).toMatchObject(Array(2).fill({ text, image }));
});

test('the token is sent in a header with any name', async () => {
	const placed = { tokenPlacement: 'header', tokenName: 'X-Api-Key' };
	await run({ parameters: usual('tag/getManyByBot'), credential: credentialFor(withHeader, placed) });
	expect(withHeader.requests).toMatchObject([{ accepted: true, headers: { 'x-api-key': withHeader.token } }]);
	expect(withHeader.requests[0]!.target).not.toContain(withHeader.token);
});

test('all spellings of a number are one person', async () => {
	const items = spellingsOfOnePerson.filter((_, index) => index % 5 === 0).map((phone) => ({ phone }));
	const parameters = usual('message/sendToWhatsApp', { phone: '={{ $json.phone }}', ...withOnce('осень') });
	const ran = await run({ parameters, items: items as never, node: apart });
	expect(came(ran).sort()).toEqual(['sent', ...items.slice(1).map(() => 'skipped')].sort());
	expect(service.requests.map(({ input: { phone } }) => phone)).toEqual(['+79161234567']);
});

/* Nodes in workflows that earlier versions of the package saved. */
test.each(byTitle(savedNodes))('a saved node still does the same: %s', async (_title, saved) => {
	const { parameters } = saved.node;
	const node = { ...saved.node, name: 'Tested' };
	const { outputs, error } = await run({ parameters, node, items: [input], credential: inHeader() });
	expect(error).toBeUndefined();
	expect(sentIn(service.requests)).toEqual(sentBy(saved));
	expect(outputs.map((items) => items.map(({ json }) => json))).toEqual(matching(saved.outputs));
});
