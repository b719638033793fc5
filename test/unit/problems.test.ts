import type { Problem } from '../../nodes/ChatbotService/client/failure/failure';
import { wordsOf } from '../../nodes/ChatbotService/shared/quote';
import * as problems from '../../nodes/ChatbotService/run/values/problems';
import * as listItems from '../../nodes/ChatbotService/resources/listItem/problems';
import { everyProblem, words } from '../../tools/failures';
import { hostile, veryHostile } from './hostile';
import { faultsOf } from './sentences';

/* The problems that do not depend on the kind of a field. docs/tables.yaml names each of them. */

const field = (name: string) => ({ displayName: name, name, type: 'string' as const, default: '' });
const choice = { ...field('Поле'), options: ['один', 'два'].map((value) => ({ name: value, value })) };
const choices = { ...choice, type: 'multiOptions' as const };
const notOne = (found: unknown): Problem => ({
	message: "'Поле' must be one of один, два",
	advice: `Choose one of them for 'Поле', or let its expression return one. Received: "${JSON.stringify(found)}".`,
});

test.each(Object.entries(everyProblem))(
	'%s is told in words that n8n and its guidelines allow, and n8n is quoted at the end',
	(_, made) => {
		for (const { message, advice } of made) expect(faultsOf({ message, description: advice })).toEqual([]);
		const [{ message, advice }, withWords] = made as [Problem, Problem?];
		if (withWords) expect(withWords).toEqual({ message, advice: `${advice} n8n says: "${words}".` });
	},
);

test('several fields and parts are listed', () => {
	expect(problems.lostPart('Ключ', ['а', 'б']).advice).toContain('"а" and "б"');
	expect(listItems.unknownFields([['цвет'], ['Вес', 'weight']]).advice).toMatch(
		/^Rename "Вес" to "weight"\. Remove "цвет" before/,
	);
	expect(listItems.unknownFields([['Вес', 'weight']]).advice).toBe('Rename "Вес" to "weight".');
	expect(problems.emptyField('Поле', 'Or delete it.').advice).toMatch(/item\. Or delete it\.$/);
	expect(problems.looksAlike(problems.emptyField('Поле'), 'ID\u200b').advice).toContain('"ID\\u{200b}"');
});

test.each<[string, typeof choice | typeof choices, unknown, Problem[]]>([
	['one', choice, 'два', []],
	['one', choice, ['один'], [notOne(['один'])]],
	['several', choices, 'один', []],
	['several', choices, ['один', 'два'], []],
	['several', choices, [], [problems.emptyField('Поле')]],
	['several', choices, ['один', 'три'], [notOne(['один', 'три'])]],
])('a choice of %s option must be its own: %#', (_, chosen, found, expected) => {
	expect(problems.wrongChoice(chosen, found)).toEqual(expected);
});

test.each<[unknown, string]>([
	[new Error('Нет узла'), 'Нет узла'],
	[{ message: 'Нет узла', description: 'Узел удалён' }, 'Нет узла Узел удалён'],
	[{ message: 'Нет узла', description: 'Нет узла' }, 'Нет узла'],
	[{ message: '', description: 'Нет узла' }, 'Нет узла'],
	[{ message: 5, description: ['Нет'] }, ''],
	[undefined, ''],
])('the words of the error %j are its message and description', (said, words) => {
	expect(wordsOf(said)).toBe(words);
});

test.each([...hostile, ...veryHostile])(
	'the words of an error are found or left out, whatever is thrown: %s',
	(_, make) => {
		expect(wordsOf(make())).toEqual(expect.any(String));
	},
);
