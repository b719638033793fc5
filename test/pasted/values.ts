import { fieldTypes, messengers as messengerChoices } from '../../nodes/ChatbotService/resources/choices';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { variants } from '../operations';
import { definitions, noDefinitions } from './pastedDefinitions';
import { intoNames } from './names';
import { readAs, refusedAs, saidOf, texts, unchanged, withoutLabel, type PastedInto } from './table';
import { addresses, dates, noAddresses, noDates, noValue, noWords, words } from './pastedTexts';

/*
 * Values from spreadsheets, CRMs, web pages, messengers and other programs: for each field, how the
 * node reads them or why it refuses them.
 */

const noNumber = saidOf(kinds.contactId, 'a');
const noPhone = saidOf(kinds.phone, 'a');
const rounded = saidOf(kinds.text, 2 ** 53);
const noSwitch = saidOf(kinds.logical, 'a');
const empty = withoutLabel([emptyField('')]);

/** An ID that has lost its last digits as a JSON number. */
const roundedId = JSON.parse('7615917337495251231') as number;

/** Spellings of a whole number from Google Sheets, Excel and databases. */
const ids: PastedInto['taken'] = [
	...readAs(1048576, [1048576, [1048576], ' 1048576\n', '\u00a01048576\u00a0', '\u200b1048576\ufeff']),
	...readAs(1048576, texts(`1048576.0 | 1048576,0 | '1048576 | ="1048576" | 0001048576`)),
	...unchanged([Number.MAX_SAFE_INTEGER]),
];

const noIds: PastedInto['refused'] = [
	...refusedAs(
		noNumber,
		texts('1048576.5 | 1,048,576 | 1 048 576 | 1.04858E+06 | 0x10 | -5 | 0 | 5, 6 | 9007199254740993'),
	),
	...refusedAs(noNumber, [1048576.5, 2n ** 70n, NaN, true, { id: 1048576 }, new Date(0), () => 5]),
	...[...refusedAs(rounded, [1e21, roundedId]), ...refusedAs(empty, [[], ['']]), ...noValue],
];

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

const phones: PastedInto['taken'] = [
	...readAs(person, spellingsOfOnePerson),
	...readAs('+77011234567', ['87011234567', '+7 701 123-45-67']),
	// Other countries, with their codes.
	['+380 44 123-45-67', '+380441234567'],
	...readAs('+491701234567', ['00 49 170 1234567', '+49 (0)170 1234567', '(+49 (0)170) 1234567']),
	['+8 916 123-45-67', '+89161234567'],
	// Without an unambiguous country code: unchanged.
	...unchanged(texts('85212345678 | 8 (029) 123-45-67 | 380441234567 | 889161234567 | 1234567 | 7011234567')),
	['495\u00a0123\u201145\u201167', '495 123-45-67'],
	['+9161234567', '+9161234567'],
];

const noPhones: PastedInto['refused'] = [
	...refusedAs(
		noPhone,
		// Dates, amounts, addresses on the internet; what spreadsheets turn a number into; not one number; other texts.
		texts(`
			22.11.2026 | 1979-12-31 10 | 22/11/2026 | 1000000.50 | 79161234567.5 | 192.168.100.200 | 7,91612E+10
			########### | 79161234567.000 | +79161234567, +79161234568 | +7 916 123-45-67 / 68 | 123456
			1234567890123456 | +7 916 123-45-67 доб. 5 | -79161234567 | +0 916 123-45-67 | +7+9161234567
			8-800-ЦВЕТЫ | ()-. | @anna | https://wa.me/79161234567 | 79161234567@g.us | ١٢٣٤٥٦٧
		`),
	),
	...refusedAs(noPhone, [new Date(0), 1000000.5, -79161234567, true]),
	// Without the code of the country.
	...refusedAs(noPhone, [9161234567, ...texts('9161234567 | (916) 123-45-67 | 9161234567.0')]),
	...refusedAs(rounded, [1e21]),
	...refusedAs(saidOf(kinds.text, {}), [{ phone: person }, NaN]),
	...noValue,
];

/** Digits may be an ID, so nothing is added to them. */
const phonesOrIds: PastedInto['taken'] = [
	...unchanged(texts('284119035 | 89161234567 | +u7Qm1dXkPq0Zs3R8fT2yLw== | @anna | 79161234567@g.us | 1e5')),
	...readAs('284119035', [284119035, '284119035.0']),
	["'79161234567", '79161234567'],
	['\u22121001234567890', '-1001234567890'],
	[' u7Qm1dXkPq0Zs3R8fT2yLw== ', 'u7Qm1dXkPq0Zs3R8fT2yLw=='],
	...readAs(person, ['8 (916) 123-45-67', 'tel:+7-916-123-45-67', [person], '79161234567@c.us']),
	['\u200b@anna\u200e', '@anna'],
	...readAs('17450283', texts('id17450283 | vk.com/id17450283 | https://m.vk.com/id17450283?from=search')),
];

const noPhonesOrIds: PastedInto['refused'] = [
	...refusedAs(noPhone, texts('22.11.2026 | 284119035.5 | 79161234567, 284119035 | 12 345')),
	// In Viber, an ID has letters.
	...refusedAs(noPhone, [9161234567, '916 123-45-67']),
	...refusedAs(noPhone, texts('+ | tel:Анна | 7,91612E+10 | 12@c.us | 012345678@c.us')),
	...[...refusedAs(rounded, [roundedId]), ...noValue],
];

const messengers: PastedInto['taken'] = [
	...readAs('telegram', [['telegram'], ...texts('TELEGRAM | "telegram" | tg | ТГ | телеграм | Телеграмм')]),
	...readAs(
		'whatsapp',
		texts('WhatsApp | Whats App | whats-app | whats_app | WA | ватсап | Вацап | вотсапп'),
	),
	...readAs('vk', [...texts('VK | вк | ВКонтакте | vkontakte'), '\u200bvk']),
	...readAs('viber', ['Viber\u00a0', 'вайбер']),
	...readAs('max', ['max', 'Макс']),
];

/** Messengers for which the API names no limits. */
const otherMessengers = texts('avito | Facebook | icq | instagram | odnoklassniki | ok');

const noMessenger: unknown[] = [...texts('Одноклассники | telegram, vk | vk.com'), 1, { value: 'telegram' }];

const contactMessengers: PastedInto['taken'] = [
	...messengers,
	// Other messengers are as the service returns them for contacts.
	...readAs('unknown', ['', undefined, ...texts('Unknown | Not Known (Not WhatsApp) | неизвестно')]),
	...readAs('unknown', otherMessengers),
	// A messenger that only sets the pace is not worth a message that is not sent.
	...readAs('unknown', [...noMessenger, 'widget', ['telegram', 'vk'], '#Н/Д', roundedId]),
	...readAs('whatsapp', [['wa.me'], ...texts('WhatsApp Business | whatsapp_cloud | vatsap | Ватцап')]),
];

const noMessengers: PastedInto['refused'] = [
	...refusedAs(saidOf(kinds.oneOf(messengerChoices), 'a'), [...noMessenger, ...otherMessengers, 'unknown']),
	...refusedAs(empty, ['', null]),
];

const notEvaluated = refusedAs(saidOf(kinds.text, '{{ $json.name }}'), ['{{ $json.messenger }}']);

const switches = (yes: unknown, no: unknown): PastedInto['taken'] => [
	...readAs(yes, [true, 1, ' True ', ...texts(`TRUE | 1 | Yes | y | on | ДА | Истина | "true" | 'TRUE`)]),
	...readAs(no, [false, 0, 'Нет\u00a0', ...texts('FALSE | 0 | no | N | off | ЛОЖЬ | "false"')]),
];

const noSwitches = refusedAs(noSwitch, [...texts('может быть | да/нет | + | 1.5'), 2, -1, {}, NaN]);

const returnAll: PastedInto['taken'] = [...switches(undefined, 7), ...readAs(7, ['', null, undefined])];

const noLimits: PastedInto['refused'] = [
	...refusedAs(noNumber, [0, -1, 1.5, 'все', '7 штук']),
	...refusedAs(empty, ['', null]),
];

const parts: PastedInto['taken'] = [
	[['variables', 'tags'], 'tags,variables'],
	...readAs('tags', ['Tags, tags', '["tags"]']),
	...readAs(undefined, [[], '']),
];
const partChoices = ['tags', 'variables'].map((value) => ({ name: value, value }));
const noParts = refusedAs(saidOf(kinds.oneOf(partChoices), 'a'), ['tags, все']);

const types: PastedInto['taken'] = [
	...unchanged(texts('string | contact')),
	[' Number ', 'number'],
	['bool', 'boolean'],
];

const noTypes: PastedInto['refused'] = [
	...refusedAs(saidOf(kinds.oneOf(fieldTypes), 'a'), ['text', 'строка', 1, {}]),
	...refusedAs(saidOf(kinds.text, [1, 2]), [['string', 'number']]),
	...refusedAs(empty, ['', null]),
];

const into = (
	variant: string,
	field: string,
	taken: PastedInto['taken'],
	refused: PastedInto['refused'],
): PastedInto => {
	const { fields } = variants.find(({ title }) => title === variant)!;
	const { label } = fields.find(({ name }) => name === field)!;
	return { variant, field, label, taken, refused };
};

/** The fields that accept pasted values, each with its accepted and refused values. */
export const pasted: PastedInto[] = [
	into('tag/attach', 'contactId', ids, noIds),
	into('message/sendToWhatsApp', 'botId', ids, noIds),
	into('contactVariable/delete by ID', 'variableId', ids, noIds),
	into('message/sendToWhatsApp', 'phone', phones, noPhones),
	into('message/send to an external ID', 'externalId', phonesOrIds, noPhonesOrIds),
	into('message/send to an external ID', 'messenger', messengers, noMessengers),
	into('message/send to a contact', 'contactMessenger', contactMessengers, notEvaluated),
	into('tag/getManyByBot', 'returnAll', returnAll, noSwitches),
	into('tag/getManyByBot', 'limit', readAs(7, [7, '7', '7.0', ' 7 ']), noLimits),
	into('listSchema/create with defined fields', 'showInMenu', switches(true, false), noSwitches),
	into('contactVariable/upsert', 'deletable', switches(1, 0), noSwitches),
	into('message/send to a contact', 'imageUrl', addresses, noAddresses),
	into('message/send to a contact', 'fileUrl', addresses, noAddresses),
	into('message/sendToWhatsApp', 'text', words, noWords),
	into('contactVariable/upsert', 'variableValue', words, noWords),
	into('listSchema/addField', 'fieldType', types, noTypes),
	into('contact/getAll', 'filters.createdBefore', dates, noDates),
	into('contact/getAll', 'include', parts, noParts),
	into('listSchema/create with fields as JSON', 'fieldsJson', definitions, noDefinitions),
	...intoNames.map((row) => into(...row)),
];
