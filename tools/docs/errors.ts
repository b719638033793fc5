import { anyLabel, anyNumber, everyFailure, everyProblem } from '../failures';
import { fillInFirst } from '../../nodes/ChatbotService/listSearch/load';
import { checkAs, type Kind } from '../../nodes/ChatbotService/resources/kind';
import * as kinds from '../../nodes/ChatbotService/resources/kinds';
import { noProxy, noTimeout } from '../../nodes/ChatbotService/run/values/requestOptions';
import type { Texts } from './texts';

/* The messages of the node, by groups with an explanation each. */

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

const { invalidValues: _, ...failures } = everyFailure;
const { emptyField, wrongChoice: _choice, ...problems } = everyProblem;

/** By the names of their functions; those about a value under one name. */
const messages: Record<string, Array<{ message: string }>> = {
	values: [...emptyField, ...ofKinds],
	...problems,
	...failures,
	timeout: [noTimeout],
	proxy: [noProxy],
	list: [fillInFirst(anyLabel)],
};

/** Whole messages, so that a search for the text in the editor finds them. */
const inWords = (names: string[]): string => {
	const all = names.flatMap((name) => messages[name]!.map(({ message }) => message));
	const general = all.map((message) => message.replaceAll(String(anyNumber), anyLabel));
	return [...new Set(general)].join('; ');
};

/** @throws if a place does not name each of these names once */
export function checkPlaced(names: string[], placed: string[], place: string) {
	const wrong = [...names, ...placed].filter(
		(name) => !names.includes(name) || placed.filter((each) => each === name).length !== 1,
	);
	if (wrong.length) throw new Error(`${place} must name ${wrong.join(', ')} once, and nothing else`);
}

/** Of each group of messages. */
export function errorRows(texts: Texts): string[][] {
	const groups = texts.get<Record<string, string[]>>('errors', 'groups');
	const placed = [...Object.values(groups).flat(), ...texts.get<string[]>('errors', 'own')];
	checkPlaced(Object.keys(messages), placed, 'docs/tables.yaml: errors > groups or errors > own');
	return Object.entries(groups).map(([group, names]) => [
		inWords(names),
		texts.get('errors', 'texts', group),
	]);
}

/** What the messages mean that the table leaves out, for readers who cannot read them. */
export function meanings(texts: Texts): string {
	const groups = texts.get<Record<string, Record<string, string>>>('errors', 'meanings', 'groups');
	const explained = Object.values(groups).flatMap((group) => Object.keys(group));
	checkPlaced(texts.get('errors', 'own'), explained, 'docs/ru/tables.yaml: errors > meanings');
	const sections = Object.entries(groups).map(([title, group]) => {
		const byMessage = new Map<string, Set<string>>();
		for (const [name, meaning] of Object.entries(group)) {
			const message = inWords([name]);
			byMessage.set(message, (byMessage.get(message) ?? new Set()).add(meaning));
		}
		const lines = [...byMessage].map(([message, each]) => `- *${message}:* ${[...each].join(' ')}`);
		return `## ${title}\n\n${lines.join('\n')}`;
	});
	return sections.join('\n\n');
}
