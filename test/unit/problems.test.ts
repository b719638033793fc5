import type { Problem } from '../../nodes/ChatbotService/client/failure';
import { wordsOf } from '../../nodes/ChatbotService/client/quote';
import * as problems from '../../nodes/ChatbotService/run/values/problems';
import * as listItems from '../../nodes/ChatbotService/resources/listItem/problems';
import { everyProblem, words } from '../../tools/failures';
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

/** As users read them: what is wrong, then what to do. */
const told: { [name in keyof typeof everyProblem]: string } = {
	emptyField:
		"'…' is empty. Enter a value for '…'. If the field contains an expression, check its result for this item.",
	looksAlike:
		"'…' is empty. Enter a value for '…'. If the field contains an expression, check its result for this item. The item has a field that differs only by case, blanks or invisible characters: \"ID\\u{200b}\". Drag it into the expression.",
	unprotected:
		"'…' has no value. The expression of '…' returns nothing for this item, so the node would send the message without protection. Correct the expression. If you want no protection for this item, let the expression return an empty text.",
	lostPart:
		"'Send Once Per' has lost a part. For this item, nothing comes from \"{{ $json.order }}\", so other items could have the same value, and their recipients would get no message. Correct the expression of 'Send Once Per'.",
	lostWord:
		'\'Send Once Per\' has lost a part. For this item, a value is missing in "{{ $json.order }}", so other items could have the same value, and their recipients would get no message. Correct the expression of \'Send Once Per\'. Received: "order …".',
	wrongChoice:
		"'…' must be one of …. Choose one of them for '…', or let its expression return one. Received: \"x\".",
	nothingToSend:
		"There is nothing to send: 'Text', 'Image URL', 'File URL' are all empty. Enter at least one of them for this item.",
	sentTwice:
		"'Phone Number or Messenger ID' and '…' are the same for the service. Enter only one of them for this item: remove '…'.",
	wrongPeriod:
		"'Created After' is later than 'Created Before'. No contact can match both. Exchange them, or correct their expressions.",
	noFilter:
		"All values of 'Filters' are empty. Enter a value for at least one of them. Without any, the answer would be records that nobody has asked for.",
	sameTimes:
		"'Sending Hours' begin and end at the same time. Enter two different times, or remove 'Sending Hours' to send at any time. Received: \"09:00\".",
	hoursDiffer:
		'\'Sending Hours\' must be the same for all items. They apply to the whole run, so the node takes those of the first item. If the people live in several time zones, split the items by zone in front of this node, best with a workflow for each zone. Received: "09:00 to 21:00".',
	fieldsNotLoaded:
		"The fields of the list are not known under 'Fields'. Open the node and choose the list. The editor then loads its fields.",
	unknownFields:
		"The item has fields that the list does not have. Remove them before this node, for example with Edit Fields, or choose 'Map Each Column Manually'. If the list has got them since, open the node and press 'Refresh'. Received: \"…\".",
	repeatedSlug:
		'\'…\' repeats a field. The service takes one value for each field. Use one filter for "price", and the node Filter after this node for further conditions.',
	notInMax:
		'\'Messenger\' cannot be MAX here: the service creates no contacts in MAX. A person in MAX becomes a contact when they write to the bot. Choose another messenger, or leave this person out. Received: "max".',
	noMessengerId:
		'\'…\' is not an ID in this messenger. Enter the number that the messenger gives the person, such as 284119035, not a phone number or a user name. Received: "@anna".',
	unreadableProblem: "'…' cannot be evaluated. Correct the expression of '…'.",
	withoutStore:
		"'Send Once Per' is not available here: n8n cannot store who received a message. Save the workflow and run it again: n8n stores this only for saved workflows. If an AI agent calls the node, use a newer version of the agent. To send without protection, leave 'Send Once Per' empty.",
	severalQuestions:
		"'Send and Wait for Response' asks one person at a time, but the node received 2 items. Nothing was sent. To ask about each item, put the node Loop Over Items in front of this node, with a Batch Size of 1, and connect this node's output back to it. To ask only about the first item, switch on 'Execute Once' on the Settings tab of this node.",
	cannotWait:
		"'Send and Wait for Response' cannot wait for an answer here. Nothing was sent. If an AI agent calls this node, use version 3 or newer of the AI Agent node. Otherwise use this node in a workflow, not as a part of another node.",
	unanswerable:
		"'Send and Wait for Response' cannot wait for an answer in this execution. Nothing was sent. Run the workflow in n8n as usual. If this happens again, give the node another name, without special characters.",
	pastTime:
		'\'Max Date and Time\' is in the past. Nobody could answer in time, so nothing was sent. Choose a later date and time. Received: "2020-01-01T00:00:00".',
};

test.each(Object.entries(everyProblem))(
	'%s says what is wrong and what to do, and what n8n says of it',
	(name, made) => {
		const [{ message, advice }, withWords] = made as [Problem, Problem?];
		expect(`${message}. ${advice}`).toBe(told[name as keyof typeof told]);
		if (withWords) expect(withWords).toEqual({ message, advice: `${advice} n8n says: "${words}".` });
	},
);

test('several fields and parts are listed', () => {
	expect(problems.lostPart('Ключ', ['а', 'б']).advice).toContain('"а" and "б"');
	expect(listItems.unknownFields(['цвет', 'вес']).advice).toContain('"цвет", "вес"');
	expect(problems.emptyField('Поле', 'Or delete it.').advice).toMatch(/item\. Or delete it\.$/);
});

test.each(Object.entries(everyProblem))(
	'%s is told in words that n8n and its guidelines allow',
	(_, made) => {
		for (const { message, advice } of made) expect(faultsOf({ message, description: advice })).toEqual([]);
	},
);

test('what n8n says is shortened, and stays out of the message', () => {
	const { message, advice } = problems.unreadableProblem('Поле', new Error('ENOENT '.repeat(500)));
	expect(message).not.toContain('ENOENT');
	expect(advice.length).toBeLessThan(700);
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
