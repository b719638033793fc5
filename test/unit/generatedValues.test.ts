import fc from 'fast-check';

import type { Problem } from '../../nodes/ChatbotService/client/failure/failure';
import { placeParameters } from '../../nodes/ChatbotService/client/http/placement';
import { placeOf } from '../../nodes/ChatbotService/resources/operation';
import { Check } from '../../nodes/ChatbotService/run/values/check';
import { loadContract } from '../../sandbox/emulator';
import { pasted } from '../pasted/values';
import { times } from '../times';
import { codePoint } from './codePoints';
import { given, inMoscow, samples, unreadable } from './samples';

/* Generated values of every operation, against the contract of the API. */

const contract = loadContract();

/** Values that are mostly right, so that enough items are right as a whole. */
const mostly = (right: fc.Arbitrary<unknown>, wrong: unknown[]) =>
	fc.oneof({ weight: 25, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });

const anything = fc.oneof(
	{ weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown> },
	{ weight: 3, arbitrary: fc.constantFrom<unknown>(undefined, unreadable) },
	// JSON that is easy to misread.
	fc.constantFrom<unknown>({ toJSON: 5 }, { toString: 5, valueOf: 5 }, { length: 1 }, [[]], [null], {}),
	fc.constantFrom<unknown>('', '0', 'null', '{}', '[]', -0, 1e21),
	fc.string({ unit: codePoint }),
);

const words = fc.oneof(
	fc.string({ unit: 'grapheme', minLength: 1 }),
	fc.constantFrom<unknown>('Клиент', ' Город ', 5, true, 'Привет \ud83d'),
);

/** Right and wrong values. In a workflow that a program created, choices can be expressions too. */
const chosen: Record<string, [right: unknown[], wrong: unknown[]]> = {
	recipient: [
		['contact', 'externalId'],
		['', 'кому-то', ['contact']],
	],
	content: [
		[['text'], ['image', 'file'], ['text', 'image', 'file']],
		['text', ['video']],
	],
	deleteBy: [
		['name', 'id'],
		[null, 'номер'],
	],
	fieldsInput: [['define', 'json'], ['yaml']],
	'filters.createdAfter': [
		['2024-05-01', new Date(0)],
		['вчера', 1714510800],
	],
	'itemOptions.orderByDirection': [['asc', 'desc'], ['вверх']],
	findBy: [['id'], ['номер']],
	method: [['GET', 'POST'], ['PUT']],
	endpoint: [
		['getReferrals', 'getMe'],
		['https://example.com/getMe', 'getMe?a=1'],
	],
	variablesInput: [['define'], ['yaml']],
	parametersInput: [['define'], ['yaml']],
	responseType: [['approval', 'freeText'], ['customForm']],
};

/** Their values are stored in the workflow. */
const madeOfOthers = ['columns', 'fieldFilters', 'matchOn', 'parameters', 'variables'];

/** Fields that take the same values as a pasted one. */
const alike: Record<string, string> = {
	...{ fields: 'fieldsJson', 'additionalFields.phone': 'phone', findValue: 'contactId' },
	...{ 'fieldOptions.required': 'showInMenu', 'fieldOptions.hidden': 'showInMenu' },
	'fieldOptions.encrypted': 'showInMenu',
};

/** Values that people choose or paste, words for all other fields, and sometimes anything. */
function valueOf(path: string) {
	const into = pasted.find(({ field }) => field === (alike[path] ?? path));
	const known = into && [into.taken, into.refused].map((rows) => rows.map(([value]) => value));
	const [right, wrong] = chosen[path] ?? known ?? [];
	const plausible = right ? mostly(fc.constantFrom(...right), wrong!) : mostly(words, [' ', NaN]);
	return fc.oneof({ weight: 25, arbitrary: plausible }, { weight: 1, arbitrary: anything });
}

const titles = [...new Set(samples.map(({ title }) => title.split(' ')[0]!))];

test.each(titles)('%s sends what the contract says, or names a field', (title) => {
	// Samples of one operation differ in the parameters that decide what applies.
	const [sample, ...others] = samples.filter((each) => each.title.split(' ')[0] === title);
	const { operation, endpoint, requests } = sample!;
	const labels = [sample!, ...others].flatMap((each) => each.labels);
	const isNamed = ({ message }: Problem) => labels.some((label) => message.includes(`'${label}`));
	const paths = [sample!, ...others].flatMap((each) => Object.keys(each.values));
	const generated = paths.filter((path) => !madeOfOthers.includes(path)).map((path) => [path, valueOf(path)]);
	// One check for all items, as in a run.
	const checking = new Check(operation, sample!.storedWith({}), inMoscow);
	let takenCount = 0;
	const property = (values: Record<string, unknown>, tokenLength: number) => {
		const checked = checking.valuesOf(given(sample!, values));
		if ('problems' in checked) {
			expect(checked.problems).not.toEqual([]);
			const isWhole = ({ advice }: Problem) => advice.endsWith('.');
			return expect(checked.problems.filter((each) => !isNamed(each) || !isWhole(each))).toEqual([]);
		}
		takenCount++;
		// Others make their requests in steps.
		if (requests) return;
		const target = { place: placeOf(operation), path: `/api/v1/${endpoint}`, tokenLength };
		const parts = placeParameters(checked.parameters, {
			...target,
			longInBody: operation.inQuery === 'ifShort',
		});
		expect(contract.checkParameters(endpoint, parts)).toEqual([]);
	};
	const values = fc.record(Object.fromEntries(generated) as Record<string, fc.Arbitrary<unknown>>);
	fc.assert(fc.property(values, fc.integer({ min: 0, max: 4000 }), property), { numRuns: times(100) });
	// Otherwise the property would say little about accepted values.
	expect(takenCount).toBeGreaterThan(times(1));
});
