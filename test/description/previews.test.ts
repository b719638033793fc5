import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { byTitle, isReading, operations } from '../operations';
import { goodsColumns } from '../operations/fields';

/*
 * The editor's previews of outputs: fields that every service returns, whatever the options. The samples have the output that
 * test/engine/operations.test.ts gets.
 */

const fileOf = (title: string) =>
	join(__dirname, `../../nodes/ChatbotService/__schema__/v1.0.0/${title}.json`);

function typeOf(value: unknown): unknown {
	// A matcher of Jest stands for what the service generates.
	if (Object.hasOwn(Object(value) as object, 'sample')) return expect.any(String);
	if (Array.isArray(value)) return 'array';
	return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Fields of a list item that the preview cannot know, because users define them. */
const ofUsers = goodsColumns({}).schema.map(({ id }) => id);

// The output of an operation that asks is the answer: test/engine/sendAndWait.test.ts.
const previewed = operations.filter(({ title, question }) => existsSync(fileOf(title)) && !question);

test.each(byTitle(previewed))('the preview of %s has its output fields', (title, { variants }) => {
	const { properties } = JSON.parse(readFileSync(fileOf(title), 'utf8')) as {
		properties: Record<string, { type: string }>;
	};
	const [{ fields, items }] = variants as [(typeof variants)[number]];
	// What comes only if it is asked for.
	const added = fields.flatMap(({ name, value }) => (name === 'include' ? (value as string[]) : []));
	const unknown = ['variable', ...added, ...(title.startsWith('listItem/') ? ofUsers : [])];
	const certain = Object.entries(items[0]!).filter(([name]) => !unknown.includes(name));
	const shown = Object.entries(properties).map(([name, { type }]) => [name, type]);
	const expected = certain.map(([name, value]) => [name, typeOf(value)]);
	expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(expected));
});

test('every operation that reads has a preview', () => {
	// 'Send Request' outputs whatever the endpoint answers.
	const without = operations.filter(({ title }) => !existsSync(fileOf(title)) && title !== 'api/request');
	expect(without.filter(isReading)).toEqual([]);
	// LEADTEX returns the contact; of the other services, nothing is known.
	expect(without.map(({ title }) => title)).toContain('contact/upsert');
});
