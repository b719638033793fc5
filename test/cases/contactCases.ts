import { sentTwice, emptyField, lostPart } from '../../nodes/ChatbotService/run/values/valueProblems';
import { labelOf, wordsOf } from '../operations/words';
import { refusedBy, VALUE, type Refused } from './refused';

/* Contacts, their tags and variables. */

const findBy = { email: 'Email', id: 'Contact ID', messengerId: 'Messenger ID', phone: 'Phone' };
type FindBy = keyof typeof findBy;

const get = (by: FindBy, values: unknown[], says: string, findValue = VALUE) =>
	refusedBy('contact/get', { findBy: by, findValue }, values, says);

const found: Refused[] = [
	...(Object.keys(findBy) as FindBy[]).map((by) =>
		get(by, ['', null, undefined], emptyField(findBy[by]).message),
	),
	get('phone', [undefined], lostPart('Phone', []).message, '=+7916123{{ $json.value }}4567'),
	get('email', [null], lostPart('Email', []).message, '={{ $json.value }}@example.com'),
	get('id', ['Анна'], "'Contact ID' must be a whole number"),
	get('phone', ['Анна', '9161234567'], "'Phone' is not a valid phone number"),
	get('phone', [['+79161234567', '+79035550101']], "'Phone' contains a list"),
	get('email', ['нет'], "'Email' is not an email address"),
];

const labelAt = (name: string) => labelOf('contact/getAll', `filters.${name}`);
const filterBy = (filters: object, values: unknown[], says: string) =>
	refusedBy('contact/getAll', { filters }, values, says);
const noId = 'is not an ID in this messenger';
const later = `'${labelAt('createdAfter')}' is later than '${labelAt('createdBefore')}'`;

/** No number is taken for an ID, in whatever spelling. */
const phoneNumbers = [
	...['89161234567', '+79161234567', '8 (916) 123-45-67', 'tel:+7-916-123-45-67', '79161234567@c.us'],
	...[79161234567, '89161234567.0', '0079161234567', '+380441234567', '84951234567', '77011234567'],
];

const [condition, ...labels] = ['', '.name', '.condition', '.value'].map((path) =>
	labelAt(`variables${path}`),
);
const [name, how, wanted] = labels.map((label) => `'${condition}, condition 1: ${label}'`);
const byVariable = (row: object, says: string) =>
	filterBy({ variables: { conditions: [row] } }, [{ a: 1 }], says);
const variables = (given: unknown) => filterBy({ variables: given }, [{}], `'${condition}`);

const filters: Refused[] = [
	filterBy({ hasAnyTag: VALUE }, [' , ,', ['']], emptyField(labelAt('hasAnyTag')).message),
	filterBy({ createdAfter: VALUE }, [1775001600], `'${labelAt('createdAfter')}' must be a date and time`),
	filterBy({ createdAfter: VALUE, createdBefore: '2026-04-30' }, ['2026-05-01'], later),
	filterBy({ messengerId: VALUE }, [...phoneNumbers, '@', 't.me/', '@?', '@284119035'], noId),
	filterBy({ messengerId: "={{ '@' + ($json.value ?? '') }}" }, [undefined], noId),
	byVariable({ name: '', condition: 'exists' }, emptyField(name!.slice(1, -1)).message),
	byVariable({ name: "['Город']", condition: 'exists' }, `${name} holds no name`),
	byVariable({ name: 'Город', condition: 'equals', value: ' ' }, `${wanted} is empty`),
	byVariable({ name: 'Город', condition: 'equals', value: VALUE }, `${wanted} must be text`),
	byVariable({ name: 'Город', condition: '={{ "contains" }}', value: 'К' }, `${how} must be one of`),
	variables({}),
	variables({ conditions: [] }),
	variables('={{ { conditions: $json.value } }}'),
];

const { fieldAt } = wordsOf('contact/upsert');
const id = `'${fieldAt('externalId').displayName}'`;
const empty = { botId: '101', externalId: VALUE, additionalFields: {} };
const lead = (messenger: string, values: unknown[], says: string, more: object = {}) =>
	refusedBy('contact/upsert', { ...empty, messenger, ...more }, values, says);
const both = sentTwice(fieldAt('externalId'), fieldAt('additionalFields.phone')).message;
const messenger = `'${fieldAt('messenger').displayName}'`;

const leads: Refused[] = [
	lead('={{ "Макс" }}', ['90011223'], `${messenger} cannot be MAX here: the service creates no contacts`),
	...['telegram', 'vk', 'viber'].map((each) => lead(each, phoneNumbers, `${id} ${noId}`)),
	lead('telegram', ['+7916'], `${id} ${noId}`),
	lead('whatsapp', ['Полина'], `${id} is not a valid phone number`),
	lead('telegram', ['', undefined], `${id} is empty`),
	lead('telegram', ['#N/A'], 'holds no name, but what a program has written', {
		...{ externalId: '284119035', additionalFields: { tags: '=VIP, {{ $json.value }}' } },
	}),
	// The service has one place for both.
	lead('whatsapp', ['+79161234567'], both, { additionalFields: { phone: '+79990000000' } }),
];

const of = wordsOf('contactVariable/upsertMany');
const rowsLabel = of.fieldAt('variables').displayName;
const json = of.fieldAt('variablesJson').displayName;
const [nameLabel, valueLabel] = ['name', 'value'].map((each) => of.fieldAt(`variables.${each}`).displayName);
const nameOf = (place: number) => `'${rowsLabel}, variable ${place}: ${nameLabel}'`;
const valueOf = (place: number) => `'${rowsLabel}, variable ${place}: ${valueLabel}'`;
const twice = `'${rowsLabel}' contains a name twice`;

const set = (changes: object, values: unknown[], says: string) =>
	refusedBy('contactVariable/upsertMany', changes, values, says);
const pairs = (says: string, ...all: Array<[name: unknown, value: unknown]>) =>
	set({ variables: { variable: all.map(([each, value]) => ({ name: each, value })) } }, [undefined], says);
const object = (values: unknown[], says: string, variablesJson = VALUE) =>
	set({ variablesInput: 'json', variablesJson }, values, says);
const noRows = (given: unknown) => set({ variables: given }, [{}], emptyField(rowsLabel).message);

const ofContact: Refused[] = [
	pairs(twice, ['Город', '1'], [' город ', '2']),
	pairs(`${nameOf(1)} is empty; ${nameOf(2)} is empty`, ['', '1'], [' ', '2']),
	pairs(`${nameOf(1)} holds no name`, ['=undefined', '2']),
	pairs(`${valueOf(2)} is empty`, ['Город', '1'], ['Дом', '']),
	pairs(`${valueOf(1)} contains a list`, ['Город', '={{ [1, 2] }}']),
	...[undefined, {}, VALUE].map(noRows),
	object(['{ "Город": 1, "ГОРОД": 2 }'], twice),
	object([undefined], `'${json}' contains a name`, '{ "Город": 1, "Город" : 2 }'),
	object([{ Город: '1', Дом: null }], `'${rowsLabel}: Дом' is empty`),
	object(['{ "Город": [1, 2] }'], `'${rowsLabel}: Город' contains a list`),
	object(['', '{}', {}, undefined], emptyField(json).message),
	object([[1, 2], [{ Город: 1 }], 'Город', '{ "Город": "Тверь"'], `'${json}' must be an object`),
];

export const contactCases: Refused[] = [...found, ...filters, ...leads, ...ofContact];
