import fc from 'fast-check';

import type { Problem } from '../../nodes/ChatbotService/client/failure/failure';
import { placeParameters } from '../../nodes/ChatbotService/client/http/placement';
import { placeOf } from '../../nodes/ChatbotService/resources/operation';
import { Check } from '../../nodes/ChatbotService/run/values/check';
import { loadContract } from '../../sandbox/emulator';
import { times } from '../times';
import { pasted } from '../pasted/values';
import { codePoint } from './codePoints';
import { given, inMoscow, samples, unreadable, type Sample } from './samples';

/* Generated values of every operation, against the contract of the API. */

const contract = loadContract();

/** Values that are mostly right, so that enough items are right as a whole. */
const mostly = (right: fc.Arbitrary<unknown>, wrong: unknown[]) =>
	fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });

/** Any JSON, and more often JSON that is easy to misread. */
const json = fc.oneof(
	{ weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown> },
	fc.constantFrom<unknown>({ toJSON: 5 }, { toString: 5, valueOf: 5 }, { length: 1 }, [[]], [null], {}),
	fc.constantFrom<unknown>('', '0', 'null', '{}', '[]', -0, 1e21),
	fc.string({ unit: codePoint }),
);

const words = fc.oneof(
	fc.string({ unit: 'grapheme', minLength: 1 }),
	fc.constantFrom<unknown>('Клиент', ' Город ', 5, true, 'Привет \ud83d'),
);

/** In a workflow that a program created, these can be expressions too. */
const chosen: Record<string, fc.Arbitrary<unknown>> = {
	recipient: mostly(fc.constantFrom('contact', 'externalId'), ['', 'кому-то', ['contact']]),
	content: mostly(fc.subarray(['text', 'image', 'file']), ['text', ['video']]),
	deleteBy: mostly(fc.constantFrom('name', 'id'), [null, 'номер']),
	fieldsInput: mostly(fc.constantFrom('define', 'json'), ['yaml']),
	include: mostly(fc.subarray(['tags', 'variables']), ['все']),
	'filters.createdAfter': mostly(fc.constantFrom('2024-05-01', new Date(0)), ['вчера', 1714510800]),
	'filters.createdBefore': mostly(fc.constant('2024-06-01T00:00:00+03:00'), ['01.06.2024']),
	'itemOptions.orderByDirection': mostly(fc.constantFrom('asc', 'desc'), ['вверх']),
	findBy: fc.constant('id'),
	method: mostly(fc.constantFrom('GET', 'POST'), ['PUT']),
	endpoint: mostly(fc.constantFrom('getReferrals', 'getMe'), ['https://example.com/getMe', 'getMe?a=1']),
	variablesInput: mostly(fc.constant('define'), ['yaml']),
	parametersInput: mostly(fc.constant('define'), ['yaml']),
	responseType: mostly(fc.constantFrom('approval', 'freeText'), ['customForm']),
};

/** Their values are stored in the workflow. */
const madeOfOthers = ['columns', 'fieldFilters', 'matchOn', 'parameters', 'variables'];

/** Fields that take the same values as a pasted one. */
const alike: Record<string, string> = {
	fields: 'fieldsJson',
	'additionalFields.phone': 'phone',
	findValue: 'contactId',
	'fieldOptions.required': 'showInMenu',
	'fieldOptions.hidden': 'showInMenu',
	'fieldOptions.encrypted': 'showInMenu',
};

/** Values that people choose or paste; words for all other fields. */
function plausible(path: string): fc.Arbitrary<unknown> {
	const into = pasted.find(({ field }) => field === (alike[path] ?? path));
	if (!into) return chosen[path] ?? mostly(words, [' ', NaN]);
	const [right, wrong] = [into.taken, into.refused].map((rows) => rows.map(([value]) => value));
	return mostly(fc.constantFrom(...right!), wrong!);
}

const valueOf = (path: string) =>
	fc.oneof(
		{ weight: 20, arbitrary: plausible(path) },
		{ weight: 1, arbitrary: json },
		{ weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, unreadable) },
	);

/** Samples of one operation, which differ in the parameters that decide what applies. */
const operations = [...new Set(samples.map(({ operation }) => operation))].map(
	(operation): [string, Sample[]] => {
		const same = samples.filter((sample) => sample.operation === operation);
		return [same[0]!.title.split(' ')[0]!, same];
	},
);

/** Each check has functions of its own. */
const withoutSteps = (checked: ReturnType<Check['valuesOf']>) => ({
	...checked,
	steps: undefined,
	completion: undefined,
});

test.each(operations)(
	'the values of %s are sent as the contract says or refused by their labels, and nothing is thrown',
	(_, [sample, ...others]) => {
		const { operation, endpoint } = sample!;
		const place = placeOf(operation);
		const longInBody = operation.inQuery === 'ifShort';
		const labels = [sample!, ...others].flatMap((each) => each.labels);
		// One check for all items, as in a run: what it keeps of an item must not affect the next item.
		const checking = new Check(operation, sample!.storedWith({}), inMoscow);
		const paths = [sample!, ...others]
			.flatMap((each) => Object.keys(each.values))
			.filter((path) => !madeOfOthers.includes(path));
		const values = fc.record(Object.fromEntries(paths.map((path) => [path, valueOf(path)])));
		let takenCount = 0;
		fc.assert(
			fc.property(values, fc.integer({ min: 0, max: 4000 }), (generated, tokenLength) => {
				const checked = checking.valuesOf(given(sample!, generated));
				const again = new Check(operation, sample!.storedWith({}), inMoscow).valuesOf(
					given(sample!, generated),
				);
				expect(withoutSteps(checked)).toEqual(withoutSteps(again));
				if ('problems' in checked) {
					expect(checked.problems).not.toEqual([]);
					const isNamed = ({ message }: Problem) => labels.some((label) => message.includes(`'${label}`));
					const isWhole = ({ advice }: Problem) => advice.endsWith('.');
					expect(checked.problems.filter((each) => !isNamed(each) || !isWhole(each))).toEqual([]);
					return;
				}
				takenCount++;
				// Others make their requests in steps.
				if (sample!.requests) return;
				const path = `/api/v1/${endpoint}`;
				const parts = placeParameters(checked.parameters, { place, path, tokenLength, longInBody });
				expect(contract.checkParameters(endpoint, parts)).toEqual([]);
			}),
			{ numRuns: times(100) },
		);
		// Otherwise the property would say little about accepted values.
		expect(takenCount).toBeGreaterThan(times(2));
	},
);
