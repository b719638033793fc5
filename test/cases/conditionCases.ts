import type { INodeProperties } from 'n8n-workflow';

import { wholeNames } from '../../nodes/ChatbotService/resources/kinds';
import { emptyField, lostPart, withoutValues } from '../../nodes/ChatbotService/run/values/problems';
import { shownIn } from '../description/editor';
import { operationOf, operations, parametersOf } from '../operations';
import { labelOf } from '../operations/words';
import { VALUE, type Refused } from './refused';

/*
 * A condition that an expression or a bin of the editor leaves empty, or without a part. Without it, the node would read, change or tell
 * more than the user means: the contacts of all bots, a request past the proxy, another first item, or, to the customer of a chat, the
 * data of other customers.
 */

interface Condition {
	operation: string;
	label: string;
	with: (value: unknown) => object;
}

const condition = (operation: string, label: string, parametersWith: Condition['with']): Condition => ({
	...{ operation, label, with: parametersWith },
});

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

const filterOf = (wanted: string) => {
	const [, label, filter] = contactFilters.find(([name]) => name === wanted)!;
	return condition('contact/getAll', label, (value) => ({ filters: filter(value) }));
};

const labelAt = (path: string) => labelOf('listItem/getAll', path);
const orderLabel = labelAt('itemOptions.orderBy');

const filterValue = condition(
	'listItem/getAll',
	`${labelAt('fieldFilters')}, filter 1: ${labelAt('fieldFilters.value')}`,
	(value) => ({ fieldFilters: { filter: [{ slug: 'article', value }] } }),
);

/** As the editor stores it, in a text or in a list's field. */
const orders = [(value: unknown) => value, (value: unknown) => ({ __rl: true, mode: 'slug', value })].map(
	(stored) =>
		condition('listItem/getAll', orderLabel, (value) => ({ itemOptions: { orderBy: stored(value) } })),
);

/** Every parameter without which more would match. */
const conditions: Condition[] = [
	condition('contact/getAll', labelOf('contact/getAll', 'botId'), (botId) => ({ botId })),
	condition('contact/getAll', 'Proxy', (proxy) => ({ requestOptions: { proxy } })),
	condition('listSchema/create', labelOf('listSchema/create', 'botId'), (botId) => ({ botId })),
	...contactFilters.map(([name]) => filterOf(name)),
	filterValue,
	...orders,
	condition('listItem/getAll', labelAt('itemOptions.orderByDirection'), (orderByDirection) => ({
		itemOptions: { orderBy: 'price', orderByDirection },
	})),
];

const emptied = conditions.flatMap(({ operation, label, with: parametersWith }): Refused[] => [
	[operation, parametersWith(VALUE), [undefined, null, '\u200b', ''], emptyField(label).message],
	[operation, parametersWith, ['= '], emptyField(label).message],
]);

const lost = ({ operation, label, with: parametersWith }: Condition, ...values: string[]): Refused => {
	const { message } = lostPart(label, []);
	return [operation, parametersWith, values, message];
};

const incomplete = (name: string, ...values: string[]): Refused => {
	const { operation, label, with: parametersWith } = filterOf(name);
	const checked = wholeNames(['VIP', ''], label);
	const says = 'problems' in checked ? checked.problems[0]!.message : '';
	return [operation, parametersWith, values, says];
};

const missing = '$json.missing';

const partly: Refused[] = [
	lost(filterOf('hasAllTags'), `=Новый лид, {{ ${missing} }}`),
	incomplete('hasAllTags', `={{ ['Новый лид', ${missing}] }}`, `={{ ['Новый лид', ${missing}].join() }}`),
	lost(filterOf('hasAnyTag'), `=Новый лид; {{ ${missing} }}`),
	incomplete('hasNoTags', "={{ ['Не писать', ''] }}"),
	lost(filterOf('name'), `=Анна {{ ${missing} }}`, `={{ ${missing} }} Соколова`),
	lost(filterOf('name'), `={{ 'Анна' + ${missing} }}`, `={{ \`Анна \${${missing}}\` }}`),
	lost(filterOf('email'), `={{ ${missing} }}@example.com`, `=anna@{{ ${missing} }}`),
	lost(filterOf('variables.name'), `=Город {{ ${missing} }}`),
	lost(filterOf('variables.value'), `={{ 'Казань' + ${missing} }}`),
	lost(filterValue, `=00{{ ${missing} }}`, `={{ 'A-' + ${missing} }}`),
	...orders.map((order) => lost(order, `=price,{{ ${missing} }}`)),
];

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
