import { anyLabel, everyFailure, everyProblem } from '../failures';
import type { Problem } from '../../nodes/ChatbotService/client/failure';
import { fillInFirst } from '../../nodes/ChatbotService/listSearch/load';
import type { Kind } from '../../nodes/ChatbotService/resources/kind';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { fieldDefinitions } from '../../nodes/ChatbotService/resources/listSchema/definitions';
import { noProxy, noTimeout } from '../../nodes/ChatbotService/run/values/settings';
import { tableOf } from '../tables';
import { textsIn, type Texts } from './texts';

/** Values that a kind of field refuses, in the order of the table; what other kinds say about them follows. */
const wrongValues: Array<[Kind, ...unknown[]]> = [
	[kinds.contactId, 'x'],
	[kinds.text, {}, '[object Object]', '{{ $json.name }}', 'Invalid DateTime', '[native code]'],
	[kinds.text, Number.MAX_VALUE, [1, 2]],
	[kinds.unixTime, 'вчера'],
	[kinds.timeOfDay, 'утром'],
	[kinds.messenger, 'x'],
	[kinds.logical, 'x'],
	[kinds.decimal, 'x', NaN],
	[kinds.address, 'x', 'https://example.com https://example.com', 'http://localhost'],
	[kinds.phone, '1 2'],
];

const { oneOf: _, someOf: _some, ...everyKind } = kinds;
const everyWrongValue = wrongValues.flatMap(([, ...values]) => values);

const wrongDefinitions = ['{', 1, [1], { a: { slug: 'b' } }, [{ slug: 'a' }, { slug: 'a' }], [{ x: 1 }]];

const problemsOf = (kind: Kind, values: unknown[]): Problem[] =>
	values.flatMap((value) => {
		const checked = kind(value, anyLabel);
		return 'problems' in checked ? checked.problems : [];
	});

/** The messages of the table, by the names of their explanations. */
function messages(): Record<string, string[]> {
	const { invalidValues: _, ...failures } = everyFailure;
	const { emptyField, looksAlike: _alike, unprotected, wrongChoice, lostWord, ...problems } = everyProblem;
	const ofKinds = [
		...wrongValues.flatMap(([kind, ...values]) => problemsOf(kind, values)),
		...Object.values(everyKind).flatMap((kind) => problemsOf(kind, everyWrongValue)),
	];
	const all: Record<string, Array<{ message: string }>> = {
		values: [...emptyField, ...unprotected, ...ofKinds, ...wrongChoice],
		definitions: problemsOf(fieldDefinitions, wrongDefinitions),
		...problems,
		lostPart: [...problems.lostPart, ...lostWord],
		timeout: [noTimeout],
		proxy: [noProxy],
		...failures,
		list: [fillInFirst(anyLabel)],
	};
	const shortened = ({ message }: { message: string }) =>
		message
			.replace(/must be one of .*/, 'must be one of …')
			.replace(/\(HTTP \d+\)/, '(HTTP …)')
			.replace(/from 09:00 until .*/, 'from … until …');
	return Object.fromEntries(
		Object.entries(all).map(([name, each]) => [name, [...new Set(each.map(shortened))]]),
	);
}

/** In the order of the explanations, the likeliest first. */
export function errorsTable(texts: Texts): string {
	const all = messages();
	const explained = Object.keys(textsIn('en').get<Record<string, string>>('errors', 'texts'));
	const surplus = explained.filter((name) => !(name in all));
	if (surplus.length) throw new Error(`docs/tables.yaml explains no message with ${surplus.join(', ')}`);
	const names = [...new Set([...explained, ...Object.keys(all)])];
	const rows = names.map((name) => [all[name]!.join('; '), texts.get('errors', 'texts', name)]);
	return tableOf(texts.get('errors', 'columns'), rows);
}
