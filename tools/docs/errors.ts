import { anyLabel, everyFailure, everyProblem } from '../failures';
import { fillInFirst } from '../../nodes/ChatbotService/listSearch/load';
import { checkAs, type Kind } from '../../nodes/ChatbotService/resources/kind';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { noProxy, noTimeout } from '../../nodes/ChatbotService/run/values/requestOptions';
import { tableOf } from '../tables';
import type { Texts } from './texts';

/** Examples of values that a kind of field refuses: each kind says the like about its own. */
const wrongValues: Array<[Kind, ...unknown[]]> = [
	[kinds.contactId, 'x'],
	[kinds.text, {}, 'Invalid DateTime'],
	[kinds.phone, '1 2'],
];

const ofKinds = wrongValues.flatMap(([kind, ...values]) =>
	values.flatMap((value) => {
		const checked = checkAs(kind, value, anyLabel);
		return 'problems' in checked ? checked.problems : [];
	}),
);

/** All messages by the names of their functions; those about a value under one name. */
function messages(): Record<string, string[]> {
	const { invalidValues: _, ...failures } = everyFailure;
	const { emptyField, looksAlike: _alike, wrongChoice: _choice, ...problems } = everyProblem;
	const all: Record<string, Array<{ message: string }>> = {
		values: [...emptyField, ...ofKinds],
		...problems,
		...failures,
		timeout: [noTimeout],
		proxy: [noProxy],
		list: [fillInFirst(anyLabel)],
	};
	return Object.fromEntries(
		Object.entries(all).map(([name, each]) => [name, each.map(({ message }) => beginningOf(message))]),
	);
}

/** Enough to find the message. */
const beginningOf = (message: string) => message.replace(/(?:[,:]| \().*/, '');

/** A row for each group of messages. @throws if docs/tables.yaml does not place each message once */
export function errorsTable(texts: Texts): string {
	const all = messages();
	const groups = texts.get<Record<string, string[]>>('errors', 'groups');
	const placed = [...Object.values(groups).flat(), ...texts.get<string[]>('errors', 'own')];
	const wrong = [...Object.keys(all), ...placed].filter(
		(name) => !(name in all) || placed.filter((each) => each === name).length !== 1,
	);
	if (wrong.length)
		throw new Error(`docs/tables.yaml must name ${wrong.join(', ')} once in errors > groups or errors > own`);
	const rows = Object.entries(groups).map(([group, names]) => [
		[...new Set(names.flatMap((name) => all[name]!))].join('; '),
		texts.get('errors', 'texts', group),
	]);
	return tableOf(texts.get('errors', 'columns'), rows);
}
