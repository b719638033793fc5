import { fieldTypes, messengers } from '../../nodes/ChatbotService/resources/choices';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { emptyField } from '../../nodes/ChatbotService/run/values/valueProblems';
import { variants } from '../operations';
import { rows } from '../unit/tableRows';
import { names } from './names';
import { definitions } from './pastedDefinitions';
import { texts as ofTexts } from './pastedTexts';
import { times } from './times';
import { refuses, saidOf, takes, takesAsIs, texts, withoutLabel } from './table';
import type { Pasted, PastedInto } from './table';

/* Values from spreadsheets, messengers and other programs: for each field, how the node reads or why it refuses them. */

const noNumber = saidOf(kinds.contactId, 'a');
const noPhone = saidOf(kinds.phone, 'a');
const rounded = saidOf(kinds.text, 2 ** 53);
const notInList = saidOf(kinds.oneOf(messengers), 'a');
const noSwitch = saidOf(kinds.logical, 'a');
const empty = withoutLabel([emptyField('')]);
const noPart = saidOf(kinds.oneOf(['tags', 'variables'].map((value) => ({ name: value, value }))), 'a');

/** An ID that has lost its last digits as a JSON number. */
const roundedId = JSON.parse('7615917337495251231') as number;

const person = '+79161234567';

/** All of them mean the same person. */
export const spellingsOfOnePerson: unknown[] = [
	79161234567,
	...texts(`
		+79161234567 | 79161234567 | 89161234567 | 0079161234567 | 79161234567.0 | 79161234567,0 | +7 916 123-45-67
		+7\u00a0916\u00a0123\u201145\u201167 | 8\u2009916\u2009123\u2014\u200945\u200967
		’+7 916 123 45 67 | \`89161234567 | ="+79161234567" | «"89161234567"» | tel://+79161234567 | TEL: 8 916 123-45-67
		\u202a+7 916 123-45-67\u202c | +7\u00ad9161234567 | (+7) 916 123-45-67 | 7.916.123.45.67
		+7 916 123 - 45 - 67 | +79161234567.; | 79161234567@c.us | 79161234567:12@s.whatsapp.net
	`),
	...['\ufeff79161234567', ' " +79161234567" '],
];

/** Messengers for which the API names no limits. */
const otherMessengers = texts('avito | Facebook | icq | instagram | odnoklassniki | ok');

const noMessenger: unknown[] = [...texts('Одноклассники | telegram, vk | vk.com'), 1, { value: 'telegram' }];

const switches = (group: string, yes: unknown, no: unknown): Pasted[] => [
	...takes(group, yes, true, 1, ' True ', `TRUE | 1 | Yes | y | on | ДА | Истина | "true" | 'TRUE`),
	...takes(group, no, false, 0, 'Нет\u00a0', 'FALSE | 0 | no | N | off | ЛОЖЬ | "false"'),
	...refuses(group, noSwitch, 'может быть | да/нет | + | 1.5', 2, -1, {}, NaN),
];

const values: Pasted[] = [
	// Spellings of a whole number from Google Sheets, Excel and databases.
	...takes('id', 1048576, 1048576, [1048576], ' 1048576\n', '\u00a01048576\u00a0', '\u200b1048576\ufeff'),
	...takes('id', 1048576, `1048576.0 | 1048576,0 | '1048576 | ="1048576" | 0001048576`),
	...takesAsIs('id', Number.MAX_SAFE_INTEGER),
	...refuses('id', noNumber, '1048576.5 | 1,048,576 | 1 048 576 | 1.04858E+06 | 0x10 | -5 | 0 | 5, 6'),
	...refuses('id', noNumber, '9007199254740993'),
	...refuses('id', noNumber, 1048576.5, 2n ** 70n, NaN, true, { id: 1048576 }, new Date(0), () => 5),
	...refuses('id', rounded, 1e21, roundedId),
	...refuses('id', empty, [], ['']),

	...takes('phone', person, ...spellingsOfOnePerson),
	...takes('phone', '+77011234567', '87011234567', '+7 701 123-45-67'),
	// Other countries, with their codes.
	...takes('phone', '+380441234567', '+380 44 123-45-67'),
	...takes('phone', '+491701234567', '00 49 170 1234567', '+49 (0)170 1234567', '(+49 (0)170) 1234567'),
	...takes('phone', '+89161234567', '+8 916 123-45-67'),
	...takes('phone', '+298123456', '00298 123456'),
	// Without an unambiguous country code: unchanged.
	...takesAsIs('phone', '85212345678 | 8 (029) 123-45-67 | 380441234567 | 889161234567 | 1234567'),
	...takesAsIs('phone', '7011234567', '+9161234567'),
	...takes('phone', '495 123-45-67', '495\u00a0123\u201145\u201167'),
	// Dates, amounts and addresses on the internet, and what spreadsheets turn a number into.
	...refuses('phone', noPhone, '22.11.2026 | 1979-12-31 10 | 22/11/2026 | 1000000.50 | 79.161.234.167'),
	...refuses('phone', noPhone, '79161234567.5 | 7,91612E+10 | ########### | 79161234567.000'),
	// Not one number, and other texts.
	...refuses('phone', noPhone, '+79161234567, +79161234568 | +7 916 123-45-67 / 68 | 123456 | -79161234567'),
	...refuses('phone', noPhone, '1234567890123456 | +7 916 123-45-67 доб. 5 | +0 916 123-45-67'),
	...refuses('phone', noPhone, '8-800-ЦВЕТЫ | ()-. | @anna | https://wa.me/79161234567 | +7+9161234567'),
	...refuses('phone', noPhone, '١٢٣٤٥٦٧ | 79161234567@g.us'),
	...refuses('phone', noPhone, new Date(0), 1000000.5, -79161234567, true),
	// Without the code of the country.
	...refuses('phone', noPhone, 9161234567, '9161234567 | (916) 123-45-67 | 9161234567.0'),
	...refuses('phone', rounded, 1e21),
	...refuses('phone', saidOf(kinds.text, {}), { phone: person }, NaN),

	// Digits may be an ID, so nothing is added to them.
	...takesAsIs('phoneOrId', '284119035 | 89161234567 | @anna | 79161234567@g.us | 1e5'),
	...takes('phoneOrId', '284119035', 284119035, '284119035.0'),
	...takes('phoneOrId', '79161234567', "'79161234567"),
	...takes('phoneOrId', '-1001234567890', '\u22121001234567890'),
	...takes('phoneOrId', '+u7Qm1dXkPq0Zs3R8fT2yLw==', ' +u7Qm1dXkPq0Zs3R8fT2yLw== '),
	...takes('phoneOrId', person, '8 (916) 123-45-67', 'tel:+7-916-123-45-67', [person], '79161234567@c.us'),
	...takes('phoneOrId', '@anna', '\u200b@anna\u200e'),
	...takes('phoneOrId', '17450283', 'id17450283 | vk.com/id17450283 | https://m.vk.com/id17450283?from=a'),
	...refuses('phoneOrId', noPhone, '22.11.2026 | 284119035.5 | 79161234567, 284119035 | 12 345 | +'),
	// In Viber, an ID has letters.
	...refuses('phoneOrId', noPhone, 9161234567, '916 123-45-67'),
	...refuses('phoneOrId', noPhone, 'tel:Анна | 7,91612E+10 | 12@c.us | 012345678@c.us'),
	...refuses('phoneOrId', rounded, roundedId),

	...takes('messenger pace', 'telegram', ['telegram'], 'TELEGRAM | "telegram" | tg | ТГ | Телеграмм'),
	...takes('messenger pace', 'whatsapp', 'WhatsApp | Whats App | whats-app | WA | ватсап | Вацап'),
	...takes('messenger pace', 'vk', 'VK | вк | ВКонтакте | vkontakte', '\u200bvk'),
	...takes('messenger pace', 'viber', 'Viber\u00a0', 'вайбер'),
	...takes('messenger pace', 'max', 'max', 'Макс'),
	...refuses('messenger', notInList, ...noMessenger, ...otherMessengers, 'unknown'),
	...refuses('messenger', empty, '', null),
	// Other messengers are as the service returns them for contacts.
	...takes('pace', 'unknown', '', undefined, 'Unknown | Not Known (Not WhatsApp) | неизвестно'),
	...takes('pace', 'unknown', ...otherMessengers),
	// A messenger that only sets the pace is not worth a message that is not sent.
	...takes('pace', 'unknown', ...noMessenger, 'widget', ['telegram', 'vk'], '#Н/Д', roundedId),
	...takes('pace', 'whatsapp', ['wa.me'], 'WhatsApp Business | whatsapp_cloud | vatsap | Ватцап'),
	...refuses('pace', saidOf(kinds.text, '{{ $json.name }}'), '{{ $json.messenger }}'),

	...[...switches('all', undefined, 7), ...switches('switch', true, false), ...switches('number', 1, 0)],
	...takes('all', 7, '', null, undefined),
	...takes('limit', 7, 7, '7', '7.0', ' 7 '),
	...refuses('limit', noNumber, 0, -1, 1.5, 'все', '7 штук'),
	...refuses('limit type', empty, '', null),
	...takes('parts', 'tags,variables', ['variables', 'tags']),
	...takes('parts', 'tags', 'Tags, tags', '["tags"]'),
	...takes('parts', undefined, [], ''),
	...refuses('parts', noPart, 'tags, все'),
	...takesAsIs('type', 'string | contact'),
	...takes('type', 'number', ' Number '),
	...takes('type', 'boolean', 'bool'),
	...refuses('type', saidOf(kinds.oneOf(fieldTypes), 'a'), 'text', 'строка', 1, {}),
	...refuses('type', saidOf(kinds.text, [1, 2]), ['string', 'number']),
	...[...ofTexts, ...definitions, ...names, ...times],
];

const into = (group: string, variant: string, field: string): PastedInto => {
	const { fields } = variants.find(({ title }) => title === variant)!;
	const { label } = fields.find(({ name }) => name === field)!;
	const own = values.filter(({ groups }) => groups.includes(group));
	const taken = own.flatMap(({ value, ...rest }) => ('travels' in rest ? rows([value], rest.travels) : []));
	const refused = own.flatMap(({ value, ...rest }) => ('said' in rest ? rows([value], rest.said) : []));
	return { variant, field, label, taken, refused };
};

/** The fields that accept pasted values, each with its accepted and refused values. */
export const pasted: PastedInto[] = [
	into('id', 'tag/attach', 'contactId'),
	into('id', 'message/sendToWhatsApp', 'botId'),
	into('phone', 'message/sendToWhatsApp', 'phone'),
	into('phoneOrId', 'message/send to an external ID', 'externalId'),
	into('messenger', 'message/send to an external ID', 'messenger'),
	into('pace', 'message/send to a contact', 'contactMessenger'),
	into('all', 'tag/getManyByBot', 'returnAll'),
	into('limit', 'tag/getManyByBot', 'limit'),
	into('switch', 'listSchema/create with defined fields', 'showInMenu'),
	into('number', 'contactVariable/upsert', 'deletable'),
	into('address', 'message/send to a contact', 'imageUrl'),
	into('address', 'message/send to a contact', 'fileUrl'),
	into('text', 'message/sendToWhatsApp', 'text'),
	into('text', 'contactVariable/upsert', 'variableValue'),
	into('type', 'listSchema/addField', 'fieldType'),
	into('moment', 'contact/getAll', 'filters.createdAfter'),
	into('date', 'contact/getAll', 'filters.createdBefore'),
	into('parts', 'contact/get', 'include'),
	into('definitions', 'listSchema/create with fields as JSON', 'fieldsJson'),
	into('tags', 'contact/upsert in telegram', 'additionalFields.tags'),
	into('name', 'contact/upsert in telegram', 'additionalFields.address'),
	into('email', 'contact/upsert in telegram', 'additionalFields.email'),
	into('username', 'contact/upsert in telegram', 'additionalFields.telegramUsername'),
	into('name', 'contact/upsert in telegram', 'contactName'),
	into('name', 'contactVariable/upsert', 'variableName'),
	into('name', 'tag/attach', 'tagName'),
];
