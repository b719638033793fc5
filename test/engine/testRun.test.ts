import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { notFound, testFailed, timedOut } from '../../nodes/ChatbotService/client/failure/failure';
import { addContacts } from '../../sandbox/emulator';
import { modes } from './everyOperation';
import { callInBothWays, credentialFor, hintsOf, stoppable, until, type RunResult } from './harness';
import { lettersFor } from './messages';
import { howOften } from './once';
import { me, previewOf, send, testing, useTestRuns } from './testRun';

/* 'Test Run': nobody but the person who tries a run gets a message, and each item shows what would be sent. */

const { service, run } = useTestRuns();

const noticeOf = (result: RunResult) => hintsOf(result).join('\n');

const itemOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;

const receivedBy = (contact: number) => service.deliveries().filter(({ contactId }) => contactId === contact);

test.each(modes)(
	'%s: nothing leaves, and each item shows what would be sent and to whom',
	async (onError) => {
		const items = lettersFor(service, 3);
		const result = await run({ items, node: { onError } });
		expect(result.error).toBeUndefined();
		expect(result.json).toEqual(items.map(previewOf));
		expect(result.outputs[0]!.map(itemOf)).toEqual([0, 1, 2]);
		expect(service.requests).toEqual([]);
		expect(noticeOf(result)).toMatch(/^Test run: 3 of 3 messages can be sent.* Nothing was sent\./);
	},
);

describe('the first messages go to the person who tries the run, and nobody else gets one', () => {
	const picture = { imageUrl: 'https://example.com/осень.png', fileUrl: 'https://example.com/цены.pdf' };
	const whole = { content: ['text', 'image', 'file'], ...picture };

	test.each([
		['one by default', {}, 1],
		['as many as the user wants', { messages: 2 }, 2],
		['not more than there are', { messages: 100 }, 3],
	])('to a contact, with the content of the first people, %s', async (_, values, count) => {
		const items = lettersFor(service, 3);
		const parameters = testing({ contactId: String(me), ...values }, {}, { ...send, ...whole });
		const result = await run({ items, parameters });
		expect(service.deliveries()).toEqual(
			items.slice(0, count).map(({ text }) => expect.objectContaining({ contactId: me, text }) as unknown),
		);
		for (const { image, file } of service.deliveries())
			expect([image, file].map((url) => decodeURI(url!))).toEqual([picture.imageUrl, picture.fileUrl]);
		expect(result.json).toEqual(
			items.map((item) => ({
				...previewOf(item),
				image: encodeURI(picture.imageUrl),
				file: encodeURI(picture.fileUrl),
			})),
		);
		expect(noticeOf(result)).toContain(
			count === 1 ? 'One test message was accepted.' : `${count} test messages were accepted.`,
		);
	});

	test('also if the recipients are people in a messenger', async () => {
		const people = addContacts(service.data, 2, { messenger: 'telegram' });
		const items = people.map(({ externalId, botId }, index) => ({
			externalId,
			botId,
			text: `Письмо ${index}`,
		}));
		const byId = { recipient: 'externalId', messenger: 'telegram', botId: '={{ $json.botId }}' };
		const to = { ...byId, externalId: '={{ $json.externalId }}', text: '={{ $json.text }}' };
		const parameters = { resource: 'message', operation: 'send', ...to };
		const { json } = await run({ items, parameters: testing({ contactId: me }, {}, parameters) });
		expect(json).toEqual(
			items.map(({ externalId: recipient, text }) => ({ testRun: true, recipient, text })),
		);
		expect(service.deliveries()).toEqual([expect.objectContaining({ contactId: me, text: 'Письмо 0' })]);
	});

	test.each(['a contact', 'a number that the service does not know'])(
		'also if the recipients are numbers in WhatsApp, to %s',
		async (who) => {
			const people = addContacts(service.data, 3, { messenger: 'whatsapp' });
			const items = people.slice(1).map(({ phone, botId }) => ({ phone, botId }));
			const mine = who === 'a contact' ? `+${people[0]!.phone}` : '+79998887766';
			const parameters = testing(
				{ phone: mine },
				{},
				{
					...{ resource: 'message', operation: 'sendToWhatsApp', contactName: 'Анна', text: 'Привет' },
					...{ botId: '={{ $json.botId }}', phone: '={{ $json.phone }}' },
				},
			);
			const { json } = await run({ items, parameters });
			const recipients = items.map(({ phone }) => `+${phone}`);
			expect(json).toEqual(recipients.map((recipient) => ({ testRun: true, recipient, text: 'Привет' })));
			expect(service.requests.map(({ input }) => input.phone)).toEqual([mine]);
			expect(service.deliveries()).toHaveLength(1);
		},
	);
});

describe('invalid items fail as in a real run', () => {
	const withWrong = () => [...lettersFor(service, 2), { id: 'Анна', text: 'Письмо' }];

	test('in stop mode, nothing leaves', async () => {
		const { error } = await run({ items: withWrong(), parameters: testing({ contactId: me }) });
		expect(error?.message).toBe("'Contact ID' must be a whole number [Item 2]");
		expect(service.requests).toEqual([]);
	});

	test.each(modes.slice(1))('in the mode %s, the others are tried', async (onError) => {
		const result = await run({
			items: withWrong(),
			node: { onError },
			parameters: testing({ contactId: me }),
		});
		const rows = result.outputs.flat().sort((a, b) => itemOf(a) - itemOf(b));
		expect(rows.map(({ json }) => [json.testRun, typeof json.error])).toEqual([
			[true, 'undefined'],
			[true, 'undefined'],
			[undefined, 'string'],
		]);
		expect(service.deliveries()).toHaveLength(1);
		expect(noticeOf(result)).toContain('2 of 3 messages can be sent, 1 cannot.');
	});
});

describe('a test message that does not arrive fails the run with its reason', () => {
	const nobody = testFailed(notFound(404, [{ label: '', whatItIs: 'contact with this ID' }])).message;

	test.each(modes)('%s: no such contact', async (onError) => {
		const items = lettersFor(service, 2);
		const { outputs, error } = await run({
			items,
			node: { onError },
			parameters: testing({ contactId: 999_999 }),
		});
		const errors = error ? [error.message] : outputs.flat().map(({ json }) => json.error);
		expect(errors).toEqual((error ? [0] : [0, 1]).map((item) => `${nobody} [Item ${item}]`));
		if (error) expect(error.description).toContain("Check 'Test Run: Contact ID'.");
		expect(howOften(service, items)).toEqual([0, 0]);
	});

	test('an unknown outcome is said, and the message is not repeated', async () => {
		service.faults.add({ kind: 'timeout', when: 'after' });
		const parameters = { ...testing({ contactId: me, messages: 2 }), requestOptions: { timeout: 300 } };
		const { error } = await run({ items: lettersFor(service, 2), parameters });
		expect(error?.message).toBe(`${testFailed(timedOut()).message} [Item 0]`);
		expect(error?.description).toContain('may have been sent');
		expect(receivedBy(me)).toHaveLength(1);
	});
});

test('Stop ends a test at once, and no further test message leaves', async () => {
	const items = lettersFor(service, 5);
	service.faults.add({ kind: 'delay', ms: 5000 });
	const { ended, stop } = stoppable(
		async (onStart) => await run({ items, onStart, parameters: testing({ contactId: me, messages: 5 }) }),
	);
	await until(() => service.requests.length === 1);
	stop();
	const result = await ended;
	expect(result.run.status).toBe('canceled');
	expect(result.error?.description).toContain('may have been sent');
	expect(service.requests).toHaveLength(1);
});

test('a person whom the user has typed may be a recipient too', async () => {
	const items = [...lettersFor(service, 1), { id: me, text: 'Письмо' }];
	const { error } = await run({ items, parameters: testing({ contactId: String(me) }) });
	expect(error).toBeUndefined();
	expect(service.deliveries()).toEqual([expect.objectContaining({ contactId: me, text: 'Письмо 0' })]);
});

test('an agent reads that nothing was sent, in both ways', async () => {
	const contactId = "={{ $fromAI('contact', '', 'number') }}";
	const parameters = testing({}, {}, { ...send, contactId, text: 'Здравствуйте!' });
	const tool = { parameters, credential: credentialFor(service) };
	for (const [row] of (await callInBothWays(tool, { contact: me })) as IDataObject[][])
		expect(row).toEqual({
			...{ testRun: true, recipient: me, text: 'Здравствуйте!' },
			message: expect.stringContaining('Not sent') as string,
		});
	expect(service.requests).toEqual([]);
});

test('the output keeps the input fields that the user wants, without those of an earlier test', async () => {
	const items = lettersFor(service, 1).map((item) => ({
		...item,
		имя: 'Анна',
		testRun: true,
		inDoubt: true,
		success: true,
	}));
	const includes = { includeInputFields: true };
	const { json } = await run({ items, parameters: { ...send, options: includes } });
	expect(json).toEqual([{ id: items[0]!.id, text: items[0]!.text, имя: 'Анна', success: true }]);
	const tested = await run({ items, parameters: testing({}, includes) });
	expect(tested.json[0]).toMatchObject({ имя: 'Анна', testRun: true, recipient: items[0]!.id });
	for (const name of ['inDoubt', 'success']) expect(tested.json[0]).not.toHaveProperty(name);
});
