import { services } from '../../nodes/ChatbotService/client/baseUrl';
import { description } from './editor';

/* What n8n's AI that builds workflows reads: where a wrong choice sends messages twice, or faster than the service allows. */

interface Entry {
	displayName?: string;
	name?: string;
	value?: unknown;
	builderHint?: { propertyHint: string };
	options?: Entry[];
	values?: Entry[];
}

const entriesIn = (entries: Entry[] = []): Entry[] =>
	entries.flatMap((entry) => [entry, ...entriesIn(entry.options), ...entriesIn(entry.values)]);

const entries = entriesIn(description.properties as Entry[]);
const hinted = entries.filter(({ builderHint }) => builderHint);

test('it is told how to send once, how to keep the limit of WhatsApp, and which operation writes to a number', () => {
	expect(hinted.map(({ name, value }) => value ?? name)).toEqual([
		'sendToWhatsApp',
		'contactMessenger',
		'sendOncePer',
	]);
});

test('the choices that it is told exist', () => {
	const choices = entries.map(({ value }) => value);
	const told = hinted
		.filter(({ name }) => name !== 'sendOncePer')
		.flatMap(({ builderHint }) =>
			[...builderHint!.propertyHint.matchAll(/'(\w+)'/g)].map(([, word]) => word),
		);
	expect(told).toEqual(expect.arrayContaining(['whatsapp', 'send']));
	expect(told.filter((word) => !choices.includes(word))).toEqual([]);
});

test('it finds the node by the name of each service, and the option that it needs for broadcasts', () => {
	const { searchHint } = description.builderHint;
	for (const { name } of services) expect(searchHint).toContain(name);
	const [option] = entries.filter(({ name }) => name === 'sendOncePer');
	expect(searchHint).toContain(option!.displayName);
});
