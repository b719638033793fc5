import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { evaluate } from '../unit/expression';
import { refuses, saidOf, takes, takesAsIs, withoutLabel, type Pasted } from './table';

/* Texts, addresses on the internet and dates, and what is none of them. */

const noText = saidOf(kinds.text, {});
const noAddress = saidOf(kinds.address, 'a');
const notOne = saidOf(kinds.address, 'http://a http://b');
const notEvaluated = saidOf(kinds.text, '{{ $json.name }}');
const anObject = saidOf(kinds.text, '[object Object]');
const noDate = saidOf(kinds.unixTime, 'a');

const oneValue = 'id phone phoneOrId text';

const site = 'https://example.com';
const cat = '%D0%BA%D0%BE%D1%82';
const resizer = 'https://img.example.com/w=100';
const moment = '2026-11-22T10:15:00.000Z';

const inN8n = (code: string) => evaluate(`={{ ${code} }}`);

export const texts: Pasted[] = [
	// What no field takes that holds one value.
	...refuses(oneValue, saidOf(kinds.text, [1, 2]), ['284119035', 'ENOENT']),
	...refuses(oneValue, notEvaluated, "{{ $json.id }} | {{ $fromAI('id') }}"),
	...refuses(oneValue, withoutLabel([emptyField('')]), '', '\u00a0', '\u200b', null, undefined),

	...takesAsIs('address', 'http://172.32.0.1/a | http://100.128.0.1/a | https://[2001:db8::1]/a'),
	...takesAsIs('address', 'https://localhost.a.ru/a | https://10.a.ru/a | http://fd00.ru/a'),
	// With what is encoded already, and with another address behind a comma, as resizers want it.
	...takesAsIs('address', `${site}/a.png?size=1&v=2#top`, `${site}/${cat}%20a%2Fb50%25.png`),
	...takesAsIs('address', `${resizer},${site}/a.png`),
	...takes('address', 'HTTPS://EXAMPLE.COM/A.PNG', ' HTTPS://EXAMPLE.COM/A.PNG\n'),
	...takes('address', `${site}/a%C2%A0b.png`, `${site}/a\u00a0b.png`),
	...takes('address', `${site}/${cat}?q=${cat}&v=2#${cat}`, `${site}/кот?q=кот&v=2#кот`),
	...takes('address', 'https://xn--e1afmkfd.xn--p1ai/price.pdf', 'https://пример.рф/price.pdf'),
	...takes('address', `${site}/${cat}${cat}%20a%20b.png`, `${site}/кот${cat} a%20b.png`),
	...takes('address', `${site}/50%25.png`, `${site}/50%.png`),
	...takes('address', `${site}/%EF%BF%BD.png`, `${site}/\ud83d.png`),
	...takes('address', `${resizer};http://a.ru/${cat}.png`, `${resizer};http://a.ru/кот.png`),
	...refuses('address', noAddress, 'example.com/a.png | =IMAGE("https://a.ru/a.png") | file:///etc/passwd'),
	...refuses('address', noAddress, 'javascript:alert(1) | https:/a.ru/a.png | https:// | https://a b.ru'),
	...refuses('address', noAddress, 'C:\\фото\\кот.png', 5, { url: site }),
	...refuses('address', notEvaluated, `${site}/{{ $json.picture }}`),
	...refuses(
		'address',
		saidOf(kinds.address, 'http://localhost'),
		`
			http://localhost:5678/a.png | https://localhost./a | http://n8n:5678/a.png | http://127.0.0.1/a.png
			http://2130706433/a.png | http://10.1.2.3/a | http://192.168.1.5:8080/a | http://172.31.255.1/a
			http://169.254.169.254/ | http://100.64.0.1/a | https://files.internal/a | http://anna:secret@localhost/a
			http://0.0.0.0/a | http://172.16.0.1/a | http://172.20.0.1/a | http://a.localhost/a | http://a.local/a
			http://a.intranet/a | http://a.lan/a | http://a.home/a | http://a.corp/a | http://a.home.arpa/a
			http://[::1]/a | http://[fd00::1]/a | http://[FC12::1]:80/a | http://[fe80::1]/a | http://[febf::1]/a
			http://[::]/a | http://[0:0:0:0:0:0:0:1]/a | http://[::ffff:10.0.0.1]/a | http://[::ffff:7f00:1]/a
		`,
	),
	...refuses('address', notOne, ...['\n', ' ', ', '].map((between) => `${site}/a${between}http://a.ru/b`)),
	...refuses('address', notOne, `${site}/a.png //example.com/b.png`, `Фото: ${site}/a.png`),

	...takesAsIs('text', ' Привет\r\n\nАнна ', "'Привет", '=Привет', '79161234567.0', '22.11.2026', '👨‍👩‍👧'),
	...takesAsIs('text', '<b>Привет</b> & «Анна» | [объект Заказ] | [{"имя":"Анна"}] | Invalid date'),
	...takesAsIs('text', 'undefined'),
	...takesAsIs('text', '{{name}} {{$Имя}} {{$jsonКлюч}} {{$now_}} {{ json.x }} { { $json.x } } | $json.x'),
	...takesAsIs('text', 'Сайт => example.com | (скидка) => 10 % | (цена) { 100 } | function'),
	...takes('text', 'Привет', ['Привет']),
	...takes('text', '-1.5', -1.5),
	...takes('text', '79161234567', 79161234567.0),
	...takes('text', '1180591620717411303424', 2n ** 70n),
	...takes('text', 'false', false),
	...takes('text', moment, new Date(moment), inN8n(`DateTime.fromISO('${moment}', { zone: 'utc' })`)),
	...takes('text', 'Привет, {"a":1}!', evaluate('=Привет, {{ JSON.stringify({ a: 1 }) }}!')),
	...takes('text', 'Привет \ufffd', 'Привет 😀'.slice(0, -1)),
	...refuses('text', noText, { text: 'Привет' }, { toJSON: 'Привет' }, NaN, () => 'Привет', Symbol('Привет')),
	...refuses('text', noText, new Date('вчера'), inN8n("DateTime.fromISO('вчера')")),
	...refuses('text', saidOf(kinds.text, [1, 2]), [{ text: 'Привет' }]),
	...refuses(
		'text',
		notEvaluated,
		`
			Привет, {{$json["name"]}}! | {{ $json.name | {{ $('Webhook').item.json.name }} | {{ $input.first().json.name }}
			{{ $fromAI('text') }} | {{$today.toISODate()}} | {{ $vars.shop }} | {{ DateTime.now() }} | ={{ $json.name }}
			{{ $itemIndex + 1 }} | {{ $item.id }} | {{ $now }} | {{ $node["A"].json }} | {{ $execution.id }}
			{{ $workflow.name }} | {{ $items("A")[0].json }} | {{{ $json.name }}} | {{name}} {{ $json.name }}
		`,
	),
	...refuses('text', notEvaluated, '{{\n\t$json.name\n}}'),
	...refuses('text', saidOf(kinds.text, 'Invalid Date'), 'Запись на Invalid DateTime.', '(Invalid Date)'),
	...refuses('text', saidOf(kinds.text, 2 ** 53), JSON.parse('7615917337495251231'), -(2 ** 53), 1e21),
	...refuses('text', anObject, '[object Promise]', evaluate('={{ ({ a: 1 }) }}!')),

	// The end of a period, in seconds. A date without a time zone is in that of the workflow, Moscow's.
	...takes('date', Date.parse('2026-06-02T20:59:59Z') / 1000, ' 2026-06-02 '),
	...takes('date', Date.parse('2026-06-02T10:30:00Z') / 1000, '2026-06-02T15:30:00.999+05:00'),
	...takes('date', Date.parse(moment) / 1000, new Date(moment), inN8n(`DateTime.fromISO('${moment}')`)),
	// They can mean several dates.
	...refuses('date', noDate, 1775001600, '1775001600000', '2026', 45000, true, '02.06.2026', '2026-13-01'),
	...refuses('date', noDate, new Date('x'), inN8n("DateTime.fromISO('x')")),
];
