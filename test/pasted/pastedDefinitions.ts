import { text } from '../../nodes/ChatbotService/resources/kinds';
import { fieldDefinitions } from '../../nodes/ChatbotService/resources/listSchema/definitions';
import { readAs, refusedAs, saidOf, texts, type PastedInto } from './table';

/* Definitions of a list's fields, as people write them, as programs return them, and as the service answers. */

const city = { name: 'Город', slug: 'city', type: 'string' };
const paid = { name: 'Оплачено', slug: 'paid', type: 'boolean', is_required: true };
const { slug: _city, ...bareCity } = city;
const { slug: _paid, ...barePaid } = paid;
const keyed = { city, paid };
/** As in answers of getListSchema: every attribute but the slug, and the logical type with the name `bool`. */
const answered = { paid: { ...barePaid, type: 'bool', is_hidden: false } };
const schema = { id: '5dee', name: 'Заказы' };

export const definitions: PastedInto['taken'] = [
	...readAs(keyed, [
		...[keyed, { city: bareCity, paid: barePaid }, { field: [city, paid] }],
		...[
			{ city: { ...city, slug: '' }, paid: { ...paid, slug: null } },
			[{ ...schema, fields: [city, paid] }],
		],
		...[{ name: 'Заказы', fields: [city, paid] }, `\ufeff${JSON.stringify([city, paid], null, '\t')}\n`],
	]),
	...readAs({}, [{}, '[]', { ...schema, fields: [] }]),
	...readAs({ paid: { ...paid, is_hidden: false } }, [
		answered,
		JSON.stringify({ ...schema, fields: answered }),
	]),
	// As PHP writes a schema whose slugs are numbers.
	[{ ...schema, fields: [bareCity] }, { 0: { ...city, slug: '0' } }],
	[
		[{ ...city, name: ' Город ', type: ' String ', is_hidden: 'ЛОЖЬ' }],
		{ city: { ...city, is_hidden: false } },
	],
	// Its own slug counts more than its key.
	[{ town: city }, { city }],
	[[{ ...city, slug: 2026 }], { 2026: { ...city, slug: '2026' } }],
	[[{ ...city, slug: ' city ', is_hidden: null, is_required: '' }], { city }],
];

const saidOfDefinitions = (value: unknown) => saidOf(fieldDefinitions, value);

export const noDefinitions: PastedInto['refused'] = [
	...refusedAs(saidOfDefinitions('a'), [...texts('[{“name”: “Город”}] | Город'), '```json\n[]\n```']),
	...refusedAs(saidOfDefinitions('{"a":1,"a":2}'), ['{"city":{},"city":{}}', '[{"name":"a","name":"b"}]']),
	...refusedAs(saidOfDefinitions(7), ['null', '"Город"', true]),
	...refusedAs(saidOfDefinitions([undefined]), ['[null]', [[city]], { name: 'Заказы', fields: [null] }]),
	...refusedAs(saidOfDefinitions([{ ...paid, unknown: 1 }]), [[{ ...city, constructor: 'x' }]]),
	...refusedAs(saidOfDefinitions([{ ...paid, type: 1 }]), [[{ ...city, type: 'строка' }]]),
	...refusedAs(saidOfDefinitions([{ ...paid, is_hidden: 2 }]), [[{ ...city, is_hidden: 'скорее да' }]]),
	...refusedAs(`, field 1: name${saidOf(text, '[object Object]')}`, [[{ ...city, name: '[object Object]' }]]),
	...refusedAs(saidOfDefinitions([city, barePaid]), [{ field: [city, { ...paid, slug: ' ' }] }]),
	...refusedAs(saidOfDefinitions([paid, paid]), [[city, { ...paid, slug: 'city ' }]]),
];
