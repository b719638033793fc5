import type { Problem } from '../../nodes/ChatbotService/client/failure/failure';
import type { CheckedValues } from '../../nodes/ChatbotService/run/values/check';
import * as problems from '../../nodes/ChatbotService/run/values/valueProblems';
import { hostile } from './hostile';
import { byTitle, checkOf, emptyAt, fieldAt, given, refusedAt, sampleOf } from './samples';
import { taken, takenOf, unreadable, unreadableError, wrong, type Changes } from './samples';

/* Whether the values of an item are what the API accepts, and what follows from them for its request. */

const toContact = 'message/send to a contact';
const toExternalId = 'message/send to an external ID';
const deleteVariable = 'contactVariable/delete by name';

const namesIn = ({ parameters }: CheckedValues) => parameters.map(({ name }) => name);

const unreadableAt = (title: string, path: string) =>
	problems.unreadableProblem(fieldAt(title, path).displayName, unreadableError);

const empties = [undefined, null, '', ' \n '];

describe.each(byTitle)('%s', (title, { fields }) => {
	test('says which field is empty, and which may be', () => {
		for (const { label, path, wire, required } of fields) {
			// The direction of the sample needs a field to order by.
			if (label === 'Order By') continue;
			// An empty filter would find something else.
			for (const value of path.startsWith('filters.') ? [undefined] : empties) {
				const others = namesIn(taken(title)).filter((name) => name !== wire);
				if (required) expect(wrong(title, { [path]: value })).toEqual([emptyAt(title, path)]);
				else expect([path, namesIn(taken(title, { [path]: value }))]).toEqual([path, others]);
			}
		}
	});

	test('says what it cannot evaluate or read', () => {
		// Others are put together from several values.
		for (const { path } of fields.filter((each) => !fieldAt(title, each.path).compose)) {
			expect(wrong(title, { [path]: unreadable })).toEqual([unreadableAt(title, path)]);
			const named = expect.stringContaining(`'${fieldAt(title, path).displayName}`) as string;
			for (const [, make] of hostile)
				for (const { message } of wrong(title, { [path]: make() }).slice(0, 1))
					expect([path, message]).toEqual([path, named]);
		}
	});
});

test.each([
	[toContact, 'content'],
	[deleteVariable, 'deleteBy'],
	['message/sendAndWait to a contact', 'responseType'],
])('%s must have one of the options of %s', (title, path) => {
	for (const value of ['кому-то', '', undefined, { a: 1 }, ['text', 'video']])
		expect(wrong(title, { [path]: value })).toEqual(problems.wrongChoice(fieldAt(title, path), value));
	for (const [, make] of hostile)
		expect(wrong(title, { [path]: make() })[0]!.message).toContain(`'${fieldAt(title, path).displayName}`);
});

const contents = { text: 'text', image: 'imageUrl', file: 'fileUrl' };
const none = { text: ' ', imageUrl: ' ', fileUrl: ' ' };
const fieldsOf = (paths: object) => Object.values(paths).map((path) => fieldAt(toContact, String(path)));

const wrongValues = { contactId: unreadable, imageUrl: 'кот', contactMessenger: ['{{ $json.m }}'] };
const wrongs = [
	...[unreadableAt(toContact, 'contactId'), refusedAt(toContact, 'imageUrl', 'кот')],
	refusedAt(toContact, 'contactMessenger', '{{ $json.m }}'),
];
const badChoices = { ...wrongValues, recipient: 'кому', content: unreadable };
const wrongChoices = [refusedAt(toContact, 'recipient', 'кому'), unreadableAt(toContact, 'content')];

test.each<[string, Changes, Problem[]]>([
	['wrong choices and nothing else', badChoices, wrongChoices],
	['all that is wrong or unreadable', wrongValues, wrongs],
	['no contents', { content: [] }, [emptyAt(toContact, 'content')]],
	['only what is unreadable', { ...none, text: unreadable }, [unreadableAt(toContact, 'text')]],
	['that all contents are empty', none, [problems.nothingToSend(fieldsOf(contents))]],
])('an item is told %s', (_, changes, expected) => expect(wrong(toContact, changes)).toEqual(expected));

test('a message has the chosen contents with a value', () => {
	const content = ['image', 'file'] as const;
	expect(namesIn(taken(toContact, { content }))).toEqual(['contact_id', ...content]);
	for (const filled of content) {
		const one = { content, ...none, [contents[filled]]: sampleOf(toContact).values[contents[filled]] };
		expect(namesIn(taken(toContact, one))).toEqual(['contact_id', filled]);
	}
});

describe('Send Once Per', () => {
	const path = 'options.sendOncePer';

	/** Checks a message with the option. The stored parameters say only that the option is added. */
	const checkOnce = (title: string, value: unknown, changes: Changes = {}) =>
		checkOf(title, { options: { sendOncePer: '={{ $json.акция }}' } }).valuesOf(
			given(sampleOf(title), { [path]: value, ...changes }),
		);
	const keyFor = (value: string, messenger: string, externalId: string) =>
		takenOf(checkOnce(toExternalId, value, { messenger, externalId })).dedupKey;

	test('confuses no messengers and no ends of values', () => {
		expect(keyFor('осень', 'vk', '284119035')).not.toBe(keyFor('осень', 'telegram', '284119035'));
		const target = (id: string) => `messenger vk contact_external_id ${id}`;
		const joined = keyFor('осень', 'vk', `анна ${target('иван')}`);
		expect(joined).not.toBe(keyFor(`осень ${target('анна')}`, 'vk', 'иван'));
	});
});
