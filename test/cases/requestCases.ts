import { partCases } from './partCases';
import { VALUE, type Refused } from './refused';
import { spoiledCases } from './spoiledCases';
import { wordCases } from './wordCases';

/* What any text can hold, in fields of all operations, and the requests of API, Send Request. */

/** The parameters as rows in the editor. */
export const asRows = (...rows: Array<readonly [name: string, value: string]>) => ({
	parameters: { parameter: rows.map(([name, value]) => ({ name, value })) },
});

/** The parameters as an object, or its text. */
export const asJson = (parametersJson: string) => ({ parametersInput: 'json', parametersJson });

export const post = (changes: object) => ({ method: 'POST', ...changes });

const row = (name: string, value: string) => asRows([name, value]);

const [noName, value] = ['must be the name of a parameter', "'Parameters, parameter 1: Value'"];

/** Values within an object that nobody means. */
const inside: Array<[unknown, string]> = [
	[2 ** 53, 'holds a number'],
	['\ufffd\ufffd', 'holds characters'],
];

const noNames = ['filters.price', 'filters[price]', 'depth&page', 'контакт', '__proto__'];
const noEndpoints = [
	...['https://example.com/getX', '//example.com', '/getX', 'v2/getX', '../getX', '..', 'getX.json'],
	...['getX/../sendMessage', 'getX?a=1', 'getX&a=1', 'getX#a', 'getX;a=1', 'getX\\sendMessage', 'get X'],
	...['%2e%2e%2fgetX', 'sendMessage%20', '．．／getX', 'ｓendMessage', 'ſendMessage', 'gеtReferrals'],
	...['получить', '5', '_', 'get'.padEnd(500, 'Referrals')],
];
const ownLimits = "'Endpoint' names an endpoint that has an operation with limits of its own";

const ofRequest: Array<[changes: object, values: unknown[], says: string]> = [
	[{ endpoint: VALUE }, noEndpoints, "'Endpoint' must be the name of an endpoint"],
	[post({ endpoint: VALUE }), ['sendMessage', ' SENDMESSAGE\u200b', '"sendMessage"'], ownLimits],
	[{ endpoint: VALUE }, ['sendMessageToWhatsApp', 'sendmessagetowhatsapp'], ownLimits],
	[{ endpoint: VALUE }, ['', undefined], "'Endpoint' is empty"],
	[{ endpoint: '=get{{ $json.value }}' }, [undefined], "A part of 'Endpoint' is empty"],
	[{ endpoint: VALUE }, ['null', 'undefined'], "'Endpoint' holds no name, but what a program has written"],
	[{ endpoint: VALUE }, [['getX', 'getY']], "'Endpoint' contains a list instead of one value"],

	[row('depth', VALUE), ['', undefined, [], {}], `${value} is empty`],
	[row('name', '=Анна {{ $json.value }}'), [undefined], `A part of ${value} is empty`],
	[post(row('name', '={{ "Анна " + $json.value }}')), [undefined], `A part of ${value} is empty`],
	[row('id', '={{ 12345678901234567890 }}'), [5], `${value} holds a number`],
	[row(VALUE, '5'), noNames, `'Parameters, parameter 1: Name' ${noName}`],
	[{ ...row('page', '5'), returnAll: true }, [5], "'Return All' requests every page"],

	[asJson(VALUE), [[{ depth: 5 }], '{ "depth": 5'], "'Parameters (JSON)' must be an object"],
	[asJson('={ "name": "Анна {{ $json.value }}" }'), [undefined], "A part of 'Parameters (JSON)' is empty"],
	[post(asJson('={{ { data: { title: "№ " + $json.value } } }}')), [undefined], "'Parameters (JSON)': "],
	[asJson(VALUE), [{ depth: '' }, { depth: null }, '{ "depth": [] }'], "'Parameters: depth' is empty"],
	[asJson('={{ { filters: { price: $json.value } } }}'), [undefined], "'Parameters: filters' is empty"],
	[post(asJson('={{ { data: { a: $json.value, b: 5 } } }}')), [undefined], "'Parameters: data' is empty"],
	[asJson(VALUE), [{ 'filters.price': 5 }, '{ "__proto__": { "a": 5 } }'], `'Parameters: Name' ${noName}`],
	// An address cannot carry these.
	[asJson(VALUE), [{ data: { tags: [] } }, { data: { tags: {} } }], "'Parameters: data.tags' is empty"],
	...inside.map(([each, said], place): [object, unknown[], string] => [
		place % 2 ? post(asJson(VALUE)) : asJson(VALUE),
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
