import { SEEDED } from '../../../sandbox/emulator';
import {
	doneButNotSaid,
	mayBeSent,
	mayBeSentAlready,
	openExample,
	refusal,
	reported,
	rows,
} from '../support/examples';

const { bench, contact, delivered, fillIn, run } = openExample('broadcast-to-segment.json');

const tag = 'Пробный урок';

const countsDelivered = () => Object.entries(delivered()).map(([id, texts]) => [Number(id), texts.length]);

test('a broadcast reaches the segment once and reports who was not reached and why; a second run sends only to these', async () => {
	const { service } = bench;
	for (const id of [5002, 5004, 5008]) contact(id).tags.push(tag);
	service.faults.add(doneButNotSaid('sendMessage', 5004));
	// The service may use the same words as the node.
	const misleading = `${mayBeSentAlready}. ${mayBeSent}`;
	service.faults.add(refusal('sendMessage', 5008, misleading));

	const first = await run();
	const outcomes = { 5001: 'accepted', 5002: 'accepted', 5004: 'unknown', 5008: 'not reached' };
	expect(reported(first)).toEqual(outcomes);
	expect(reported(first, 'reason')).toMatchObject({
		5001: '',
		5004: expect.stringContaining(mayBeSent),
		5008: expect.stringContaining(misleading),
	});
	expect(reported(first, 'messenger')).toMatchObject({ 5001: 'telegram', 5002: 'whatsapp', 5004: 'vk' });
	const accepted = { outcome: 'accepted', count_contact_id: 2 };
	expect(rows(first, 'How many of each outcome')).toContainEqual(accepted);
	const file = expect.objectContaining({ fileName: 'broadcast-report.xlsx' });
	expect(first.output('Report for Excel')).toMatchObject([{ binary: { data: file } }]);
	expect(delivered()[5001]).toEqual([expect.stringContaining('Здравствуйте, Анна Соколова!')]);

	service.faults.clear();
	const second = await run();
	const before = { 5001: 'accepted before', 5002: 'accepted before' };
	expect(reported(second)).toEqual({ ...outcomes, ...before, 5008: 'accepted' });
	expect(reported(second, 'reason')[5004]).toContain(mayBeSentAlready);
	expect(countsDelivered()).toEqual([5001, 5002, 5004, 5008].map((id) => [id, 1]));
});

test('a broadcast leaves out people with the opt-out tag, and those of other bots', async () => {
	contact(5002).tags.push(tag, 'Не писать');
	contact(5004).tags.push(tag);
	contact(SEEDED.contacts.viber).tags.push(tag);
	// A name under which nobody has a message yet.
	await fillIn('What to send', { broadcast: 'Не писать' });
	expect(reported(await run())).toEqual({ 5001: 'accepted', 5004: 'accepted' });
	expect(countsDelivered()).toEqual([5001, 5004].map((id) => [id, 1]));
});
