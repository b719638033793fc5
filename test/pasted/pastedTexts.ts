import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { evaluate } from '../unit/expression';
import { readAs, refusedAs, saidOf, texts, unchanged, withoutLabel, type PastedInto } from './table';

/* Texts, addresses on the internet and dates, and what is none of them. */

const aList = saidOf(kinds.text, [1, 2]);
const noText = saidOf(kinds.text, {});
const notEvaluated = saidOf(kinds.text, '{{ $json.name }}');
const source = saidOf(kinds.text, '[native code]');

/** What no field takes that holds one value. */
export const noValue: PastedInto['refused'] = [
	...refusedAs(aList, [['284119035', 'ENOENT']]),
	...refusedAs(notEvaluated, ['{{ $json.id }}', "{{ $fromAI('id') }}"]),
	...refusedAs(withoutLabel([emptyField('')]), ['', '\u00a0', '\u200b', null, undefined]),
];

const site = 'https://example.com';
const cat = '%D0%BA%D0%BE%D1%82';
const resizer = 'https://img.example.com';

export const addresses: PastedInto['taken'] = [
	...unchanged(
		texts(`
			http://172.32.0.1/a | http://100.128.0.1/a | http://8.8.8.8/a | https://10.example.com/a
			https://localhost.example.com/a | https://[2001:db8::1]/a | http://[fb00::1]/a | http://fd00.example.com/a
		`),
	),
	// With what is encoded already, and with another address behind a comma, as resizers want it.
	...unchanged([`${site}/a.png?size=1&v=2#top`, `${site}/${cat}%20a%2Fb50%25.png`]),
	...unchanged([`${resizer}/w=100,${site}/a.png`]),
	[' HTTPS://EXAMPLE.COM/A.PNG\n', 'HTTPS://EXAMPLE.COM/A.PNG'],
	[`${site}/a\u00a0b.png`, `${site}/a%C2%A0b.png`],
	[`${site}/кот?q=кот&v=2#кот`, `${site}/${cat}?q=${cat}&v=2#${cat}`],
	['https://пример.рф/price.pdf', 'https://xn--e1afmkfd.xn--p1ai/price.pdf'],
	[`${site}/кот${cat} a%20b.png`, `${site}/${cat}${cat}%20a%20b.png`],
	[`${site}/50%.png`, `${site}/50%25.png`],
	[`${site}/\ud83d.png`, `${site}/%EF%BF%BD.png`],
	[`${resizer}/w=100;http://example.com/кот.png`, `${resizer}/w=100;http://example.com/${cat}.png`],
];

export const noAddresses: PastedInto['refused'] = [
	...refusedAs(
		saidOf(kinds.address, 'a'),
		texts(String.raw`
			example.com/a.png | C:\фото\кот.png | =IMAGE("https://example.com/a.png") | file:///etc/passwd
			javascript:alert(1) | https:/example.com/a.png | https:// | https://exa mple.com
		`),
	),
	...refusedAs(saidOf(kinds.address, 'a'), [5, { url: site }]),
	...refusedAs(notEvaluated, [`${site}/{{ $json.picture }}`]),
	...refusedAs(
		saidOf(kinds.address, 'http://localhost'),
		texts(`
			http://localhost:5678/a.png | https://localhost./a | http://n8n:5678/a.png | http://127.0.0.1/a.png
			http://2130706433/a.png | http://10.1.2.3/a | http://192.168.1.5:8080/a | http://172.31.255.1/a
			http://169.254.169.254/ | http://100.64.0.1/a | https://files.internal/a | http://anna:secret@localhost/a
			http://0.0.0.0/a | http://172.16.0.1/a | http://172.20.0.1/a | http://a.localhost/a | http://a.local/a
			http://a.intranet/a | http://a.lan/a | http://a.home/a | http://a.corp/a | http://a.home.arpa/a
			http://[::1]/a | http://[fd00::1]/a | http://[FC12::1]:80/a | http://[fe80::1]/a | http://[febf::1]/a
			http://[::]/a | http://[0:0:0:0:0:0:0:1]/a | http://[::ffff:10.0.0.1]/a | http://[::ffff:7f00:1]/a
		`),
	),
	...refusedAs(saidOf(kinds.address, 'http://a http://b'), [
		...['\n', ' ', ', '].map((between) => `${site}/a.png${between}http://example.com/b.png`),
		...[`${site}/a.png //example.com/b.png`, `Фото: ${site}/a.png`],
	]),
];

const moment = '2026-11-22T10:15:00.000Z';

export const words: PastedInto['taken'] = [
	...unchanged([' Привет\r\n\nАнна ', "'Привет", '=Привет', '79161234567.0', '22.11.2026', '👨‍👩‍👧']),
	...unchanged(['<b>Привет</b> & «Анна»', '[объект Заказ]', '[{"имя":"Анна"}]', 'undefined', 'Invalid date']),
	...unchanged(['{{name}}, {{$Имя}}, {{$jsonКлюч}}, {{$now_}}, {{ json.x }}, { { $json.x } }, $json.x']),
	...unchanged(['Сайт => example.com', '(скидка) => 10 %', '(цена) { 100 }', 'function']),
	[['Привет'], 'Привет'],
	[-1.5, '-1.5'],
	[79161234567.0, '79161234567'],
	[2n ** 70n, '1180591620717411303424'],
	[false, 'false'],
	...readAs(moment, [new Date(moment), evaluate(`={{ DateTime.fromISO('${moment}', { zone: 'utc' }) }}`)]),
	[evaluate('=Привет, {{ JSON.stringify({ a: 1 }) }}!'), 'Привет, {"a":1}!'],
	['Привет 😀'.slice(0, -1), 'Привет \ufffd'],
];

export const noWords: PastedInto['refused'] = [
	...refusedAs(noText, [{ text: 'Привет' }, { toJSON: 'Привет' }, NaN, () => 'Привет', Symbol('Привет')]),
	...refusedAs(noText, [new Date('вчера'), evaluate("={{ DateTime.fromISO('вчера') }}")]),
	...refusedAs(aList, [[{ text: 'Привет' }]]),
	...refusedAs(
		notEvaluated,
		texts(`
			Привет, {{$json["name"]}}! | {{ $json.name | {{ $('Webhook').item.json.name }} | {{ $input.first().json.name }}
			{{ $fromAI('text') }} | {{$today.toISODate()}} | {{ $vars.shop }} | {{ DateTime.now() }} | ={{ $json.name }}
			{{ $itemIndex + 1 }} | {{ $item.id }} | {{ $now }} | {{ $node["A"].json }} | {{ $execution.id }}
			{{ $workflow.name }} | {{ $items("A")[0].json }} | {{{ $json.name }}} | {{name}} {{ $json.name }}
		`),
	),
	...refusedAs(notEvaluated, ['{{\n\t$json.name\n}}']),
	...refusedAs(saidOf(kinds.text, 'Invalid Date'), ['Запись на Invalid DateTime.', '(Invalid Date)']),
	...refusedAs(source, ['Привет, ' + String(Map), evaluate('=Сегодня {{ DateTime.now().toISO }}')]),
	...refusedAs(source, ['(...args) => { if (args.length) {', 'get(day) { return this[day] }']),
	...refusedAs(source, texts('(a) => { switch (a) { | a() { super( | () => { throw a | () => { try {')),
	...refusedAs(saidOf(kinds.text, 2 ** 53), [JSON.parse('7615917337495251231'), -(2 ** 53), 1e21]),
	...refusedAs(saidOf(kinds.text, '[object Object]'), ['[object Promise]', evaluate('={{ ({ a: 1 }) }}!')]),
	...noValue,
];

/** The end of a period, in seconds. A date without a time zone is in that of the workflow, Moscow's. */
export const dates: PastedInto['taken'] = [
	[' 2026-06-02 ', Date.parse('2026-06-02T20:59:59Z') / 1000],
	['2026-06-02T15:30:00.999+05:00', Date.parse('2026-06-02T10:30:00Z') / 1000],
	...readAs(Date.parse(moment) / 1000, [new Date(moment), evaluate(`={{ DateTime.fromISO('${moment}') }}`)]),
];

/** They can mean several dates. */
export const noDates = refusedAs(saidOf(kinds.unixTime, 'a'), [
	...[1775001600, '1775001600000', '2026', 45000, true, '02.06.2026', '2026-13-01'],
	...[new Date('x'), evaluate("={{ DateTime.fromISO('x') }}")],
]);
