import { text } from '../../nodes/ChatbotService/resources/kinds';
import { fieldDefinitions } from '../../nodes/ChatbotService/resources/listSchema/definitions';
import { readAs, refusedAs, saidOf, texts, type PastedInto } from './table';

/* Definitions of a list's fields, as people write them, as programs return them, and as the service answers. */

const city = { name: 'Город', slug: 'city', type: 'string' };
const paid = { name: 'Оплачено', slug: 'paid', type: 'boolean', is_required: true };
const keyed = { city, paid };
const withoutSlug = <T extends typeof city>({ slug: _slug, ...rest }: T) => rest;
/** As in answers of getListSchema: every attribute but the slug, and the logical type with the name `bool`. */
const answered = {
	city: { name: 'Город', type: 'string', is_required: false, is_hidden: false, is_encryptable: false },
	paid: { name: 'Оплачено', type: 'bool', is_required: true, is_hidden: false, is_encryptable: true },
};
const copied = {
	city: { ...answered.city, slug: 'city' },
	paid: { ...answered.paid, slug: 'paid', type: 'boolean' },
};

export const definitions: PastedInto['taken'] = [
	...readAs(keyed, [
		keyed,
		{ city: withoutSlug(city), paid: withoutSlug(paid) },
		{ city: { ...city, slug: '' }, paid: { ...paid, slug: null } },
		{ field: [city, paid] },
		{ name: 'Заказы', fields: [city, paid] },
		[{ name: 'Заказы', fields: [city, paid] }],
		`\ufeff${JSON.stringify([city, paid], null, '\t')}\n`,
	]),
	...readAs({}, [{}, '[]', { id: '5dee', name: 'Заказы', fields: [] }]),
	...readAs(copied, [
		answered,
		JSON.stringify({ id: '5dee', name: 'Заказы', is_menu: true, fields: answered }),
	]),
	// As PHP writes a schema whose slugs are numbers.
	[{ id: '5dee', name: 'Заказы', fields: [withoutSlug(city)] }, { 0: { ...city, slug: '0' } }],
	[
		[{ name: ' Город ', slug: ' city ', type: ' String ', is_hidden: '0', is_encryptable: 'ИСТИНА' }],
		{ city: { ...city, is_hidden: false, is_encryptable: true } },
	],
	// Its own slug counts more than its key.
	[{ town: city }, { city }],
	[[{ ...city, slug: 2026 }], { 2026: { ...city, slug: '2026' } }],
	[[{ ...city, is_hidden: null, is_required: '' }], { city }],
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
	...refusedAs(saidOfDefinitions([city, withoutSlug(paid)]), [{ field: [city, { ...paid, slug: ' ' }] }]),
	...refusedAs(saidOfDefinitions([paid, paid]), [[city, { ...paid, slug: 'city ' }]]),
];
