import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { byTitle, isReading, operations } from '../operations';
import { goodsColumns } from '../operations/fields';

/* The editor's previews of outputs. The samples have the output that test/engine/operations.test.ts gets. */

const fileOf = (title: string) =>
	join(__dirname, `../../nodes/ChatbotService/__schema__/v1.0.0/${title}.json`);

/** Whether a matcher of Jest stands for what the service generates. */
const isGenerated = (value: unknown) => Object.hasOwn(Object(value) as object, 'sample');

function typeOf(value: unknown): unknown {
	if (isGenerated(value)) return expect.any(String);
	if (Array.isArray(value)) return 'array';
	return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Fields of a list item that the preview cannot know, because users define them. */
const ofUsers = goodsColumns({}).schema.map(({ id }) => id);

// The output of an operation that asks is the answer: test/engine/sendAndWait.test.ts.
const previewed = operations.filter(
	(each) => isReading(each) || (existsSync(fileOf(each.title)) && !each.asks),
);

test.each(byTitle(previewed))('the editor previews the output fields of %s', (title, { variants }) => {
	const { variable: _deprecated, ...item } = variants[0]!.items[0] as Record<string, unknown>;
	const types = Object.entries(item).map(([name, value]): [string, unknown] => [name, typeOf(value)]);
	const own = types.filter(([name]) => !title.startsWith('listItem/') || !ofUsers.includes(name));
	const { properties } = JSON.parse(readFileSync(fileOf(title), 'utf8')) as {
		properties: Record<string, { type: string }>;
	};
	const shown = Object.entries(properties).map(([name, { type }]) => [name, type]);
	expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(own));
});
