import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { byPhone as phoneField } from '../../nodes/ChatbotService/resources/contact/contactFilters';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/messageLimits';
import { contactMessengers } from '../../nodes/ChatbotService/resources/choices';
import form from '../../examples/broadcast-from-form.json';
import friday from '../../examples/broadcast-on-friday.json';
import segment from '../../examples/broadcast-to-segment.json';
import lead from '../../examples/lead-becomes-contact.json';
import russian from '../../docs/ru/examples/broadcast-from-form.json';
import russianFriday from '../../docs/ru/examples/broadcast-on-friday.json';
import russianSegment from '../../docs/ru/examples/broadcast-to-segment.json';
import { everyFailure } from '../../tools/failures';

/* Examples know limits and sentences of the node. */

interface Workflow {
	nodes: Array<{ name: string; parameters: object }>;
}

const parametersOf = ({ nodes }: Workflow, name: string) =>
	nodes.find((node) => node.name === name)!.parameters as Record<string, object>;

const sending = 'Send the message';
const report = 'Report for the manager';
const codeOf = (workflow: Workflow, name: string) => String(parametersOf(workflow, name).jsCode);

/** What the code of a node makes of these items, if 'Test Run' is off. */
function made(workflow: Workflow, name: string, items: object[], others: Record<string, object> = {}) {
	const code = new Function('$input', '$', codeOf(workflow, name));
	const known: Record<string, object> = { [sending]: { params: { options: {} } }, ...others };
	const input = { all: () => items.map((json) => ({ json })) };
	const rows = code(input, (other: string) => known[other]) as Array<{ json: Record<string, string> }>;
	return rows.map(({ json }) => json);
}

/** What the code of the page says about these people, who are contacts of a bot. */
const pageFor = (people: object[], contact: object = { tags: [] }) =>
	made(form, 'The list', people, {
		'People of the list': { first: () => ({ json: { problem: '' } }) },
		'Who gets it': { all: () => people },
		'Contacts of the bot': { all: () => [{ json: contact }] },
	})[0]!;

test.each(contactMessengers)('the page knows how long $value takes', ({ value, aliases = [] }) => {
	const spellings = [value, ...aliases].flatMap((name) => [name, ` ${name.toUpperCase()} `]);
	const people = Array.from({ length: 1200 }, (_, index) => {
		return { messenger: spellings[index % spellings.length], reason: '' };
	});
	const [limit] = Object.values(messageLimits(value));
	const secondsEach = limit ? limit.windowMs / limit.count / 1000 : 0.5;
	const minutes = (people.length * (0.5 + secondsEach)) / 60;
	const time = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
	expect(pageFor(people).time).toBe(time);
});

test.each<[object, string]>([
	[{}, 'neither tags nor variables'],
	[{ tags: [] }, ''],
	[{ variables: {} }, ''],
])('the page needs to know who wants no messages: %j', (contact, problem) => {
	const said = problem ? expect.stringContaining(problem) : '';
	expect(pageFor([{ reason: '' }], contact).problem).toEqual(said);
});

test.each<[object, string]>([
	[{ tags: ['VIP', ' НЕ  писать'], variables: {} }, 'wants no broadcasts'],
	[{ variables: { 'не писать': 'да' } }, 'wants no broadcasts'],
	[{ tags: [], variables: { 'Не писать': ' ', Город: null } }, ''],
	[{ tags: ['VIP'] }, ''],
])('the broadcast from a form leaves out %j: %s', (marks, reason) => {
	const settings = { 'The bot': { first: () => ({ json: { opt_out: 'Не писать' } }) } };
	const contact = { id: 5001, messenger: 'telegram', ...marks };
	expect(made(form, 'By ID and phone', [contact], settings)).toMatchObject([{ contact_id: '5001', reason }]);
});

const person = { broadcast: 'Лето', name: 'Анна', phone: '', contact_id: '5001' };

const broadcasts = { form, friday, segment, russian, russianFriday, russianSegment };

test.each(Object.entries(broadcasts))('%s is imported as a test run', (name, workflow) => {
	const testRun = { values: { contactId: '', messages: 1 } };
	expect(parametersOf(workflow, sending)).toMatchObject({ options: { testRun } });
	const rows = ['not reached', 'unknown'].map((outcome) => ({ ...person, outcome, reason: '' }));
	const asImported = { [sending]: { params: parametersOf(workflow, sending) } };
	expect(made(workflow, report, rows, asImported)).toEqual([]);
	// All broadcasts write the same report.
	const same = name.startsWith('russian') ? russian : form;
	expect(codeOf(workflow, report)).toBe(codeOf(same, report));
});

const contactId = { label: 'Contact ID', whatItIs: 'contact with this ID' };
const tag = { label: 'Tag', whatItIs: 'tag with this name' };
const { notAttempted, notFound, tokenRefused } = failures;
const { manyUnknown, outsideHours, timedOut, tooManyRequests, underMaintenance, unreachable } = failures;
const late = outsideHours('09:00', '21:00', 'Europe/Moscow', 'Start the workflow again.');

type Said = [english: string, russian: string];
const noContact: Said = ['the service has no such contact', 'в сервисе нет такого контакта'];
const orTag: Said = [' or no such tag', ' или такого тега'];
const noToken: Said = ['the service does not accept the token', 'сервис не принимает токен'];
const lasted: Said = ['the limit of the service lasted too long', 'лимит сервиса держался слишком долго'];
const rest: Said = ['not attempted: ', 'не отправляли: '];
const doubts: Said = ['too many unknown outcomes in a row', 'слишком много неизвестных исходов подряд'];
const tooLate: Said = ['outside of the sending hours', 'вне часов отправки'];
const again: Said = [', the next run tries again', ', следующий запуск попробует ещё раз'];
const closed: Said = ['the service is under maintenance', 'в сервисе технические работы'];
const gone: Said = ['the service cannot be reached', 'сервис недоступен'];
const alike = (text: string): Said => [text, text];
const odd = { ...timedOut(), message: 'Something new', description: 'Look.' };

test.each<[failures.Failure, ...parts: Said[]]>([
	[notFound([contactId]), noContact],
	[notFound([contactId, tag]), noContact, orTag],
	[tooManyRequests(), lasted],
	[notAttempted(tokenRefused()), rest, noToken],
	[notAttempted(manyUnknown(20, timedOut())), rest, doubts],
	[underMaintenance(), closed],
	[unreachable(''), gone],
	[notAttempted(late), tooLate, again],
	// The words of the service follow, and unknown reasons stay as they are.
	[notFound([contactId], 'Не "найден".'), noContact, alike(': Не "найден".')],
	[odd, alike('Something new. Look.')],
])('the manager reads reason %#', ({ message, description }, ...parts) => {
	const [english, inRussian] = [0, 1].map((language) => parts.map((said) => said[language]).join(''));
	const row = { ...person, reason: `${message}. ${description}` };
	const [sent] = made(form, report, [{ ...row, outcome: 'not reached' }]);
	const head = 'Broadcast “Лето”: results of this run\nnot reached: 1';
	expect(sent!.text).toBe(`${head}\n\nАнна, ID 5001: ${english}`);
	const byPhone = { ...row, phone: '7999', contact_id: '', outcome: 'не отправлено' };
	const [other] = made(russian, report, [byPhone]);
	expect(other!.text).toBe(`Рассылка «Лето»: итоги запуска\nне отправлено: 1\n\nАнна, 7999: ${inRussian}`);
});

test('the manager reads of everyone, in several messages', () => {
	const people = Array.from({ length: 200 }, (_, index) => `Незнакомец № ${index + 1}`);
	const row = { ...person, outcome: 'not reached', reason: 'no such contact' };
	const items = people.map((name) => ({ ...row, name }));
	const messages = made(form, report, items).map(({ text }) => text!.split('\n'));
	expect(messages.length).toBeGreaterThan(2);
	for (const [index, [first, ...others]] of messages.entries()) {
		expect(first).toBe(`${index + 1}/${messages.length}`);
		expect(others.join('\n').length).toBeLessThan(3990);
	}
	const [title, sum, gap, ...lines] = messages.flatMap(([, ...others]) => others);
	expect([title, sum, gap]).toEqual(['Broadcast “Лето”: results of this run', 'not reached: 200', '']);
	expect(lines).toEqual(people.map((name) => `${name}, ID 5001: no such contact`));
});

test('a lead becomes a contact only if nobody is found', () => {
	const { conditions } = parametersOf(lead, 'Nobody found?') as Record<string, { conditions: object[] }>;
	const [{ rightValue, operator }] = conditions!.conditions as [Record<'rightValue' | 'operator', unknown>];
	expect(operator).toMatchObject({ operation: 'startsWith' });
	const creates = ({ message }: failures.Failure) => message.startsWith(rightValue as string);
	const { nobodyFound: _nobody, ...others } = everyFailure;
	expect(creates(failures.nobodyFound(phoneField.displayName, '79217001234', 8))).toBe(true);
	expect(Object.values(others).flat().filter(creates)).toEqual([]);
});
