import * as questions from '../../nodes/ChatbotService/ask/problems';
import type { Problem } from '../../nodes/ChatbotService/client/failure';
import { wordsOf } from '../../nodes/ChatbotService/client/quote';
import * as problems from '../../nodes/ChatbotService/run/values/problems';
import * as contacts from '../../nodes/ChatbotService/resources/contact/problems';
import * as listItems from '../../nodes/ChatbotService/resources/listItem/problems';
import * as shared from '../../nodes/ChatbotService/resources/problems';
import { everyProblem } from '../../tools/failures';
import { hostile, veryHostile } from './hostile';
import { faultsOf } from './sentences';

/* The wording of the problems that do not depend on the kind of a field. Other tests take it from the functions. */

const field = (name: string) => ({ displayName: name, name, type: 'string' as const, default: '' });
const choice = { ...field('Поле'), options: ['один', 'два'].map((value) => ({ name: value, value })) };
const choices = { ...choice, type: 'multiOptions' as const };
const notOne = (found: unknown): Problem => ({
	message: "'Поле' must be one of один, два",
	advice: `Choose one of them for 'Поле', or let its expression return one. Received: "${JSON.stringify(found)}".`,
});

test.each<[message: string, advice: string, Problem]>([
	[
		"'Поле' is empty",
		"Enter a value for 'Поле'. If the field contains an expression, check its result for this item. Or delete it.",
		problems.emptyField('Поле', 'Or delete it.'),
	],
	[
		"'Поле' is empty",
		`Enter. The item has a field that differs only by case, blanks or invisible characters: "ID\\u{200b}\\u{a0}". Drag it into the expression.`,
		problems.looksAlike({ message: "'Поле' is empty", advice: 'Enter.' }, 'ID\u200b\u00a0'),
	],
	[
		"'Ключ' has lost a part",
		'For this item, nothing comes from "{{ $json.a }}" and "{{ $json.b }}", so other items could have the same value, and their recipients would get no message. Correct the expression of \'Ключ\'.',
		problems.lostPart('Ключ', ['{{ $json.a }}', '{{ $json.b }}']),
	],
	[
		"'Ключ' has lost a part",
		'For this item, a value is missing in "{{ +$json.a }}", so other items could have the same value, and their recipients would get no message. Correct the expression of \'Ключ\'. Received: "№ NaN".',
		problems.lostWord('Ключ', '{{ +$json.a }}', '№ NaN'),
	],
	[
		"'Поле' has no value",
		"The expression of 'Поле' returns nothing for this item, so the node would send the message without protection. Correct the expression. If you want no protection for this item, let the expression return an empty text.",
		problems.unprotected('Поле'),
	],
	[
		"There is nothing to send: 'Текст', 'Файл' are all empty",
		'Enter at least one of them for this item.',
		problems.nothingToSend([field('Текст'), field('Файл')]),
	],
	[
		"'Поле' is not available here: n8n cannot store who received a message",
		'Save the workflow and run it again: n8n stores this only for saved workflows. If an AI agent calls the node, use a newer version of the agent. To send without protection, leave \'Поле\' empty. n8n says: "Нет связи".',
		problems.withoutStore('Поле', 'Нет связи'),
	],
	[
		"'Часы' begin and end at the same time",
		'Enter two different times, or remove \'Часы\' to send at any time. Received: "09:00".',
		shared.sameTimes('Часы', '09:00'),
	],
	[
		"'Часы' must be the same for all items",
		'They apply to the whole run, so the node takes those of the first item. If the people live in several time zones, split the items by zone in front of this node, best with a workflow for each zone. Received: "10:00 to 22:00".',
		problems.hoursDiffer('Часы', { from: '10:00', until: '22:00' }),
	],
	[
		"'Вопрос' asks one person at a time, but the node received 3 items",
		"Nothing was sent. To ask about each item, put the node Loop Over Items in front of this node, with a Batch Size of 1, and connect this node's output back to it. To ask only about the first item, switch on 'Execute Once' on the Settings tab of this node.",
		questions.severalQuestions('Вопрос', 3),
	],
	[
		"'Вопрос' cannot wait for an answer here",
		'Nothing was sent. If an AI agent calls this node, use version 3 or newer of the AI Agent node. Otherwise use this node in a workflow, not as a part of another node.',
		questions.cannotWait('Вопрос'),
	],
	[
		"'Вопрос' cannot wait for an answer in this execution",
		'Nothing was sent. Run the workflow in n8n as usual. If this happens again, give the node another name, without special characters. n8n says: "Нет связи".',
		questions.unanswerable('Вопрос', 'Нет связи'),
	],
	[
		"'Срок' is in the past",
		'Nobody could answer in time, so nothing was sent. Choose a later date and time. Received: "2020-01-01".',
		questions.pastTime('Срок', '2020-01-01'),
	],
	[
		"'Поле' cannot be evaluated",
		'Correct the expression of \'Поле\'. n8n says: "Нет узла".',
		problems.unreadableProblem('Поле', new Error('Нет узла')),
	],
	[
		"'Номер' and 'Телефон' are the same for the service",
		"Enter only one of them for this item: remove 'Телефон'.",
		problems.sentTwice(field('Номер'), field('Телефон')),
	],
	[
		"'Поле' cannot be MAX here: the service creates no contacts in MAX",
		'A person in MAX becomes a contact when they write to the bot. Choose another messenger, or leave this person out. Received: "макс".',
		contacts.notInMax('Поле', 'макс').problems[0]!,
	],
	[
		"'Поле' is not an ID in this messenger",
		'Enter the number that the messenger gives the person, such as 284119035, not a phone number or a user name. Received: "@anna".',
		contacts.noMessengerId('Поле', '@anna').problems[0]!,
	],
	[
		"All values of 'Фильтры' are empty",
		'Enter a value for at least one of them. Without any, the answer would be records that nobody has asked for.',
		shared.noFilter('Фильтры'),
	],
	[
		"The fields of the list are not known under 'Fields'",
		'Open the node and choose the list. The editor then loads its fields.',
		listItems.fieldsNotLoaded('Fields'),
	],
	[
		'The item has fields that the list does not have',
		'Remove them before this node, for example with Edit Fields, or choose \'Map Each Column Manually\'. If the list has got them since, open the node and press \'Refresh\'. Received: "цвет", "вес".',
		listItems.unknownFields(['цвет', 'вес']),
	],
	[
		"'Поле' repeats a field",
		'The service takes one value for each field. Use one filter for "цена", and the node Filter after this node for further conditions.',
		listItems.repeatedSlug('Поле', 'цена'),
	],
])('%s: what to do', (message, advice, problem) => {
	expect(problem).toEqual({ message, advice });
});

test.each(Object.entries(everyProblem))(
	'%s is told in words that n8n and its guidelines allow',
	(_, made) => {
		for (const { message, advice } of made) expect(faultsOf({ message, description: advice })).toEqual([]);
	},
);

test('what n8n says is shortened, stays out of the message, and is left out if it says nothing', () => {
	const { message, advice } = problems.unreadableProblem('Поле', new Error('ENOENT '.repeat(500)));
	expect(message).not.toContain('ENOENT');
	expect(advice.length).toBeLessThan(700);
	const silent = [problems.withoutStore('Поле', ''), problems.unreadableProblem('Поле', undefined)];
	for (const each of silent) expect(each.advice).not.toContain('n8n says');
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
	['Нет узла', ''],
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
