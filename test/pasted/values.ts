import { fieldTypes, messengers as messengerChoices } from '../../nodes/ChatbotService/resources/choices';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { variants } from '../operations';
import { evaluate } from '../unit/expression';
import { definitions, noDefinitions } from './definitions';
import { intoNames } from './names';
import { readAs, refusedAs, saidOf, texts, unchanged, withoutLabel, type PastedInto } from './table';
import { intoTimes } from './times';

/*
 * Values from spreadsheets, CRMs, web pages, messengers and other programs: for each field, how the
 * node reads them or why it refuses them.
 */

const noNumber = saidOf(kinds.contactId, 'a');
const noPhone = saidOf(kinds.phone, 'a');
const noText = saidOf(kinds.text, {});
const aList = saidOf(kinds.text, [1, 2]);
const notEvaluated = saidOf(kinds.text, '{{ $json.name }}');
const noDate = saidOf(kinds.text, 'Invalid Date');
const source = saidOf(kinds.text, '[native code]');
const rounded = saidOf(kinds.text, 2 ** 53);
const privateAddress = saidOf(kinds.address, 'http://localhost');
const objectInText = saidOf(kinds.text, '[object Object]');
const noAddress = saidOf(kinds.address, 'a');
const severalAddresses = saidOf(kinds.address, 'http://a http://b');
const noSwitch = saidOf(kinds.logical, 'a');
const noType = saidOf(kinds.oneOf(fieldTypes), 'a');
const empty = withoutLabel([emptyField('')]);

/** What no field takes that holds one value. */
const noValue: PastedInto['refused'] = [
	...refusedAs(aList, [['284119035', 'ENOENT']]),
	...refusedAs(notEvaluated, ['{{ $json.id }}', "{{ $fromAI('id') }}"]),
	...refusedAs(empty, ['', '\u00a0', '\u200b', null, undefined]),
];

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
		texts(
			'1048576.5 | 1,048,576 | 1 048 576 | 1.04858E+06 | 0x10 | -5 | 0 | № 5 | 5, 6 | 9007199254740993 | #Н/Д',
		),
	),
	...refusedAs(noNumber, [1048576.5, 2n ** 70n, NaN, true, { id: 1048576 }, new Date(0), () => 5]),
	...refusedAs(rounded, [1e21, roundedId]),
	...refusedAs(empty, [[], ['']]),
	...noValue,
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
		// Dates, amounts, addresses on the internet; what spreadsheets turn a number into; more or less than one number; other texts.
		texts(`
			22.11.2026 | 1979-12-31 10 | 22.11.2026 10:15 | 22/11/2026 | 1000000.50 | 79161234567.5 | 192.168.100.200
			7,91612E+10 | ########### | #Н/Д | 79161234567.000 | +79161234567, +79161234568 | +7 916 123-45-67 / 68
			123456 | 1234567890123456 | +7 916 123-45-67 доб. 5 | -79161234567 | +0 916 123-45-67 | +7+9161234567
			8-800-ЦВЕТЫ | ()-. | Анна | @anna | https://wa.me/79161234567 | 79161234567@g.us | ١٢٣٤٥٦٧
		`),
	),
	...refusedAs(noPhone, [new Date(0), 1000000.5, -79161234567, true]),
	// Without the code of the country.
	...refusedAs(noPhone, [
		9161234567,
		...texts('9161234567 | (916) 123-45-67 | 916 123 45 67 | 9161234567.0'),
	]),
	...refusedAs(rounded, [1e21]),
	...refusedAs(noText, [{ phone: person }, NaN]),
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
	...refusedAs(rounded, [roundedId]),
	...noValue,
];

const messengers: PastedInto['taken'] = [
	...readAs('telegram', [['telegram'], ' telegram ']),
	...readAs('telegram', texts('TELEGRAM | "telegram" | tg | ТГ | телеграм | Телеграмм')),
	...readAs('whatsapp', texts('WhatsApp | Whats App | whats-app | whats_app | WA')),
	...readAs('whatsapp', texts('ватсап | Ватсапп | Вацап | вотсап | вотсапп')),
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
	...readAs('unknown', [
		'',
		undefined,
		...texts('Unknown | Not Known | Not Known (Not WhatsApp) | неизвестно'),
		...otherMessengers,
	]),
	// A messenger that only sets the pace is not worth a message that is not sent.
	...readAs('unknown', [...noMessenger, 'widget', ['telegram', 'vk'], '#Н/Д', roundedId]),
	...readAs('whatsapp', texts('WhatsApp Business | whatsapp_cloud | wa.me | vatsap | Ватцап')),
	...readAs('whatsapp', [['wa.me']]),
];

const noMessengers: PastedInto['refused'] = [
	...refusedAs(saidOf(kinds.oneOf(messengerChoices), 'a'), [...noMessenger, ...otherMessengers, 'unknown']),
	...refusedAs(empty, ['', null]),
];

const noContactMessengers = refusedAs(notEvaluated, ['{{ $json.messenger }}']);

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

const site = 'https://example.com';
const cat = '%D0%BA%D0%BE%D1%82';
const resizer = 'https://img.example.com';

const addresses: PastedInto['taken'] = [
	...unchanged([
		...texts('http://172.32.0.1/a | http://100.128.0.1/a | http://8.8.8.8/a | https://10.example.com/a'),
		...['https://localhost.example.com/a', 'https://[2001:db8::1]/a'],
		`${site}/a.png?size=1&v=2#top`,
		// What is encoded already.
		`${site}/${cat}%20a%2Fb50%25.png`,
		// Another address behind a comma, as resizers want it.
		`${resizer}/w=100,${site}/a.png`,
	]),
	[' HTTPS://EXAMPLE.COM/A.PNG\n', 'HTTPS://EXAMPLE.COM/A.PNG'],
	[`${site}/a\u00a0b.png`, `${site}/a%C2%A0b.png`],
	[`${site}/кот?q=кот&v=2#кот`, `${site}/${cat}?q=${cat}&v=2#${cat}`],
	['https://пример.рф/price.pdf', 'https://xn--e1afmkfd.xn--p1ai/price.pdf'],
	[`${site}/кот${cat} a%20b.png`, `${site}/${cat}${cat}%20a%20b.png`],
	[`${site}/50%.png`, `${site}/50%25.png`],
	[`${site}/\ud83d.png`, `${site}/%EF%BF%BD.png`],
	[`${resizer}/w=100;http://example.com/кот.png`, `${resizer}/w=100;http://example.com/${cat}.png`],
];

const noAddresses: PastedInto['refused'] = [
	...refusedAs(
		noAddress,
		texts(String.raw`
			example.com/a.png | C:\фото\кот.png | =IMAGE("https://example.com/a.png") | file:///etc/passwd
			javascript:alert(1) | https:/example.com/a.png | https:// | https://exa mple.com
		`),
	),
	...refusedAs(noAddress, [5, { url: site }]),
	...refusedAs(notEvaluated, [`${site}/{{ $json.picture }}`]),
	...refusedAs(
		privateAddress,
		texts(`
			http://localhost:5678/a.png | https://localhost./a | http://n8n:5678/a.png | http://127.0.0.1/a.png
			http://2130706433/a.png | http://10.1.2.3/a | http://192.168.1.5:8080/a | http://172.31.255.1/a
			http://169.254.169.254/ | http://100.64.0.1/a | https://files.internal/a | http://anna:secret@localhost/a
			http://0.0.0.0/a | http://172.16.0.1/a | http://172.20.0.1/a | http://a.localhost/a | http://a.local/a
			http://a.intranet/a | http://a.lan/a | http://a.home/a | http://a.corp/a | http://a.home.arpa/a
		`),
	),
	...refusedAs(severalAddresses, [
		...['\n', ' ', ', '].map((between) => `${site}/a.png${between}http://example.com/b.png`),
		...[`${site}/a.png //example.com/b.png`, `Фото: ${site}/a.png`],
	]),
];

const moment = '2026-11-22T10:15:00.000Z';

const words: PastedInto['taken'] = [
	...unchanged([' Привет\r\n\nАнна ', "'Привет", '=Привет', '79161234567.0', '22.11.2026', '👨‍👩‍👧']),
	...unchanged(['<b>Привет</b> & «Анна»', '[объект Заказ]', '[{"имя":"Анна"}]', 'undefined', 'Invalid date']),
	...unchanged(['{{name}}, {{$Имя}}, {{$jsonКлюч}}, {{$now_}}, {{ json.x }}, { { $json.x } }, $json.x']),
	...unchanged(['Сайт => example.com', '(скидка) => 10 %', '(цена) { 100 }', 'function']),
	[['Привет'], 'Привет'],
	[-1.5, '-1.5'],
	[79161234567.0, '79161234567'],
	[2n ** 70n, '1180591620717411303424'],
	[false, 'false'],
	[new Date(moment), moment],
	[evaluate(`={{ DateTime.fromISO('${moment}', { zone: 'utc' }) }}`), moment],
	[evaluate('=Привет, {{ JSON.stringify({ a: 1 }) }}!'), 'Привет, {"a":1}!'],
	['Привет 😀'.slice(0, -1), 'Привет \ufffd'],
];

const noWords: PastedInto['refused'] = [
	...refusedAs(noText, [{ text: 'Привет' }, { toJSON: 'Привет' }, NaN, () => 'Привет', Symbol('Привет')]),
	...refusedAs(noText, [new Date('вчера'), evaluate("={{ DateTime.fromISO('вчера') }}")]),
	...refusedAs(aList, [[{ text: 'Привет' }]]),
	...refusedAs(
		notEvaluated,
		texts(`
			Привет, {{$json["name"]}}! | {{ $json.name | {{ $('Webhook').item.json.name }} | {{ $input.first().json.name }}
			{{ $fromAI('text') }} | {{$today.toISODate()}} | {{ $vars.shop }} | {{ DateTime.now() }} | ={{ $json.name }}
		`),
	),
	...refusedAs(
		notEvaluated,
		texts('{{ $itemIndex + 1 }} | {{ $item.id }} | {{ $now }} | {{ $node["A"].json }}'),
	),
	...refusedAs(notEvaluated, texts('{{ $execution.id }} | {{ $workflow.name }} | {{ $items("A")[0].json }}')),
	...refusedAs(notEvaluated, ['{{\n\t$json.name\n}}', '{{{ $json.name }}}', '{{name}} {{ $json.name }}']),
	...refusedAs(noDate, ['Запись на Invalid DateTime.', '(Invalid Date)']),
	...refusedAs(source, ['Привет, ' + String(Map), evaluate('=Сегодня {{ DateTime.now().toISO }}')]),
	...refusedAs(source, ['(...args) => { if (args.length) {', 'get(day) { return this[day] }']),
	...refusedAs(source, texts('(a) => { switch (a) { | a() { super( | () => { throw a | () => { try {')),
	...refusedAs(rounded, [roundedId, -(2 ** 53), 1e21]),
	...refusedAs(objectInText, ['[object Promise]', evaluate('={{ ({ a: 1 }) }}!')]),
	...noValue,
];

const types: PastedInto['taken'] = [
	...unchanged(texts('string | contact')),
	[' Number ', 'number'],
	['bool', 'boolean'],
];

const noTypes: PastedInto['refused'] = [
	...refusedAs(noType, ['text', 'строка', 1, {}]),
	...refusedAs(aList, [['string', 'number']]),
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
	into('message/send to a contact', 'contactMessenger', contactMessengers, noContactMessengers),
	into('tag/getManyByBot', 'returnAll', returnAll, noSwitches),
	into('tag/getManyByBot', 'limit', readAs(7, [7, '7', '7.0', ' 7 ']), noLimits),
	into('listSchema/create with defined fields', 'showInMenu', switches(true, false), noSwitches),
	into('contactVariable/upsert', 'deletable', switches(1, 0), noSwitches),
	into('message/send to a contact', 'imageUrl', addresses, noAddresses),
	into('message/send to a contact', 'fileUrl', addresses, noAddresses),
	into('message/sendToWhatsApp', 'text', words, noWords),
	into('contactVariable/upsert', 'variableValue', words, noWords),
	into('listSchema/addField', 'fieldType', types, noTypes),
	into('listSchema/create with fields as JSON', 'fieldsJson', definitions, noDefinitions),
	...[...intoNames, ...intoTimes].map((row) => into(...row)),
];
