import { anyLabel, everyFailure, everyProblem } from '../failures';
import { fillInFirst } from '../../nodes/ChatbotService/listSearch/load';
import { checkAs, type Kind } from '../../nodes/ChatbotService/resources/kind';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { noProxy, noTimeout } from '../../nodes/ChatbotService/run/values/requestOptions';
import { tableOf } from '../tables';
import type { Texts } from './texts';

/** Examples of values that a kind of field refuses: each kind says the like about its own. */
const wrongValues: Array<[Kind, unknown]> = [
	[kinds.contactId, 'x'],
	[kinds.text, 'Invalid DateTime'],
	[kinds.phone, '1 2'],
];

const ofKinds = wrongValues.flatMap(([kind, value]) => {
	const checked = checkAs(kind, value, anyLabel);
	return 'problems' in checked ? checked.problems : [];
});

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
const beginningOf = (message: string) => message.replace(/(?:(?<!')[,:]| \(|\. ).*/, '');

/** The names that are placed never or several times, or that do not exist. */
const notPlacedOnce = (names: string[], placed: string[]) =>
	[...names, ...placed].filter(
		(name) => !names.includes(name) || placed.filter((each) => each === name).length !== 1,
	);

/** A row for each group of messages. @throws if docs/tables.yaml does not place each message once */
export function errorsTable(texts: Texts): string {
	const all = messages();
	const groups = texts.get<Record<string, string[]>>('errors', 'groups');
	const placed = [...Object.values(groups).flat(), ...texts.get<string[]>('errors', 'own')];
	const wrong = notPlacedOnce(Object.keys(all), placed);
	if (wrong.length)
		throw new Error(`docs/tables.yaml must name ${wrong.join(', ')} once in errors > groups or errors > own`);
	const rows = Object.entries(groups).map(([group, names]) => [
		[...new Set(names.flatMap((name) => all[name]!))].join('; '),
		texts.get('errors', 'texts', group),
	]);
	return tableOf(texts.get('errors', 'columns'), rows);
}

/**
 * What the messages mean that the table leaves out, for readers who cannot read them.
 *
 * @throws if docs/ru/tables.yaml does not explain each of them once
 */
export function meanings(texts: Texts): string {
	const all = messages();
	const own = texts.get<string[]>('errors', 'own');
	const groups = texts.get<Record<string, Record<string, string>>>('errors', 'meanings', 'groups');
	const explained = Object.values(groups).flatMap((group) => Object.keys(group));
	const wrong = notPlacedOnce(own, explained);
	if (wrong.length)
		throw new Error(
			`docs/ru/tables.yaml must explain ${wrong.join(', ')} once in errors > meanings, and nothing else`,
		);
	const sections = Object.entries(groups).map(([title, group]) => {
		const byMessage = new Map<string, Set<string>>();
		for (const [name, meaning] of Object.entries(group)) {
			const message = [...new Set(all[name]!.map(shortened))].join('; ');
			byMessage.set(message, (byMessage.get(message) ?? new Set()).add(meaning));
		}
		const lines = [...byMessage].map(([message, each]) => `- *${message}:* ${[...each].join(' ')}`);
		return `## ${title}\n\n${lines.join('\n')}`;
	});
	return sections.join('\n\n');
}

/** At most so many words of a message as it takes to find it on the page. */
function shortened(message: string): string {
	const words = message.split(' ');
	return words.length > 8 ? `${words.slice(0, 7).join(' ')}…` : message;
}
