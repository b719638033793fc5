import { text } from '../../nodes/ChatbotService/resources/kinds';
import { fieldDefinitions } from '../../nodes/ChatbotService/resources/listSchema/definitions';
import { refuses, saidOf, takes, texts, type Pasted } from './table';

/* Definitions of a list's fields, as people write them, as programs return them, and as the service answers. */

const city = { name: 'Город', slug: 'city', type: 'string' };
const paid = { name: 'Оплачено', slug: 'paid', type: 'boolean', is_required: true };
const { slug: _city, ...bareCity } = city;
const { slug: _paid, ...barePaid } = paid;
const keyed = { city, paid };
/** As in answers of getListSchema: every attribute but the slug, and the logical type with the name `bool`. */
const answered = { paid: { ...barePaid, type: 'bool', is_hidden: false } };
const keyedAnswer = { paid: { ...paid, is_hidden: false } };
const schema = { id: '5dee', name: 'Заказы' };

const inText = saidOf(text, '[object Object]');

const taken = (travels: object, ...values: unknown[]) => takes('definitions', travels, ...values);
/** @param like a value that is wrong in the same way */
const refused = (like: unknown, ...values: unknown[]) =>
	refuses('definitions', saidOf(fieldDefinitions, like), ...values);

export const definitions: Pasted[] = [
	...taken(keyed, keyed, { city: bareCity, paid: barePaid }, { field: [city, paid] }),
	...taken(keyed, { city: { ...city, slug: '' }, paid: { ...paid, slug: null } }),
	...taken(keyed, { name: 'Заказы', fields: [city, paid] }, [{ ...schema, fields: [city, paid] }]),
	...taken(keyed, `\ufeff${JSON.stringify([city, paid], null, '\t')}\n`),
	...taken({}, {}, '[]', { ...schema, fields: [] }),
	...taken(keyedAnswer, answered, JSON.stringify({ ...schema, fields: answered })),
	// As PHP writes a schema whose slugs are numbers.
	...taken({ 0: { ...city, slug: '0' } }, { ...schema, fields: [bareCity] }),
	...taken({ city: { ...city, is_hidden: false } }, [{ ...city, type: ' String ', is_hidden: 'ЛОЖЬ' }]),
	// Its own slug counts more than its key.
	...taken({ city }, { town: city }, [{ ...city, name: ' Город ', slug: ' city ', is_hidden: null }]),
	...taken({ 2026: { ...city, slug: '2026' } }, [{ ...city, slug: 2026 }]),
	...refused('a', ...texts('[{“name”: “Город”}] | Город'), '```json\n[]\n```'),
	...refused('{"a":1,"a":2}', '{"city":{},"city":{}}', '[{"name":"a","name":"b"}]'),
	...refused(7, 'null', '"Город"', true),
	...refused([undefined], '[null]', [[city]], { name: 'Заказы', fields: [null] }),
	...refused([{ ...paid, unknown: 1 }], [{ ...city, constructor: 'x' }]),
	...refused([{ ...paid, type: 1 }], [{ ...city, type: 'строка' }]),
	...refused([{ ...paid, is_hidden: 2 }], [{ ...city, is_hidden: 'скорее да' }]),
	...refused([city, barePaid], { field: [city, { ...paid, slug: ' ' }] }),
	...refused([paid, paid], [city, { ...paid, slug: 'city ' }]),
	...refuses('definitions', `, field 1: name${inText}`, [{ ...city, name: '[object Object]' }]),
];
