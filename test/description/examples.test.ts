import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { contactMessengers } from '../../nodes/ChatbotService/resources/choices';
import example from '../../examples/broadcast-from-form.json';

/* The example "Broadcast from a form" says how long a broadcast takes, by limits that its own code contains. */

test('the page of the example knows each messenger by every name that the node knows, and how long its messages take', () => {
	for (const { value, aliases = [] } of contactMessengers) {
		const names = [value, ...aliases].flatMap((name) => [name, ` ${name.toUpperCase()} `]);
		const people = Array.from({ length: 1200 }, (_, index) => ({ messenger: names[index % names.length] }));
		const [limit] = Object.values(messageLimits(value));
		const secondsEach = limit ? limit.windowMs / limit.count / 1000 : 0.5;
		const minutes = (people.length * (0.5 + secondsEach)) / 60;
		const time = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
		expect([value, timeFor(people)]).toEqual([value, time]);
	}
});

/** What the code of the example says about the time for these people. */
function timeFor(people: object[]): string {
	const nodes: Record<string, object> = {
		'People of the list': { first: () => ({ json: { problem: '' } }) },
		'Contacts of the bot': { all: () => [{ json: { tags: [] } }] },
	};
	const list = example.nodes.find(({ name }) => name === 'The list');
	const code = new Function('$input', '$', (list!.parameters as { jsCode: string }).jsCode);
	const items = people.map((person) => ({ json: { ...person, reason: '' } }));
	const [{ json }] = code({ all: () => items }, (name: string) => nodes[name]) as [
		{ json: { time: string } },
	];
	return json.time;
}
