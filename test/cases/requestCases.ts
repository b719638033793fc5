import { partCases } from './partCases';
import { VALUE, type Refused } from './refused';
import { spoiledCases } from './spoiledCases';
import { wordCases } from './wordCases';

/* What any text can hold, in fields of all operations, and the requests of API, Send Request. */

const row = (name: unknown, value: unknown) => ({ parameters: { parameter: [{ name, value }] } });
const json = (parametersJson: unknown) => ({ parametersInput: 'json', parametersJson });
const post = (changes: object) => ({ method: 'POST', ...changes });
const named = (...names: string[]) => ({
	parameters: { parameter: names.map((name) => ({ name, value: '5' })) },
});

const [noName, value] = ['is not the name of a parameter', "'Parameters, parameter 1: Value'"];

/** Values within an object that nobody means. */
const inside: Array<[unknown, string]> = [
	['{{ $json.title', 'holds an expression'],
	['Invalid DateTime', 'contains a date'],
	['[object Object]', 'contains an object'],
	[2 ** 53, 'holds a number'],
	['\ufffd\ufffd', 'holds characters'],
];

const ofRequest: Array<[changes: object, values: unknown[], says: string]> = [
	[
		{ endpoint: VALUE },
		[
			...['https://example.com/getX', '//example.com', '/getX', 'v2/getX', '../getX', '..', 'getX.json'],
			...['getX/../sendMessage', 'getX?a=1', 'getX&a=1', 'getX#a', 'getX;a=1', 'getX\\sendMessage', 'get X'],
			...['%2e%2e%2fgetX', 'sendMessage%20', '．．／getX', 'ｓendMessage', 'ſendMessage', 'gеtReferrals'],
			...['получить', '5', '_', 'get'.padEnd(500, 'Referrals')],
		],
		"'Endpoint' must be the name of an endpoint",
	],
	[
		post({ endpoint: VALUE }),
		['sendMessage', ' SENDMESSAGE\u200b', '"sendMessage"', 'sendmessagetowhatsapp'],
		"'Endpoint' names an endpoint that has an operation with limits of its own",
	],
	[{ endpoint: VALUE }, ['sendMessageToWhatsApp'], "'Endpoint' names an endpoint that has an operation"],
	[{ endpoint: VALUE }, ['', undefined], "'Endpoint' is empty"],
	[{ endpoint: '=get{{ $json.value }}' }, [undefined], "'Endpoint' has lost a part"],
	[{ endpoint: '={{ "get" + $json.value }}' }, [undefined], "'Endpoint' has lost a part"],
	[{ endpoint: VALUE }, ['null', 'undefined'], "'Endpoint' holds no name, but what a program has written"],
	[{ endpoint: VALUE }, [{}], "'Endpoint' must be text"],
	[{ endpoint: VALUE }, [['getX', 'getY']], "'Endpoint' contains a list instead of one value"],

	[row('depth', VALUE), ['', undefined, [], {}], `${value} is empty`],
	[post(row('depth', VALUE)), ['', undefined], `${value} is empty`],
	[row('name', '=Анна {{ $json.value }}'), [undefined], `${value} has lost a part`],
	[post(row('name', '={{ "Анна " + $json.value }}')), [undefined], `${value} has lost a part`],
	[row('id', '={{ 12345678901234567890 }}'), [5], `${value} holds a number`],
	[post(row('id', '={{ "" + {} }}')), [5], `${value} contains an object`],
	[row('', '5'), [5], "'Parameters, parameter 1: Name' is empty"],
	[
		row(VALUE, '5'),
		['filters.price', 'filters[price]', 'depth&page', 'контакт', '__proto__'],
		`'Parameters, parameter 1: Name' ${noName}`,
	],
	[named('depth', 'Depth'), [5], "'Parameters' contains a name twice"],
	[{ ...named('page'), returnAll: true }, [5], "'Return All' requests every page"],

	[json(VALUE), [undefined, ''], "'Parameters (JSON)' is empty"],
	[json(VALUE), [[{ depth: 5 }], '{ "depth": 5'], "'Parameters (JSON)' must be an object"],
	[json(VALUE), ['{ "data": { "a": 1, "a": 2 } }'], "'Parameters (JSON)' contains a name"],
	[json('={ "name": "Анна {{ $json.value }}" }'), [undefined], "'Parameters (JSON)' has lost a part"],
	[post(json('={{ { data: { title: "№ " + $json.value } } }}')), [undefined], "'Parameters (JSON)': "],
	[json(VALUE), [{ depth: '' }, { depth: null }, '{ "depth": [] }'], "'Parameters: depth' is empty"],
	[post(json('={{ { filters: { price: $json.value } } }}')), [undefined], "'Parameters: filters' is empty"],
	[json(VALUE), [{ 'filters.price': 5 }, '{ "__proto__": { "depth": 5 } }'], `'Parameters: Name' ${noName}`],
	// An address cannot carry these.
	[json(VALUE), [{ data: { tags: [] } }, { data: { tags: {} } }], "'Parameters: data.tags' is empty"],
	[json(VALUE), [{ data: { city: null } }, { data: { city: ' ' } }], "'Parameters: data.city' is empty"],
	[json(VALUE), [{ ids: [1, [[]]] }], "'Parameters: ids.1.0' is empty"],
	...inside.map(([each, said], place): [object, unknown[], string] => [
		place % 2 ? post(json(VALUE)) : json(VALUE),
		[{ data: { tags: ['VIP', each] } }],
		`'Parameters: data.tags.1' ${said}`,
	]),

	// The options that n8n adds to every node.
	[{ requestOptions: { proxy: VALUE } }, ['myproxy', 'socks5://127.0.0.1'], "'Proxy' is not the address"],
	[{ requestOptions: { timeout: VALUE } }, [-1, 0.5, 2 ** 31], "'Timeout' is not a number of milliseconds"],
];

export const requestCases: Refused[] = [
	...spoiledCases,
	...wordCases,
	...partCases,
	...ofRequest.map(([...of]): Refused => ['api/request', ...of]),
];
