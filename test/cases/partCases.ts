import { SEEDED } from '../../sandbox/emulator';
import type { Refused } from './refused';
import { byName } from './spoiledCases';

/* A name with an empty part names another record. Each of these ends with a part that the item lacks. */

const PART = '{{ $json.value }}';

const toPerson = { recipient: 'externalId', messenger: 'telegram', botId: String(SEEDED.bots.school) };
const more = (additionalFields: object) => ({ additionalFields });
const ofId = { deleteBy: 'id', variableId: byName(`=30${PART}`) };
const fieldJson = `=[{ "name": "Город", "slug": "city_${PART}", "type": "string" }]`;
const field = { name: 'Город', slug: `=city_${PART}`, type: 'string' };
const newField = { fieldName: 'Город', newFieldSlug: `=city_${PART}`, fieldType: 'string' };
const variable = [{ name: `=Заказ ${PART}`, value: 'x' }];
const variablesJson = `={ "Заказ ${PART}": "x", "Город": "Казань" }`;
const columns = { mappingMode: 'defineBelow', value: { articl7: 'А-1' }, schema: [] };
const ofTest = { contactId: "=500{{ $('Start').first().json.value }}", messages: 1 };

const rows: Array<[operation: string, label: string, changes: object]> = [
	['contactVariable/delete', 'Variable', ofId],
	['contactVariable/upsert', 'Variable', { variableName: byName(`=Заказ ${PART}`) }],
	['contactVariable/upsertMany', 'Variables, variable 1: Name', { variables: { variable } }],
	['contactVariable/upsertMany', 'Variables (JSON)', { variablesInput: 'json', variablesJson }],
	['tag/attach', 'Tag', { tagName: byName(`=Волна ${PART}`) }],
	['message/send', 'Contact ID', { contactId: `=500${PART}` }],
	['message/send', 'Phone Number or Messenger ID', { ...toPerson, externalId: `=28411${PART}` }],
	['message/send', 'Test Run: Contact ID', { options: { testRun: { values: ofTest } } }],
	['message/sendToWhatsApp', 'Phone Number', { phone: `=+7916123456${PART}` }],
	['contact/upsert', 'Bot ID', { botId: `=10${PART}` }],
	['contact/upsert', 'Tags', more({ tags: `=VIP, Волна ${PART}` })],
	['contact/upsert', 'Email', more({ email: `=anna${PART}@example.com` })],
	['contact/upsert', 'Phone', more({ phone: `=+7916123456${PART}` })],
	['contact/upsert', 'Telegram Username', more({ telegramUsername: `=anna_${PART}` })],
	['listItem/delete', 'Item', { itemId: byName(`=64b7f0c2a1d3e4f5a600000${PART}`) }],
	['listItem/upsert', 'Match On', { matchOn: byName(`=articl${PART}`), columns }],
	['listSchema/delete', 'List', { schemaId: byName(`=64b7f0c2a1d3e4f5a6b7c8d${PART}`) }],
	['listSchema/create', 'List Name', { listName: `=Заказы ${PART}` }],
	['listSchema/create', 'Fields', { fieldsInput: 'define', fields: { field: [field] } }],
	['listSchema/create', 'Fields (JSON)', { fieldsInput: 'json', fieldsJson: fieldJson }],
	['listSchema/addField', 'Field Slug', newField],
	['listSchema/deleteField', 'Field', { fieldSlug: byName(`=pric${PART}`) }],
];

export const partCases: Refused[] = rows.map(([operation, label, changes]) => {
	return [operation, changes, ['', undefined], `A part of '${label}' is empty`];
});
