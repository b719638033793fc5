import type { INodeProperties } from 'n8n-workflow';

import { withoutValues } from '../../nodes/ChatbotService/resources/problems';
import { emptyField } from '../../nodes/ChatbotService/run/values/valueProblems';
import { shownIn } from '../description/editor';
import { orderedBy, where } from '../engine/goods';
import { operationOf, operations, parametersOf } from '../operations';
import { labelOf } from '../operations/words';
import { VALUE, type Refused } from './refused';

/*
 * A condition that an expression or a bin of the editor leaves empty, or without a part. Without it, the node would read, change or tell
 * more than the user means: the contacts of all bots, a request past the proxy, another first item, or, to the customer of a chat, the
 * data of other customers.
 */

type Condition = [operation: string, label: string, parametersWith: (value: unknown) => object];

type Filter = [name: string, label: string, filter: (value: unknown) => object];

const whole = { name: 'Город', condition: 'equals', value: 'Казань' };

/** The filters of contacts. How a variable is compared is no expression. */
export const contactFilters: Filter[] = [
	...operationOf('contact/getAll').variants[0]!.fields.flatMap(({ name: path, label }): Filter[] => {
		const [, name] = /^filters\.(?!variables)(.*)/.exec(path) ?? [];
		return name ? [[name, label, (value) => ({ [name]: value })]] : [];
	}),
	...['name', 'value'].map((name): Filter => {
		const [outer, inner] = ['', `.${name}`].map((path) =>
			labelOf('contact/getAll', `filters.variables${path}`),
		);
		const conditionWith = (value: unknown) => ({ variables: { conditions: [{ ...whole, [name]: value }] } });
		return [`variables.${name}`, `${outer}, condition 1: ${inner}`, conditionWith];
	}),
];

const filterOf = (wanted: string): Condition => {
	const [, label, filter] = contactFilters.find(([name]) => name === wanted)!;
	return ['contact/getAll', label, (value) => ({ filters: filter(value) })];
};

const [getContacts, getItems, createList] = ['contact/getAll', 'listItem/getAll', 'listSchema/create'];

const labelAt = (path: string) => labelOf(getItems, path);
export const valueLabel = `${labelAt('fieldFilters')}, filter 1: ${labelAt('fieldFilters.value')}`;
export const orderLabel = labelAt('itemOptions.orderBy');

const filterValue: Condition = [getItems, valueLabel, (value) => where(['article', value])];

/** As the editor stores it, in a text or in a list's field. */
const orders: Condition[] = [
	[getItems, orderLabel, (value) => orderedBy(value)],
	[getItems, orderLabel, (value) => orderedBy({ __rl: true, mode: 'slug', value })],
];

/** Every parameter without which more would match. */
const conditions: Condition[] = [
	[getContacts, labelOf(getContacts, 'botId'), (botId) => ({ botId })],
	[getContacts, 'Proxy', (proxy) => ({ requestOptions: { proxy } })],
	[createList, labelOf(createList, 'botId'), (botId) => ({ botId })],
	...contactFilters.map(([name]) => filterOf(name)),
	...[filterValue, ...orders],
	[getItems, labelAt('itemOptions.orderByDirection'), (value) => orderedBy('price', value)],
];

const emptied = conditions.flatMap(([operation, label, parametersWith]): Refused[] => [
	[operation, parametersWith(VALUE), [undefined, null, '\u200b', ''], emptyField(label).message],
	[operation, parametersWith, ['= '], emptyField(label).message],
]);

const missing = '$json.missing';

const lost: Array<[Condition, part: string, ...values: string[]]> = [
	[filterOf('hasAllTags'), 'part of', `=Новый лид, {{ ${missing} }}`],
	[filterOf('hasAllTags'), 'name in', `={{ ['VIP', ${missing}] }}`, `={{ ['VIP', ${missing}].join() }}`],
	[filterOf('hasNoTags'), 'name in', "={{ ['Не писать', ''] }}"],
	[filterOf('name'), 'part of', `=Анна {{ ${missing} }}`, `={{ ${missing} }} Соколова`],
	[filterOf('email'), 'part of', `={{ ${missing} }}@example.com`, `=anna@{{ ${missing} }}`],
	[filterOf('variables.name'), 'part of', `=Город {{ ${missing} }}`],
	[filterOf('variables.value'), 'part of', `={{ 'Казань' + ${missing} }}`],
	[filterValue, 'part of', `=00{{ ${missing} }}`, `={{ 'A-' + ${missing} }}`],
	[orders[0]!, 'part of', `=price,{{ ${missing} }}`],
];

const partly = lost.map(([[operation, label, parametersWith], part, ...values]): Refused => {
	return [operation, parametersWith, values, `A ${part} '${label}' is empty`];
});

const hasOneGroup = ({ type, typeOptions }: INodeProperties) =>
	type === 'fixedCollection' && !typeOptions?.multipleValues;

/** A bin in the editor removes the values of such an option and leaves its name, so the user believes that it still protects. */
const optionsWithoutValues = operations.flatMap(({ title, variants }) =>
	shownIn(parametersOf(variants[0]!))
		.filter(({ type }) => type === 'collection')
		.flatMap(({ name: collection, options }) =>
			(options as INodeProperties[]).filter(hasOneGroup).map(({ name, displayName }): Refused => {
				const { message } = withoutValues(displayName);
				return [title, { [collection]: { [name]: {} } }, [undefined], message];
			}),
		),
);

export const conditionCases: Refused[] = [...emptied, ...partly, ...optionsWithoutValues];
